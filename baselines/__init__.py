"""The systems that REMem is compared with, each in its own modules."""
