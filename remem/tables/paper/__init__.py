"""The paper's tables next to our runs."""
