"""Read a log of your own as a benchmark with one history."""
