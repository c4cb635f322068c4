"""Prompts, their sources, and the parsing of JSON in replies."""
