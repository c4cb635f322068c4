"""Compare a run with a frozen baseline: bounds, decision, baseline file, and reports."""
