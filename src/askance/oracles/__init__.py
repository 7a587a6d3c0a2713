"""Ways to minimise weighted error."""
