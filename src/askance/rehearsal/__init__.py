"""A labelled file, run as if its labels had to be bought: ``askance run``, ``askance compare``."""
