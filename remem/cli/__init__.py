"""The command line: a function for each verb; the work is done elsewhere."""
