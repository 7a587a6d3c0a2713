import numpy as np
import pytest

from askance.data.splits import coins, permutation
from askance.errors import BadRecord, DatasetUnavailable, InvalidParameter
from askance.study.design import Origin, canonical
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
    row = data.row(5)
    dense = np.zeros(64)
    dense[row.indices] = row.values
    assert np.array_equal(dense, pixels[5])
    assert np.array_equal(data.labels, np.where(digits % 2 == 1, 1, -1))
    assert load_origin(Origin("embedded", "breast_cancer")).dimensions.n == len(
        load_breast_cancer().data
    )


def test_a_split_is_the_permutation_with_its_coins():
    data = load_origin(DIGITS)
    train, test, features = split(DIGITS, 2)
    order = permutation("digits", 2, len(data))
    assert features == 64
    assert len(train.labels) == len(data) * 4 // 5
    assert np.array_equal(np.concatenate([train.labels, test.labels]), data.labels[order])
    assert np.array_equal(train.coins, coins("digits", 2, len(train.labels)))
    row, start = data.row(int(order[7])), train.indptr[7]
    assert np.array_equal(train.indices[start : train.indptr[8]], row.indices)
    assert np.array_equal(train.values[start : train.indptr[8]], row.values)


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
        fingerprint(Origin("file", "none", canonical({"file": "none.csv"})))
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
