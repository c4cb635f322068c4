"""Prompts and where they come from, and the JSON that is found in a reply."""
