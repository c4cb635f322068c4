"""Send runs to Weights & Biases (W&B)."""
