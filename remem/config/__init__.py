"""Compose and check a configuration, build what it names, and name runs; nothing runs here."""
