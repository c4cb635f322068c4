"""Read runs back: their records, verdicts, scores and costs, and compare them."""
