"""HTTP servers on the loopback interface: embeddings, a stub, and the gateway for rivals."""
