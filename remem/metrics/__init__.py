"""Score single answers, and compute intervals and tests from many scores."""
