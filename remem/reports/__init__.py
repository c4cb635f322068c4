"""Render reports from computed results: HTML pages, terminal output, JSON and W&B runs."""
