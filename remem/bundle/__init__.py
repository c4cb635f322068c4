"""Pack runs into bundles, and verify and replay bundles; tables are rendered elsewhere."""
