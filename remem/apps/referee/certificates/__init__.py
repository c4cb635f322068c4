"""Certificates of bundles: what a replay found, as JSON to sign and as a page."""
