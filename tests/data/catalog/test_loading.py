"""The numbers of ``tbl:datasets``, set by set."""

import lzma
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from askance.data.catalog import CATALOG, find, load, printed
from askance.data.catalog.prepared import open_prepared
from askance.errors import DatasetUnavailable

WHOLE = [name for name, entry in CATALOG.items() if not entry.special]
LOST_A_LINE = {"20news", "bank", "a9a", "bio", "activity", "census", "covtype", "abalone"}
# What differs beside a lost line: the figure, and what our files give.
EXCEPTIONS = {
    "abalone": {"s": "7.99952"},
    "eeg-eye-state": {"s": "14"},
    "nomao": {"s": "82.2827"},
    "adult": {"s": "11.997"},
    "ijcnn1": {"r": "0.098"},
}


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_set_has_the_numbers_of_the_paper_or_a_known_exception(name, raw_files):
    found = dict(zip("nsdr", printed(load(name, raw_files).dimensions), strict=True))
    expected = dict(zip("nsdr", printed(CATALOG[name].paper), strict=True))
    if name in LOST_A_LINE:
        expected["n"] = str(int(expected["n"]) + 1)
    assert found == expected | EXCEPTIONS.get(name, {})
    explained = re.search(r"\b[nsdr]: ", CATALOG[name].note)
    assert bool(explained) == (name in LOST_A_LINE or name in EXCEPTIONS)


@pytest.mark.usefixtures("compiled")
def test_prepared_rows_are_fit_for_learning(raw_files):
    for name in ("titanic", "20news", "a9a", "nomao", "rcv1", "vehv2binary"):
        data = load(name, raw_files)
        csr = data.csr
        assert csr.indices.dtype == np.int32
        assert csr.data.dtype == np.float32
        assert data.labels.dtype == np.int8
        assert set(np.unique(data.labels).tolist()) == {-1, 1}
        assert np.isfinite(csr.data).all()
        assert csr.data.all()
        inside = np.ones(len(csr.indices), dtype=bool)
        inside[csr.indptr[:-1][csr.indptr[:-1] < len(inside)]] = False
        assert (np.diff(csr.indices)[inside[1:]] > 0).all()
        assert csr.indices.max() < data.n_features


def test_a_second_load_maps_the_same_pages(raw_files, own_cache):
    first = load("titanic", raw_files)
    second = load("titanic", raw_files)
    (folder,) = (own_cache / "prepared").iterdir()
    for array in (second.csr.data, second.csr.indices):
        assert isinstance(array.base.base, np.memmap)
        assert not array.flags.writeable
    assert np.array_equal(first.csr.data, second.csr.data)
    assert np.array_equal(open_prepared("titanic", folder).labels, first.labels)


def test_a_changed_file_is_noticed_and_nothing_is_kept_of_it(raw_files, own_cache, tmp_path):
    load("titanic", raw_files)
    home = tmp_path / "raw" / "titanic"
    home.mkdir(parents=True)
    content = bytearray((raw_files / "titanic" / "titanic.tab.xz").read_bytes())
    content[-1] ^= 1
    (home / "titanic.tab.xz").write_bytes(content)
    with pytest.raises(DatasetUnavailable, match=r"titanic\.tab\.xz is damaged: its SHA-256 is"):
        load("titanic", home.parent)
    assert len(list((own_cache / "prepared").iterdir())) == 1


@pytest.mark.usefixtures("compiled")
def test_files_as_their_origin_offers_them_go_through_the_same_recipe(
    raw_files, own_cache, tmp_path
):
    """Without the header line that some copies have; unpacked; under the origin's name."""
    for name, had_header in (("letter", True), ("mushroom", True), ("abalone", False)):
        entry = CATALOG[name]
        home = tmp_path / name
        home.mkdir()
        packed = home / entry.files[0].name
        shutil.copy(raw_files / name / entry.files[0].name, packed)
        lines = _unpacked(packed).splitlines(keepends=True)
        packed.unlink()
        (home / entry.origin[0].name).write_bytes(b"".join(lines[had_header:]))
        found = find(entry, tmp_path)
        assert found is not None
        assert found[0] == entry.download
        assert printed(load(name, tmp_path).dimensions) == printed(entry.ours or entry.paper)


def _unpacked(path: Path) -> bytes:
    return lzma.decompress(path.read_bytes())


def test_an_absent_or_unknown_set_is_said_in_one_sentence(tmp_path):
    with pytest.raises(DatasetUnavailable, match=r"titanic is not in .*askance data fetch"):
        load("titanic", tmp_path)
    with pytest.raises(DatasetUnavailable, match="no data set is called 'iris', the catalog has"):
        load("iris")
