"""Embedders, which turn texts into vectors."""
