"""Tables: compose rows, run them, lay them out."""
