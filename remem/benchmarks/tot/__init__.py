"""Test of Time: its loader, and a generator of data like it."""
