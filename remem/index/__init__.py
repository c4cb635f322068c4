"""Dense and lexical indexes, which find the items nearest to a vector or to words."""
