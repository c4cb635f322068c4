"""Boards of certified runs: which are believed, who ranks where, and the site."""
