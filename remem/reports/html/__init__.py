"""HTML pages that open from disk: reports of runs, tables, differences and sweeps."""
