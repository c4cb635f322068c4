"""Loaders of data sets, and what they share; no scoring."""
