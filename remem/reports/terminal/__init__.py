"""What commands print: tables and progress for people, JSON for programs."""
