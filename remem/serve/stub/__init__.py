"""A stand-in for a language model, for tests and rehearsals."""
