"""How often judges err, and what each would have published."""
