"""Configuration of the documentation, built by `make docs`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "ext"))

import askance

project = "askance"
author = "The askance developers"
copyright = "2026, The askance developers"
version = release = askance.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "command_reference",
    "mathml",
    "study_results",
]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

autodoc_member_order = "bysource"
autodoc_typehints = "none"

html_math_renderer = "mathml"
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_title = f"askance {version}"

# Names that are re-exported, internal, or of libraries whose pages are not built here.
nitpick_ignore_regex = [
    (r"py:\w+", r"askance\.(make_learner|as_row|ActiveLearner|Question|ALGORITHMS)(\.\w+)?"),
    (r"py:\w+", r"askance\.simulate\.\w+\.T"),
    (r"py:\w+", r"ndarray|(math|numpy|scipy|sklearn|river|collections|pathlib)(\.\w+)*"),
]
