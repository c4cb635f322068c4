"""HTTP servers on the loopback interface, such as the embeddings server and the model stub."""
