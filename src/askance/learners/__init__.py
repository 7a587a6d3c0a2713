"""The algorithms of the paper; each is handed its oracles."""
