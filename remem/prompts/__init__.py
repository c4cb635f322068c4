"""Prompts, their sources, and parsing of replies."""
