"""Complex-TR: its loader, and a generator of similar data."""
