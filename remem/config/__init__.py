"""Compose and check configurations, build their parts, and compute fingerprints of runs."""
