"""REMem: the memory graph, and its extractors, tools, planners and agent loop."""
