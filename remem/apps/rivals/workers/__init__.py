"""Workers: each runs a package of others in its own environment, and imports nothing of ours."""
