"""What is sent to Weights & Biases, and when."""
