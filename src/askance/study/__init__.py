"""Experiments over data sets, permutations, learners and grids of settings."""
