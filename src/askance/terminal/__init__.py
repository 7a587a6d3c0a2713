"""A person at a terminal: keys, pages, and what of a stranger's text may show."""
