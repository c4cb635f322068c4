"""Measure how often judges err, and which scores each judge would have given."""
