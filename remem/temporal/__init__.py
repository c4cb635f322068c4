"""Parse dates and relative time expressions, and answer the temporal questions of templates."""
