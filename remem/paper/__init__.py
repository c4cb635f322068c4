"""Read and audit the paper's numbers; our own numbers are in `tables`."""
