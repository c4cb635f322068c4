"""Prompts, whose they are, and how replies to them are read."""
