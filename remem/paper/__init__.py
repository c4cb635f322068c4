"""The paper's numbers and their audit; our own numbers are in `tables`."""
