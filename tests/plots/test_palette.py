from itertools import combinations

from askance.plots.palette import COLOURS, GREY, MARKERS


def lightness(colour: str) -> float:
    """Relative luminance, as of a grey print."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_curves_differ_by_marker_where_colours_are_equally_light():
    assert len(set(COLOURS)) == len(set(MARKERS)) == len(COLOURS)
    close = [pair for pair in combinations(COLOURS, 2)
             if abs(lightness(pair[0]) - lightness(pair[1])) < 0.02]  # fmt: skip
    assert close, "else markers would not be needed"


def test_all_are_seen_on_white():
    # 3 to 1 is what WCAG asks of graphics; light blue and orange have 2.2, and a marker.
    for colour in (*COLOURS, GREY):
        assert 1.05 / (lightness(colour) + 0.05) > 2.0
