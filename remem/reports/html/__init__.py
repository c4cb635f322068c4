"""Pages that open from disk: reports of runs and tables, differences, sweeps."""
