"""Complex-TR: its loader, and a generator of data like it."""
