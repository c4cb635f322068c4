"""Readers, which turn evidence into an answer."""
