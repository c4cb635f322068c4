"""The paper's tables, with the numbers of our runs next to the paper's."""
