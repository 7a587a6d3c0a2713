"""The service in a browser: pages, and what they are made of."""
