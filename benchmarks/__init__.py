"""Timings of askance and of its peers, side by side: ``make bench``."""
