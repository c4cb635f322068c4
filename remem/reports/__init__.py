"""Render reports from computed results: HTML pages, terminal output and W&B runs."""
