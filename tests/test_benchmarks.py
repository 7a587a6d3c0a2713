"""What the benchmarks compute, apart from timings, on data made for the tests."""

import itertools
import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks import classes, labels, pools
from benchmarks.ceiling import ceilings, run_ceilings
from benchmarks.run_times import Taken, read_times, write_times
from benchmarks.table import Circumstances, Ratio, Section, document, renewed
from sklearn.naive_bayes import GaussianNB

from askance.oracles.estimator import EstimatorOracle
from askance.sparse import from_dense
from askance.study.blocks import markdown
from askance.study.design import Cell, read_study
from askance.study.store import Outcome, Store, export_results
from askance.theory.report import load_result
from askance.types import ResultRow

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def real_data() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "benchmarks" / "real_data.py"))


def test_both_curves_of_real_data_learn(real_data: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    y = rng.choice([-1, 1], size=200)
    X = from_dense(rng.normal(size=(200, 3)) + 1.5 * y[:, None])
    trial = real_data["Trial"](X[:140], y[:140], rng.random(140), X[140:], y[140:])
    oracle = EstimatorOracle(GaussianNB(), n_features=3, dense=True)
    passive = real_data["passive_curve"](trial, oracle)
    assert [point.labels for point in passive] == [3, 6, 12, 24, 48, 96, 140]
    # A classifier that knows nothing has 0.5, the best one 0.005.
    assert passive[-1].error < 0.2
    active = real_data["active_curve"](trial, oracle, c0=1.0, audit=2)
    assert active.points[-1].error < 0.2
    assert active.points[-1].labels == sum(e.queries for e in active.epochs) < 110
    assert all(audit.points == 2 for audit in active.audits)
    one = real_data["TrialCurves"]("blobs", "bayes", 1.0, passive, active)
    two = [one, one._replace(active=active._replace(audits=[]))]
    result = real_data["summarise_real"](two)
    line = result.table[0]
    assert line.permutations == 2
    assert line.error == active.points[-1].error
    assert line.passive_labels >= line.labels
    assert result.more["audits"][0].points == 2 * len(active.audits)
    committed = load_result(ROOT / "docs" / "theory" / "real_data_logistic_regression.json")
    found = result.state()
    assert list(found) == list(committed)
    for key in ("table", "audits"):
        assert list(found[key][0]) == list(committed[key][0])
    assert list(found["figure"]["panels"][0]) == list(committed["figure"]["panels"][0])
    assert found["figure"]["panels"][0]["passive"]["labels"] == [3, 6, 12, 24, 48, 96, 140]


# ------------------------------------------------------------------ what a label budget buys


def test_the_halves_of_the_data_sets_are_those_of_the_studies() -> None:
    sets = {*labels.CHOSEN_ON, *labels.HELD_OUT}
    assert len(sets) == len(labels.CHOSEN_ON) + len(labels.HELD_OUT)
    for name, folder in labels.STUDIES.items():
        study = read_study(ROOT / "studies" / f"{name}.toml")
        assert {origin.name for origin in study.origins} == sets
        assert study.results is not None
        assert study.results.resolve() == folder.resolve()
    names = [one.name for one in read_study(ROOT / "studies/labels.toml").contestants]
    assert {labels.BASE, labels.SAME, labels.AUTO} <= set(names)


def test_less_error_is_over_the_permutations_that_both_have() -> None:
    runs = {
        ("adult", "auto", 30): {1: 0.1, 2: 0.3},
        ("adult", "passive", 30): {1: 0.4, 3: 0.9},
        ("bank", "auto", 30): {1: 0.3},
        ("bank", "passive", 30): {1: 0.2},
        # Where passive learning makes no mistake, there is no such thing as less error.
        ("skin", "auto", 30): {1: 0.3},
        ("skin", "passive", 30): {1: 0.0},
    }
    assert labels.less(runs, "adult", "auto", "passive", 30) == pytest.approx(0.75)
    assert labels.less(runs, "adult", "auto", "passive", 100) is None
    mean = labels.mean_less(runs, labels.GROUPS["All sets"], "auto", "passive", 30)
    assert mean == (pytest.approx((0.75 - 0.5) / 2), 2)
    assert labels.shared(runs, ["auto", "passive"], 30) == [("adult", 1), ("bank", 1), ("skin", 1)]


def test_worse_is_beyond_the_interval_over_permutations() -> None:
    theirs = [0.20, 0.20, 0.20, 0.20]
    assert labels.is_worse([0.22, 0.221, 0.219, 0.22], theirs) is True
    assert labels.is_worse([0.208, 0.209, 0.207, 0.208], theirs) is False
    assert labels.is_worse([0.15, 0.32, 0.16, 0.31], theirs) is False
    assert labels.is_worse([0.4], theirs[:1]) is None


def test_the_page_says_what_was_run_and_what_was_not(tmp_path: Path) -> None:
    study = read_study(ROOT / "studies/labels.toml")
    runs: labels.Runs = {}
    for budget in study.budgets:
        runs["adult", "passive", budget] = {1: 0.4, 2: 0.4}
        runs["adult", labels.SAME, budget] = {1: 0.2, 2: 0.2}
        runs["adult", "auto", budget] = {1: 0.3, 2: 0.3}
        runs["adult", labels.PEER, budget] = {1: 0.25}
    ablation = {("adult", "uniform share 0.02", 300): {1: 0.1, 2: 0.2, 3: 0.9}}
    runs["adult", "passive", 300] = {1: 0.4, 2: 0.4, 3: 0.1}
    taken = [Taken("adult", "auto", 30, 2.5), Taken("bank", "auto", 30, 3.5)]
    text = markdown(list(labels.page(runs, ablation, {"adult": 0.16}, taken)))
    assert "1 data set; of auto 2 to 2 of 5 permutations." in text
    assert "No run of 20news, abalone, bio" in text
    assert "modAL, margin sampling has no run yet." in text
    assert text.count("| auto | +25% (1) | +25% (1) | +25% (1) | +25% (1) |") == 2
    assert "| adult | 1,000 | 50% | yes |" in text
    assert re.search(r"\| adult \| 40.0 / 20.0 / 25.0 / 30.0 \|.*\| 16.0 \|", text)
    assert "| auto | yes | 30.0 (1) |" in text
    assert f"| {labels.PEER} | no | 25.0 (1) |" in text
    assert "| auto | 3.0 |  |  |  |" in text
    assert labels.ROOM not in text
    assert "| uniform share 0.02 |  | +62% / +25% (1) |" in text
    labels.picture(runs, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["errors.png", "errors.svg"]
    drawn = (tmp_path / "errors.svg").read_text()
    assert "scikit-activeml" in drawn
    assert "1 permutation." in drawn


def test_sets_with_most_room_are_those_where_all_labels_would_help_most() -> None:
    """By hand: passive learning has 40% everywhere, and all labels have less and less."""
    sets = labels.GROUPS["All sets"]
    least = {data: 0.4 - 0.01 * i for i, data in enumerate(sets)}
    runs: labels.Runs = {
        (data, "passive", budget): {1: 0.3, 2: 0.5} for data in sets for budget in labels.ROOM_AT
    }
    assert labels.room(runs, sets[8], least) == pytest.approx(0.08 / 0.4)
    text = markdown(list(labels.page(runs, {}, least, [])))
    most = [data for data in reversed(sets) if data not in labels.TEXTS][:12]
    assert f"those with most: {', '.join(most)}." in text
    assert text.count(f"### {labels.ROOM}") == 1
    # What auto does changes nothing of it.
    runs |= {(data, "auto", 300): {1: 0.1 if data == sets[0] else 0.9} for data in sets}
    assert f"those with most: {', '.join(most)}." in markdown(
        list(labels.page(runs, {}, least, []))
    )


def test_what_all_labels_give_is_kept_and_read(tmp_path: Path) -> None:
    text = """
        permutations = 1
        examples = 500
        budgets = [30]
        [[data]]
        embedded = "digits"
        [[learners]]
        algorithm = "passive"
    """
    study, store = read_study("few.toml", text), Store(tmp_path / "store")
    with store.writing(study.text):
        assert [cell.dataset for cell in run_ceilings(study, store)] == ["digits"]
        assert list(run_ceilings(study, store)) == []
    export_results(store, tmp_path / "kept")
    assert 0 <= ceilings(tmp_path / "kept")["digits"] < 0.2


def test_times_are_kept_and_read(tmp_path: Path) -> None:
    taken = [Taken("adult", "auto", 30, 2.5), Taken("adult", labels.PEER, 30, 0.125)]
    write_times(tmp_path / "times.csv", taken)
    assert read_times(tmp_path / "times.csv") == taken
    assert read_times(tmp_path / "none.csv") == []


def test_what_is_committed_is_made_by_the_command() -> None:
    page = (labels.FOLDER / "report/summary.md").read_text()
    assert page == markdown(list(labels.page(*labels.read(), *labels.known())))
    assert {path.name for path in labels.FOLDER.glob("errors.*")} == {"errors.svg", "errors.png"}
    choosing = (ROOT / "docs/choosing.md").read_text()
    marks = re.findall(r':(?:start-after|end-before): "(.*)"', choosing)
    assert len(marks) == 2
    assert all(f"\n{mark}\n" in page for mark in marks)


# ------------------------------------------------------------------ many classes


def test_the_page_of_many_classes_by_hand(tmp_path: Path) -> None:
    """Two permutations of one set, one with costs, auto half as wrong as all others."""
    study, outcomes = read_study(classes.STUDY), []
    for (algorithm, setting), data, j in itertools.product(
        study.settings(), ("letter", "shuttle-costs"), (1, 2)
    ):
        loss = (0.2 if algorithm == "auto" else 0.4) + (0.1 if j == 2 else 0.0)
        asked = 900 if (algorithm, data) == ("coal", "letter") else 1000
        rows = tuple(
            ResultRow(budget, min(asked, budget), budget, loss, True) for budget in study.budgets
        )
        outcomes.append(Outcome(Cell(data, "x", j, algorithm, setting), rows, 1.0, "v1"))
    (tmp_path / "store").mkdir()
    store = Store(tmp_path / "store")
    store.add(outcomes)
    text = markdown(list(classes.page(classes.read(store.folder), tmp_path / "report")))
    assert "Permutations: letter 2, shuttle-costs 2." in text
    assert "No permutation is complete for shuttle, covtype, 20news, letter-costs" in text
    assert text.count("| auto | +44% (1) | +44% (1) | +44% (1) | +44% (1) |") == 2
    assert text.count("| passive | +0% (0) |") == 2
    assert (
        "| letter | 300 | 45.0 (7.1) | 45.0 (7.1) | 45.0 (7.1) | 45.0 (7.1) | 25.0 (7.1) |" in text
    )
    assert "| shuttle-costs | 30 | 450 (70.7) |" in text
    assert "| letter | 1,000 | 1,000 | 1,000 | 900 | 1,000 |" in text
    assert "| shuttle-costs | 1,000 | 1,000" not in text
    drawn = {path.name: path.read_text() for path in (tmp_path / "report").glob("*.svg")}
    assert sorted(drawn) == ["costs.svg", "errors.svg"]
    assert "test cost" in drawn["costs.svg"]
    assert "test cost" not in drawn["errors.svg"]


def test_what_is_committed_of_many_classes_is_made_by_the_command(tmp_path: Path) -> None:
    found = markdown(list(classes.page(classes.read(), tmp_path)))
    assert found == (classes.FOLDER / "report/summary.md").read_text()
    assert (classes.FOLDER / "report/errors.svg").is_file()
    assert (classes.FOLDER / "report/costs.svg").is_file()


# ------------------------------------------------------------------ peers


@pytest.fixture(scope="module")
def digits(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Store, list[Cell]]:
    text = """
        permutations = 1
        examples = 500
        budgets = [30, 60]
        [[data]]
        embedded = "digits"
        [[learners]]
        algorithm = "passive"
    """
    study, store = read_study("few.toml", text), Store(tmp_path_factory.mktemp("peers"))
    return study, store, list(pools.run_peers(study, list(pools.PEERS), store))


def test_every_peer_learns_from_as_many_labels_as_it_may(digits: Any) -> None:
    study, store, cells = digits
    assert [cell.algorithm for cell in cells] == list(pools.PEERS)
    runs = labels.gather(study, store.table())
    for name in pools.PEERS:
        # A guess has 0.5.
        assert runs["digits", name, 60][1] < 0.3
    kept = store.table().to_pylist()
    assert all(row["queries"] == row["budget"] and row["examples"] == 400 for row in kept)
    assert {row["code"].split()[0] for row in kept} == {"scikit-activeml", "modAL-python"}


def test_peers_go_on_where_they_were_stopped(digits: Any) -> None:
    study, store, _ = digits
    assert list(pools.run_peers(study, list(pools.PEERS), store)) == []


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_peers_ask_by_their_strategies() -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, size=(2000, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    near = {}
    for name, peer in pools.PEERS.items():
        _, asked = peer.fitted(X, y, 60, 0)
        assert len(set(asked.tolist())) == 60
        near[name] = np.mean(abs(X[asked, 0]))
    # Random examples are at 0.5 on average, uncertain ones where the classes meet.
    assert near.pop("scikit-activeml, random sampling") == pytest.approx(0.5, abs=0.1)
    assert max(near.values()) < 0.25


def test_a_peer_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pools.absent() == []
    monkeypatch.setitem(pools.PEERS, "nobody's", pools.Peer("no-such-package", 30, False, print))
    assert pools.absent() == ["nobody's was left out: no-such-package is not installed."]


@pytest.mark.usefixtures("small_trees")
def test_tables_of_estimates_go_between_their_marks(tmp_path: Path) -> None:
    estimates = runpy.run_path(str(ROOT / "benchmarks" / "estimates.py"))
    committed = (ROOT / "docs" / "how-good.md").read_text()
    page = tmp_path / "page.md"
    page.write_text(committed)
    estimates["main"](runs=2, labels=20, page=page)
    found = page.read_text()
    begin, end = (mark.strip() for mark in estimates["MARKS"])
    assert found.partition(begin)[0] == committed.partition(begin)[0]
    assert found.partition(end)[2] == committed.partition(end)[2]
    # The same rows, whose figures differ.
    first = [[line.split("|")[1:4] for line in text.splitlines()] for text in (found, committed)]
    assert [row for row in first[0] if "%" in "".join(row)] == [
        row for row in first[1] if "%" in "".join(row)
    ]


def test_samples_of_estimates_have_the_error_that_they_say() -> None:
    estimates = runpy.run_path(str(ROOT / "benchmarks" / "estimates.py"))
    for draw in estimates["SAMPLES"].values():
        for error in estimates["ERRORS"]:
            samples = [draw(error, np.random.default_rng(run)) for run in range(40)]
            sums = [np.sum(one.losses / one.P) / (one.positions[-1] + 1) for one in samples]
            spread = np.std(sums) / np.sqrt(len(sums))
            assert abs(np.mean(sums) - error) < 4 * spread
            assert all((one.floor <= one.P).all() for one in samples)
            assert all(len(one.P) >= max(estimates["LABELS"]) for one in samples)


# ------------------------------------------------------------------ the page of timings


def test_some_parts_of_the_page_are_measured_again() -> None:
    """The rest stays as it is, and the page says what is of which run."""
    quiet = Circumstances(0.1, [1.0], {"old": 5.0, "both": 7.0}, quick=False)
    ratios = [Ratio("one", 2.0, None, 1.5), Ratio("two", 3.0, 2.5, 2.0, "c0 = 8")]
    sections = [Section("One", "Text.", ["a", "b"], [["1", "2"]]), Section("Two", "Old.")]
    page = document(ratios, sections, quiet, "make bench")
    met = Circumstances(0.2, [1.1], {"both": 4.0}, quick=False)
    new = [Ratio("two", 4.0, 3.5, 2.0), Ratio("three", 9.0, None, 5.0)]
    again = [Section("Two", "New."), Section("Three", "More.")]
    found = renewed(page, new, again, met, "bench --renew")
    assert "| one | 2.0 |  | 1.5 | yes |  |\n| two | 4.0 | 3.5 | 2 | yes |  |\n" in found
    assert found.count("| three | 9.0 |  | 5 | yes |  |\n") == 1
    assert found.endswith("| 1 | 2 |\n\n## Two\n\nNew.\n\n## Three\n\nMore.\n")
    assert "Old." not in found
    assert "Measured again by `bench --renew` on " in found
    assert ": Two, Three. The load average was 0.2 before the run" in found
    assert str(quiet) in found
    # A second time changes nothing but the day.
    assert renewed(found, new, again, met, "bench --renew") == found
    with pytest.raises(ValueError, match="two"):
        renewed(page, [Ratio("two", 1.0, None, 2.0)], again, met, "bench --renew")
