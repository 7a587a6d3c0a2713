"""The REST API over the session."""
