"""REMem: the memory graph, its extractors, tools, planners and agent loop."""
