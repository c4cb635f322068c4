"""How often judges err, and which scores each would have published."""
