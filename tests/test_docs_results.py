"""What ``docs/choosing.md`` says of the results is made from the results."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import study_results

import askance
from askance.data.catalog import CATALOG
from askance.presets import SUGGESTED
from askance.study.metrics import auc_gain, auc_gain_per_data, halves, interval
from askance.study.results import Results
from askance.study.summary import Gain, label_of, summary

PAGE = (Path(__file__).parent.parent / "docs/choosing.md").read_text()


def test_what_is_committed_stays_small():
    folder = Path(study_results.FOLDER).parent
    committed = [p for kind in ("*.parquet", "*.svg", "*.md", "*.toml") for p in folder.rglob(kind)]
    assert 0 < sum(path.stat().st_size for path in committed) < 20_000_000
    ignored = (folder.parents[1] / ".gitignore").read_text().split()
    assert "/docs/results/*/report/index.html" in ignored
    assert "/docs/results/*/report/*.png" in ignored


@pytest.fixture(scope="module")
def every() -> Results:
    """The committed results."""
    found = study_results.load()
    assert len(found.curves) >= 10
    return found


@pytest.fixture(scope="module")
def results(every) -> Results:
    """The same on two data sets, for speed; the pages are built from all."""
    return Results(every.study, every.curves[:2], every.partial)


def test_the_page_has_no_figure_of_its_own():
    assert "```{study-results}" in PAGE
    assert not re.search(r"\d%|\d\.\d", PAGE)


def test_the_advice_follows_the_results(results):
    text = study_results.markdown(results)
    gains = summary(results)
    values = {name: found["fixed"].halves.mean() for name, found in gains.items()}
    best = max(values, key=values.get)
    weighted = max(study_results.WEIGHTED, key=values.get)
    assert f"**The least error for the labels:** `{best}`, which gains {values[best]:.1%}" in text
    assert f"the whole stream, `{weighted}` gains {values[weighted]:.1%}" in text
    assert f"best learning rate gains {values['passive']:.1%}" in text
    more = [f"`{name}`" for name in gains if values[name] > values["passive"]]
    assert f"More on average: {', '.join(more) or 'none'}." in text
    rows = re.findall(r"^\| `(\w+)` \| (.+?)% ", text, re.MULTILINE)
    assert sorted(name for name, _ in rows) == sorted(askance.ALGORITHMS)
    shown = [float(gain) for _, gain in rows]
    assert shown == sorted(shown, reverse=True)


def test_the_settings_shown_can_be_built(results):
    rows = re.findall(r"^\| `(\w+)` .*\| (`.+`) \|$", study_results.markdown(results), re.MULTILINE)
    assert len(rows) == len(askance.ALGORITHMS)
    for name, settings in rows:
        pairs = (pair.split("=") for pair in re.findall(r"`(.+?)`", settings))
        given = {key: int(value) if key == "cover_size" else float(value) for key, value in pairs}
        askance.make_learner(name, n_features=2, **given)


@pytest.mark.parametrize("name", askance.ALGORITHMS)
def test_what_is_suggested_gains_almost_as_much_as_the_best_setting(name, every):
    """Within one part in a hundred: results that are added move the best, and seldom by more."""
    gains = every.gains(name)
    contestant = next(c for c in every.study.contestants if c.name == name)
    chosen = SUGGESTED[name] | ({"cover_size": 12} if name == "online_active_cover" else {})
    (place,) = [
        i for i, s in enumerate(contestant.settings) if chosen.items() <= json.loads(s).items()
    ]
    assert auc_gain([gain[:, [place]] for gain in gains]) > auc_gain(gains) - 0.01


def test_shares_compare_resample_by_resample():
    """Intervals that overlap say little where all are measured on the same data sets."""
    draws = {"a": [0.1, 0.5, 0.9, 0.2], "b": [0.0, 0.4, 0.8, 0.3], "c": [0.2, 0.0, 0.0, 0.0]}
    gains = {
        name: {"fixed": Gain(0.0, 0.0, None, *(np.roll(values, k) * (k + 1) for k in range(3)))}
        for name, values in draws.items()
    }
    assert [study_results.lead(gains, name).kept for name in "abc"] == [0.5, 0.25, 0.25]
    assert study_results.lead(gains, "a", ("a", "b")).kept == 0.75


def test_a_lead_has_three_shares():
    level = np.zeros(4)
    ahead = (np.array(values) for values in ([-1, -1, -1, 1], [-1, -1, 1, 1], [-1, 1, 1, 1]))
    gains = {
        "a": {"fixed": Gain(0.0, 0.0, None, *ahead)},
        "b": {"fixed": Gain(0.0, 0.0, None, level, level, level)},
    }
    assert study_results.lead(gains, "a") == study_results.Lead(halves=0.75, kept=0.25, anew=0.5)


def test_a_leader_that_chance_may_have_made_is_not_called_best(results):
    """On two data sets passive learning, IWAL0 and IWAL1 cannot be told from each other."""
    assert "the results do not say which is best" in study_results.markdown(results)


REPORT = (Path(study_results.FOLDER) / "report/summary.md").read_text()


def test_the_box_of_the_report_names_three_sets_only():
    (box,) = re.findall(r"^\*\*This report is incomplete\. (.+)\*\*$", REPORT, re.MULTILINE)
    assert {name for name in CATALOG if name in box} == {"maptaskcoref", "rcv1", "vehv2binary"}
    assert "27,613 of the paper's 781,265 documents" in box
    assert "4,999 rows" in box
    assert "label that we fitted" in box


def test_the_report_is_of_the_results(every):
    """Figures that take no resamples, and those on other halves: a stale report has others."""
    for name in askance.ALGORITHMS:
        gains = every.gains(name)
        for measure in (auc_gain, auc_gain_per_data):
            assert f"| {label_of(name)} | {measure(gains):.4f} |" in REPORT
        draws = halves(gains)
        low, high = interval(draws)
        told = f"| {auc_gain(gains):.4f} | {draws.mean():.4f} | {low:.4f} | {high:.4f} |"
        assert f"| {label_of(name)} {told}" in REPORT
