"""Dates in words, relative dates, and the templates of temporal questions."""
