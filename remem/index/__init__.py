"""Dense and lexical indexes: vectors or words to the nearest items."""
