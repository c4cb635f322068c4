"""Loaders and generators of data sets, and their shared code; no scoring."""
