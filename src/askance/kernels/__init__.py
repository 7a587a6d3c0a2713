"""Pure arithmetic on arrays and floats, compiled."""
