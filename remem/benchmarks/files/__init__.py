"""The files of data sets and released prompts: download, sums, audit."""
