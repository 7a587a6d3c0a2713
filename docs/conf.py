"""Configuration of the documentation, built by `make docs`."""

import askance

project = "askance"
author = "The askance developers"
copyright = "2026, The askance developers"
version = release = askance.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"

html_theme = "furo"
html_title = f"askance {version}"

# Re-exported names and the standard library, whose pages are not built here.
nitpick_ignore = [
    ("py:func", "askance.make_learner"),
    ("py:func", "askance.as_row"),
    ("py:mod", "math"),
    ("py:class", "numpy.ndarray"),
    ("py:class", "numpy.dtype"),
    ("py:class", "numpy.integer"),
    ("py:class", "numpy.floating"),
]
