"""The colours and markers of all curves, told apart by every reader, on screen and in grey."""

__all__ = ["COLOURS", "GREY", "MARKERS"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
"""Okabe and Ito's palette, which colour-blind readers tell apart, without its pale yellow."""

GREY = "#4D4D4D"
"""For what the others are measured against."""

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
"""As many as there are colours."""
