"""Compare a run with a frozen baseline: bounds, decision, the file of the baseline, and reports."""
