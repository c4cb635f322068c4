"""The main loop of a run, with its records, resuming and runners; no tables and no drawing."""
