"""Print scores, tables and progress in a terminal."""
