"""Turn answers that other projects published into runs, and check what was published with them."""
