"""Servers on the loopback: embeddings, the gateway of rivals."""
