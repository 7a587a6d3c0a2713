"""How the database came to its tables, one step a file; alembic walks them."""
