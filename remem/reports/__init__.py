"""Render reports as HTML pages, in the terminal and in W&B, from computed results."""
