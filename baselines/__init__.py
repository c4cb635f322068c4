"""The systems that are compared with REMem: each in its own modules, without REMem itself."""
