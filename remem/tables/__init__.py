"""Tables of scores: plan their rows, run them, test differences and render the result."""
