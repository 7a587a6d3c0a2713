"""Samples are read as they were written, and one sentence says what is wrong with others."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from askance.errors import BadRecord, InvalidParameter
from askance.evaluation.stored_sample import read_sample
from askance.exports import record_columns, write_model_sample, write_sample
from askance.live import ActiveLearner

OLD = "id,label,weight,probability,n,age\na,yes,1,1,3,39\nb,no,2,0.5,3,50\n"


@pytest.mark.parametrize("name", ["sample.csv", "sample.tsv", "sample.parquet"])
def test_a_sample_comes_back(here: Path, labelled: Any, name: str) -> None:
    live, bought, _ = labelled("margin", n=200)
    ids = [f"={one.id}" for one in bought]
    write_model_sample(name, live, ids=ids, columns=record_columns(bought))
    sample, held, places = read_sample(name), live.weighted_sample(), live.label_places()
    assert sample.ids == ids
    assert sample.labels == ["yes" if y > 0 else "no" for y in held.y]
    assert sample.weights.tolist() == held.weight.tolist()
    assert (sample.n, sample.algorithm, sample.floor) == (200, "margin", None)
    assert sample.classes == ["no", "yes"]
    assert sample.places is not None
    assert places is not None
    for one, other in zip(sample.places, places, strict=True):
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other
    jobs = sample.record_column("job", ["age", "job", "n"])
    assert jobs == [one.fields["job"] for one in bought]
    # The record's own n has an underscore in front in the table, and none here.
    sizes = sample.record_column("n", ["age", "job", "n"])
    assert sizes is not None
    assert [float(one) for one in sizes] == [one.fields["n"] for one in bought]
    assert sample.record_column("town", ["town"]) is None


def test_tables_of_earlier_versions_are_read(here: Path, labelled: Any, refused: Any) -> None:
    Path("old.csv").write_text(OLD)
    with refused(InvalidParameter, "old.csv does not say which algorithm has asked", "--algorithm"):
        read_sample("old.csv")
    old = read_sample("old.csv", "iwal1")
    assert (old.places, old.floor, old.algorithm) == (None, None, "iwal1")
    # What is a name of ours now was a column of the record then.
    Path("old.csv").write_text(OLD.replace("age", "floor"))
    assert read_sample("old.csv", "auto").record_column("floor", ["floor"]) == ["39", "50"]
    with refused(BadRecord, "asked by online_active_cover, which never asks about some"):
        read_sample("old.csv", "online_active_cover")
    # A model that an earlier version began does not know where its labels stood.
    live, bought, _ = labelled("iwal0", n=60)
    live._questions.places = None
    write_model_sample("s.csv", live, ids=[one.id for one in bought])
    found = read_sample("s.csv")
    assert (found.places, found.algorithm) == (None, "iwal0")


@pytest.mark.parametrize(
    ("name", "c0"), [("online_active_cover", 1.0), ("oracular_iwal0", 0.3), ("oracular_iwal1", 1.0)]
)
def test_samples_that_say_nothing_of_some_examples_are_refused(
    here: Path, labelled: Any, refused: Any, name: str, c0: float
) -> None:
    live, bought, _ = labelled(name, c0=c0)
    write_model_sample("s.csv", live, ids=[one.id for one in bought])
    with refused(BadRecord, f"s.csv was asked by {name}, which never asks about some examples"):
        read_sample("s.csv")
    # By any other name, its places tell.
    if name != "online_active_cover":
        forged = Path("s.csv").read_text().replace(name, "margin")
        Path("forged.csv").write_text(forged)
        with refused(BadRecord, "forged.csv was asked by margin, which never asks about some"):
            read_sample("forged.csv")
    with refused(BadRecord, "asked by several: iwal0"):
        read_sample("s.csv", "iwal0")


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (("", ""), ["s.csv is empty, a header line was expected"]),
        (("a,yes,1,1,3,39\nb,no,2,0.5,3,50\n", ""), ["s.csv holds no labels"]),
        (("n,age", "m,age"), ["is no weighted sample of askance", "no column 'n'", "its columns"]),
        (("weight", "w8"), ["no column 'weight'"]),
        (("0.5,3,50", "0.5,,50"), ["row 2", "the n NaN or nothing", "a whole number from 2"]),
        (("1,1,3,39", "1,1,1,39"), ["row 1", "the n '1'", "a whole number from 2"]),
        (("0.5,3,50", "0.5,3.5,50"), ["the n '3.5'"]),
        (("0.5,3,50", "0.5,4,50"), ["n of s.csv must be the same in each row, got 3 and 4"]),
        (("no,2,0.5", "no,0.5,2"), ["row 2", "the weight '0.5'", "at least 1"]),
        (("no,2,0.5", "no,nan,0.5"), ["the weight NaN or nothing", "finite"]),
        (("no,2,0.5", "no,inf,0"), ["the weight 'inf'", "finite"]),
        (("no,2,0.5", "no,two,0.5"), ["the weight 'two'"]),
        (("no,2,0.5", "no,3,0.5"), ["the weight 3 and the probability '0.5'", "one over the"]),
        (("b,no", "b,yes"), ["all 2 labels of s.csv are 'yes', labels of two classes"]),
        (("b,no", "b,"), ["row 2 of s.csv has no label"]),
        (("b,no", ",no"), ["row 2 of s.csv has no id"]),
    ],
)
def test_what_is_wrong_takes_one_sentence(
    here: Path, refused: Any, change: tuple[str, str], parts: list[str]
) -> None:
    text = OLD.replace(*change) if change[0] else ""
    assert text != OLD
    Path("s.csv").write_text(text)
    with refused(BadRecord, *parts):
        read_sample("s.csv", "passive")


@pytest.mark.parametrize(
    ("column", "row", "value", "parts"),
    [
        ("position", 3, 900, ["the position 900", "from 0 to 399"]),
        ("position", 3, 0, ["the position 0", "one after that of the row before"]),
        ("position", 3, None, ["the position NaN or nothing"]),
        ("least", 0, 1.5, ["the least 1.5", "from 0 to 1"]),
        ("least", 3, 0.0, ["asked by margin, which never asks about some"]),
        ("unanswered", 0, "0.5 0.5 0.5", ["as unanswered", "at most"]),
        ("unanswered", 5, "2.0", ["as unanswered"]),
        ("unanswered", 5, "x", ["as unanswered"]),
        ("floor", 0, 2.0, ["the floor 2.0"]),
        ("algorithm", 0, "auto", ["were asked by several: auto, margin"]),
    ],
)
def test_forged_places_take_one_sentence(
    margin_sample: ActiveLearner, refused: Any, column: str, row: int, value: Any, parts: list[str]
) -> None:
    import pyarrow as pa

    live = margin_sample
    write_model_sample("s.parquet", live)
    table = pq.read_table("s.parquet").to_pydict()
    table[column][row] = value
    pq.write_table(pa.table(table), "s.parquet")
    with refused(BadRecord, *parts):
        read_sample("s.parquet")
    del table["least"]
    pq.write_table(pa.table(table), "s.parquet")
    with refused(BadRecord):
        read_sample("s.parquet")


def test_other_files_are_no_samples(here: Path, refused: Any) -> None:
    Path("s.csv").write_text("a,b\n1,2\n")
    with refused(BadRecord, "is no weighted sample of askance", "its columns are a, b"):
        read_sample("s.csv")
    Path("s.vw").write_text("1 | a\n")
    with refused(InvalidParameter, "s.vw must be a table of CSV, TSV or Parquet, got vw"):
        read_sample("s.vw")
    ones = np.ones(2)
    write_sample(
        "own.csv", ids=["a", "b"], labels=["x", "y"], weights=ones, probabilities=ones, n=2
    )
    assert read_sample("own.csv", "passive").classes == ["x", "y"]
