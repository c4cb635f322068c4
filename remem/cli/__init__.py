"""The command line: one function for each command; other packages do the work."""
