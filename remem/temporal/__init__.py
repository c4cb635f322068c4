"""Parse dates, filter scopes by time, and answer the temporal questions of templates."""
