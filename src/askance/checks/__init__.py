"""Contract suites that anyone can run on their own implementations."""
