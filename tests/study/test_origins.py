import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from askance.data.reading.intake import Intake, Reading
from askance.data.splits import coins, permutation
from askance.errors import BadRecord, DatasetUnavailable, InvalidParameter
from askance.rehearsal.held import hold
from askance.sparse import row_at
from askance.study.design import Origin, read_study
from askance.study.origins import (
    absent,
    fingerprint,
    load_origin,
    present,
    split,
    weight,
    width,
)

DIGITS = Origin("embedded", "digits")


def test_embedded_sets_are_those_of_scikit_learn():
    from sklearn.datasets import load_breast_cancer, load_digits

    pixels, digits = load_digits(return_X_y=True)
    data = load_origin(DIGITS)
    row = row_at(data.csr, 5)
    dense = np.zeros(64)
    dense[row.indices] = row.values
    assert np.array_equal(dense, pixels[5])
    assert np.array_equal(data.labels, np.where(digits % 2 == 1, 1, -1))
    assert load_origin(Origin("embedded", "breast_cancer")).dimensions.n == len(
        load_breast_cancer().data
    )


def test_a_split_is_the_permutation_with_its_coins():
    data = load_origin(DIGITS)
    train, test, features, classes = split(DIGITS, 2)
    order = permutation("digits", 2, len(data))
    assert features == 64
    assert classes == {}
    assert len(train.labels) == len(data) * 4 // 5
    assert np.array_equal(np.concatenate([train.labels, test.labels]), data.labels[order])
    assert np.array_equal(train.coins, coins("digits", 2, len(train.labels)))
    row, start = row_at(data.csr, int(order[7])), train.indptr[7]
    assert np.array_equal(train.indices[start : train.indptr[8]], row.indices)
    assert np.array_equal(train.values[start : train.indptr[8]], row.values)


def test_a_study_may_take_the_first_examples_of_each_permutation():
    few = DIGITS._replace(most=100)
    train, test, *_ = split(few, 2)
    data = load_origin(DIGITS)
    order = permutation("digits", 2, len(data))[:100]
    assert np.array_equal(np.concatenate([train.labels, test.labels]), data.labels[order])
    assert len(train.labels) == 80
    assert np.array_equal(train.coins, coins("digits", 2, 80))
    assert fingerprint(few) != fingerprint(DIGITS)


def test_all_of_the_catalog_is_what_is_here(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    origins = (Origin("catalog", "all"), DIGITS)
    assert present(origins, tmp_path) == [DIGITS]
    assert len(absent(origins, tmp_path)) == 22


def test_own_files_are_read_and_fingerprinted(tiny, tmp_path):
    (origin,) = tiny.origins
    data = load_origin(origin)
    assert (data.name, len(data), data.n_features, width(origin)) == ("points", 60, 2, 2)
    before = fingerprint(origin)
    assert before == fingerprint(origin)
    assert weight(origin) == (tmp_path / "points.csv").stat().st_size
    with (tmp_path / "points.csv").open("a") as file:
        file.write("1,1,yes\n")
    assert fingerprint(origin) != before


def test_a_missing_label_is_named(tiny, tmp_path, refused):
    with (tmp_path / "points.csv").open("a") as file:
        file.write("1,1,\n")
    with refused(BadRecord):
        load_origin(tiny.origins[0])


def test_what_is_not_there_is_named(refused, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with refused(InvalidParameter, "iris"):
        present((Origin("embedded", "iris"),))
    with refused(DatasetUnavailable, "none.csv"):
        fingerprint(Origin("file", "none", Path("none.csv")))
    with refused(DatasetUnavailable, "titanic"):
        fingerprint(Origin("catalog", "titanic"), tmp_path)


def test_a_set_of_the_catalog_is_known_without_loading(tmp_path, monkeypatch):
    from askance.data.catalog.entries import CATALOG

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = CATALOG["titanic"].here
    assert source is not None
    for file in source.files:
        (tmp_path / "titanic").mkdir(exist_ok=True)
        (tmp_path / "titanic" / file.name).write_bytes(b"")
    (origin,) = present((Origin("catalog", "all"),), tmp_path)
    assert origin.name == "titanic"
    assert width(origin, tmp_path) == source.expected.d
    assert fingerprint(origin, tmp_path).startswith(f"{source.expected.n} ")
    assert weight(origin, tmp_path) == pytest.approx(source.expected.n * (source.expected.s + 40))


def test_a_study_reads_a_file_as_compare_does(tmp_path):
    """Text, categories, numbers, an id and a column to ignore: the same rows for both."""
    lines = ["id,title,town,price,junk,sold"]
    for i in range(40):
        title = f"word{i % 7} thing{i % 5} for sale number{i}"
        lines.append(f"r{i},{title},{'York' if i % 3 else 'Leeds'},{i * 1.5},x{i},{i % 2}")
    (tmp_path / "shop.csv").write_text("\n".join(lines) + "\n")
    options = {"label": "sold", "id": "id", "ignore": ["junk"], "bits": 12}
    table = "".join(f"{name} = {json.dumps(value)}\n" for name, value in options.items())
    learners = '[[learners]]\nalgorithm = "passive"\n'
    (tmp_path / "shop.toml").write_text(f'[[data]]\nfile = "shop.csv"\n{table}{learners}')
    (origin,) = read_study(tmp_path / "shop.toml").origins
    ours = load_origin(origin)
    theirs = hold(Intake(tmp_path / "shop.csv", Reading.from_options(options))).narrow()
    assert ours.csr.shape == theirs.csr.shape
    assert ours.csr.shape[1] > 40 + 7 + 5
    for part in ("indptr", "indices", "data"):
        assert getattr(ours.csr, part).tolist() == getattr(theirs.csr, part).tolist()
    assert ours.labels.tolist() == theirs.labels.tolist()


def test_how_a_file_is_read_is_part_of_its_fingerprint(tiny):
    (origin,) = tiny.origins
    other = origin._replace(reading=replace(origin.reading, strings=("a",)))
    assert fingerprint(other) != fingerprint(origin)
    assert width(other) > width(origin)


def test_a_fingerprint_stays_what_it_was(tmp_path):
    """Stores of earlier versions name their cells by it."""
    (tmp_path / "mine.csv").write_text("a,b,y\n1,x,0\n2,z,1\n")
    text = (
        '[[data]]\nfile = "mine.csv"\nlabel = "y"\npositive = 1\nstrings = "a"\nbits = 12\n'
        '[[learners]]\nalgorithm = "passive"\n'
    )
    off = text.replace("bits", "scale = false\nbits")
    for written in (off, off.replace("= 1\n", '= "1"\n')):
        (origin,) = read_study(tmp_path / "s.toml", written).origins
        assert fingerprint(origin) == "b28fa4d1450ed9b4"
    (scaled,) = read_study(tmp_path / "s.toml", text).origins
    assert fingerprint(scaled) == "a4ae08375473f73e"


def test_a_file_of_three_classes_has_codes_and_costs_of_the_rare(tmp_path):
    labels = ["b", "a", "c", "a", "b", "a"]
    file = tmp_path / "three.csv"
    file.write_text("x,y\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    plain = Origin("file", "three", file, Reading(label="y"))
    data = load_origin(plain)
    assert (data.n_classes, data.labels.tolist()) == (3, [1, 0, 2, 0, 1, 0])
    assert data.dimensions.r == 0.5
    assert split(plain, 1).classes == {"n_classes": 3}
    costly = plain._replace(costs=True)
    third = 1 / 3
    expected = [[0, third, third], [0.5, 0, 0.5], [1, 1, 0]]
    assert split(costly, 1).classes == {"n_classes": 3, "cost_matrix": expected}
    assert fingerprint(costly) != fingerprint(plain)
