"""Any file that a user has, as records, rows and labels: the one intake."""
