"""Drawing: HTML pages, the terminal, W&B; nothing is computed here."""
