"""Measurements for `make bench`; they are not in the wheel."""
