"""Pictures: one palette, one style, error against labels."""
