"""Consistency checks of the numbers that the paper prints."""
