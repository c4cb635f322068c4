"""Workers: each runs another project's package in its own environment, without remem."""
