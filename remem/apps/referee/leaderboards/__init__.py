"""Boards of certified runs: which runs are accepted, the ranks of systems, and the site."""
