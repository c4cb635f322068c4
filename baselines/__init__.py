"""The systems that are compared with REMem: one module per system, and none of REMem itself."""
