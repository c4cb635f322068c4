"""A log of your own as a benchmark of one history."""
