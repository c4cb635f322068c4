"""Readers: evidence to an answer."""
