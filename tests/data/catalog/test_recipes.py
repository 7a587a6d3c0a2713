"""Raw files in the form that their origins offer, made from the files that are here."""

import gzip
import itertools
import lzma
import tarfile
import zipfile

import numpy as np
import pytest

from askance.data.catalog import CATALOG, recipes
from askance.errors import FileUnreadable
from askance.sparse import rows_of

pytestmark = pytest.mark.usefixtures("compiled")


@pytest.fixture
def raw(raw_files):
    """Give the first lines of a set's file, unpacked."""

    def unpacked(name, lines=3000):
        with lzma.open(raw_files / name / CATALOG[name].files[0].name) as stream:
            return b"".join(itertools.islice(stream, lines))

    return unpacked


def check(name, content, path, recipe=None):
    """Compare a file of the origin's form with the same rows in the form that is here."""
    here = path.with_name("here")
    here.write_bytes(content)
    ours, theirs = CATALOG[name].recipe([here]), (recipe or CATALOG[name].recipe)([path])
    assert len(ours) > 2000
    assert ours.n_features == theirs.n_features
    for part in ("indptr", "indices", "data"):
        assert np.array_equal(getattr(ours.csr, part), getattr(theirs.csr, part))
    assert np.array_equal(ours.labels, theirs.labels)


def test_bank_inside_its_zip(raw, tmp_path):
    with zipfile.ZipFile(tmp_path / "bank.zip", "w") as archive:
        archive.writestr("bank.csv", "a;b\n1;2\n")
        archive.writestr("bank-full.csv", raw("bank"))
    check("bank", raw("bank"), tmp_path / "bank.zip")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme", "nothing")
    with pytest.raises(FileUnreadable, match=r"other\.zip holds no file bank-full\.csv"):
        recipes.bank([tmp_path / "other.zip"])


def test_bio_inside_its_tar_with_tabs(raw, tmp_path):
    content = raw("bio").partition(b"\n")[2].replace(b",", b"\t")
    (tmp_path / "bio_train.dat").write_bytes(content)
    with tarfile.open(tmp_path / "kdd.tar", "w") as archive:
        archive.add(tmp_path / "bio_train.dat", "data/bio_train.dat")
    check("bio", raw("bio"), tmp_path / "kdd.tar")


def test_activity_with_semicolons_decimal_commas_and_the_broken_row(raw, tmp_path):
    lines = raw("activity").replace(b",", b";").replace(b".", b",").splitlines()
    *fields, last, label = lines[1000].split(b";")
    lines[1000] = b";".join([*fields, last + b"20-11-2011 04:50:23.713", label])
    with zipfile.ZipFile(tmp_path / "har.zip", "w") as archive:
        archive.writestr("dataset-har.csv", b"\n".join(lines))
    check("activity", raw("activity"), tmp_path / "har.zip", recipes.activity_origin)


def test_shuttle_as_arff_with_the_test_part_behind_it(raw, tmp_path):
    rows = raw("shuttle", 43_500).strip()
    head = b"@relation shuttle\n@attribute A1 integer\n@DATA\n"
    (tmp_path / "shuttle.arff").write_bytes(head + rows + b"\n1,2,3,4,5,6,7,8,9,1\n")
    check("shuttle", rows, tmp_path / "shuttle.arff")


def test_covtype_and_skin_without_headers(raw, tmp_path):
    (tmp_path / "covtype.data").write_bytes(raw("covtype").partition(b"\n")[2])
    check("covtype", raw("covtype"), tmp_path / "covtype.data")
    (tmp_path / "skin.txt").write_bytes(raw("skin").partition(b"\n")[2])
    check("skin", raw("skin"), tmp_path / "skin.txt")


def test_the_whole_rcv1_takes_labels_from_the_topics(tmp_path):
    """Documents carry numbers; a list of topics says which are CCAT."""
    for i in range(4):
        lines = f"{10 + i}  5:0.5 9:0.25\n{20 + i}  7:1.0\n".encode()
        (tmp_path / f"part{i}").write_bytes(gzip.compress(lines))
    topics = "".join(f"CCAT {n} 1\nGCAT {n} 1\n" for n in (10, 13, 22)) + "GCAT 11 1\n"
    (tmp_path / "topics").write_bytes(topics.encode())
    data = recipes.rcv1([*(tmp_path / f"part{i}" for i in range(4)), tmp_path / "topics"])
    assert data.labels.tolist() == [1, -1, -1, -1, -1, 1, 1, -1]
    assert data.n_features == 3
    assert [r.indices.tolist() for r in rows_of(data.csr)] == [[0, 2], [1]] * 4
    assert np.allclose(data.csr.data, [0.5, 0.25, 1.0] * 4)
