"""Test of Time: its loader, and a generator of similar data."""
