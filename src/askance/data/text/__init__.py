"""LIBSVM and VW text, compiled."""
