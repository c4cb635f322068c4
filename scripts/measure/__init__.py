"""Measurements for `make bench`, `make soak` and `make trust`; they are not in the wheel."""
