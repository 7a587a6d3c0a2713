"""Figures to play with, by Bokeh: choose what is shown, switch curves on and off, read values.

Each is one plot whose curves a menu replaces, so that it also fits a phone.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from bokeh.embed import json_item
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, CustomJS, DataRange1d, FixedTicker, HoverTool
from bokeh.models.annotations import Legend, LegendItem, Span
from bokeh.models.widgets import Select
from bokeh.plotting import figure
from bokeh.resources import Resources

from askance.study import metrics
from askance.study.figures import style_of
from askance.study.results import Results
from askance.study.summary import Choice, errors_of, gain_of, label_of, names_of
from askance.types import Floats

__all__ = ["error_explorer", "gain_explorer", "library"]

Curve = dict[str, list[float]]
"""Heights ``y`` with ``low`` and ``high``, the ends of a band."""

_MARKERS = {
    "o": "circle", "s": "square", "^": "triangle", "D": "diamond", "v": "inverted_triangle",
    "P": "plus", "X": "x",
}  # fmt: skip
"""Matplotlib's names of markers, and Bokeh's."""

_DASHES = {"-": "solid", "--": "dashed", "-.": "dashdot", ":": "dotted"}

_PHONE = 46
"""Characters of a legend that fit side by side on a phone."""

_CHOOSE = """
const key = menus.map(menu => menu.value).join("|");
for (const [name, source] of Object.entries(sources))
  source.data = {...source.data, ...views[key][name]};
"""


def library() -> str:
    """Bokeh's scripts, to be put into a page: nothing is fetched."""
    scripts = Resources(mode="inline", components=["bokeh", "bokeh-widgets"])
    return scripts.render_js()


def gain_explorer(
    results: Results, choices: Mapping[Choice, str], divisors: Mapping[str, int | None]
) -> Any:
    """Relative gain against labels: choose settings, divisor and statistic."""
    middle, low, high = (metrics.quartile(q) for q in (0.5, 0.25, 0.75))
    shown = {
        "median over permutations": (middle, middle, middle),
        "median and quartiles": (middle, low, high),
        "the first permutation": (metrics.first, metrics.first, metrics.first),
    }
    names = names_of(results.study)
    views = {
        f"{title}|{below}|{kind}": {
            name: _curve(*(gain_of(results, name, choice, place, s) for s in statistics))
            for name in names
        }
        for choice, title in choices.items()
        for below, place in divisors.items()
        for kind, statistics in shown.items()
    }
    menus = {
        "Settings": list(choices.values()),
        "Divided by the base's error": list(divisors),
        "Shown": list(shown),
    }
    return _explorer(results.study.budgets, menus, views, "relative gain in test error")


def error_explorer(results: Results, choices: Mapping[Choice, str]) -> Any:
    """Test error against labels: choose a data set and settings."""
    names = names_of(results.study)
    views: dict[str, dict[str, Curve]] = {}
    for choice, title in choices.items():
        errors = {name: errors_of(results, name, choice) for name in names}
        for d, curves in enumerate(results.curves):
            views[f"{curves.dataset}|{title}"] = {
                name: _curve(*np.quantile(errors[name][d], [0.5, 0.25, 0.75], axis=0))
                for name in names
            }
    menus = {
        "Data set": [curves.dataset for curves in results.curves],
        "Settings": list(choices.values()),
    }
    return _explorer(results.study.budgets, menus, views, "test error, median and quartiles")


def _curve(middle: Floats, low: Floats, high: Floats) -> Curve:
    heights = {"y": middle, "low": low, "high": high}
    return {key: np.round(values, 5).tolist() for key, values in heights.items()}


def _explorer(
    budgets: Sequence[int],
    menus: dict[str, list[str]],
    views: dict[str, dict[str, Curve]],
    title: str,
) -> Any:
    """A plot of one of the views, and menus that say which: their values are its key."""
    chosen = views["|".join(options[0] for options in menus.values())]
    sources = {
        name: ColumnDataSource({"x": list(budgets), **curve}) for name, curve in chosen.items()
    }
    selects = [_menu(name, options) for name, options in menus.items()]
    callback = CustomJS(args={"menus": selects, "sources": sources, "views": views}, code=_CHOOSE)
    for select in selects:
        select.js_on_change("value", callback)
    plot = _plot(budgets, title)
    legend = [_draw(plot, name, place, source) for place, (name, source) in
              enumerate(sources.items())]  # fmt: skip
    longest = max(len(label_of(name)) for name in sources)
    plot.add_layout(_legend(legend, columns=max(1, _PHONE // (4 + longest))), "below")
    line = Span(location=0, dimension="width", line_color="black", line_width=0.8)
    plot.add_layout(line)
    boxes: Any = row(*selects, sizing_mode="stretch_width", styles={"flex-wrap": "wrap"})
    return json_item(column(boxes, plot, sizing_mode="stretch_width"))


def _menu(name: str, options: Sequence[str]) -> Select:
    values: list[Any] = list(options)
    return Select(
        title=name, options=values, value=values[0], min_width=210, sizing_mode="stretch_width"
    )


def _plot(budgets: Sequence[int], title: str) -> Any:
    plot = figure(
        height=460,
        sizing_mode="stretch_width",
        x_axis_type="log",
        # What is switched off needs no room.
        y_range=DataRange1d(only_visible=True),
        tools="",
        toolbar_location=None,
    )
    plot.xaxis.ticker = FixedTicker(ticks=list(budgets[::2]))
    plot.xaxis.major_label_overrides = {b: str(b) for b in budgets}
    plot.xaxis.axis_label, plot.yaxis.axis_label = "labels", title
    plot.grid.grid_line_alpha = 0.6
    return plot


def _draw(plot: Any, name: str, place: int, source: ColumnDataSource) -> LegendItem:
    """A curve with its band and its values under the pointer."""
    style = style_of(name, place)
    band = plot.varea("x", "low", "high", source=source, color=style.color, alpha=0.15)
    line = plot.line("x", "y", source=source, color=style.color, line_width=2,
                     line_dash=_DASHES[style.dash])  # fmt: skip
    dots = plot.scatter("x", "y", source=source, color=style.color, size=8,
                        marker=_MARKERS[style.marker])  # fmt: skip
    tips = [(label_of(name), "@y{0.0000}"), ("labels", "@x")]
    plot.add_tools(HoverTool(renderers=[dots], tooltips=tips, visible=False))
    return LegendItem(label=label_of(name), renderers=[line, dots, band])


def _legend(items: list[LegendItem], columns: int) -> Legend:
    return Legend(
        items=items, click_policy="hide", orientation="horizontal", ncols=columns,
        border_line_color=None, location="center",
        title="Click a name to switch its curve off and on", title_text_font_style="normal",
    )  # fmt: skip
