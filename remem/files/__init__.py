"""Write and read files: whole or not at all, with sums, with a clear error on a full disk."""
