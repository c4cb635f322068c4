"""Measurements of speed, memory and safety, for `make bench` and `make trust`."""
