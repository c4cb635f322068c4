"""Read and write files: atomic writes, checksums, and clear errors when a disk is full."""
