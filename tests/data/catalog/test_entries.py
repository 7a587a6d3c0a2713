import re

import pytest

from askance.data.catalog import load, printed
from askance.data.catalog.entries import CATALOG
from askance.errors import DatasetUnavailable


def test_the_catalog_has_the_papers_table(raw_files):
    tex = (raw_files.parent / "paper" / "active-cover.tex").read_text()
    table = tex[tex.index("tbl:datasets") : tex.index("\\end{table}", tex.index("tbl:datasets"))]
    cells = [[c.strip() for c in line.split("&")] for line in table.splitlines()]
    rows = {c[0]: (*c[1:4], c[4].rstrip("\\ ")) for c in cells if len(c) == 5 and c[1].isdigit()}
    assert rows == {name: printed(entry.paper) for name, entry in CATALOG.items()}


def test_three_sets_are_special_and_say_so():
    special = {name: entry.special for name, entry in CATALOG.items() if entry.special}
    assert set(special) == {"rcv1", "vehv2binary", "maptaskcoref"}
    assert "27,613" in special["rcv1"]
    assert "label" in special["vehv2binary"]
    assert all("untried" in special[name] for name in ("rcv1", "vehv2binary"))
    with pytest.raises(DatasetUnavailable, match="no public source is known"):
        load("maptaskcoref")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("20news", "apparently.*grouping is a guess"),
        ("letter", "choice"),
        ("ijcnn1", "choice"),
        ("adult", "apparently"),
        ("covtype", "apparently"),
    ],
)
def test_what_was_inferred_or_fitted_is_said_to_be(name, said):
    assert re.search(said, CATALOG[name].note)


def test_only_bytes_that_were_seen_have_a_checksum():
    for entry in CATALOG.values():
        assert all(re.fullmatch("[0-9a-f]{64}", file.sha256 or "") for file in entry.files)
        assert all(file.sha256 is None and file.url for file in entry.origin)
        assert not entry.verified


def test_every_address_is_encrypted():
    urls = [file.url for entry in CATALOG.values() for file in entry.origin]
    assert len(urls) > 20
    assert all(url.startswith("https://") for url in urls)
