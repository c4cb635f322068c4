"""Parse dates, filter time scopes, and answer templated temporal questions."""
