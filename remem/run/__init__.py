"""The loop: histories, questions, records, resume, runners; no tables and no drawing."""
