"""askance: learn a binary classifier from a stream, asking for few labels."""

__version__ = "0.1.0"
