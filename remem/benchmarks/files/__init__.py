"""The files of data sets and released prompts: download, checksums, audit."""
