"""Compute scores, verdicts, labels and comparisons from records; reports render them."""
