"""Results of commands as one JSON object for other programs: what `--json` prints."""
