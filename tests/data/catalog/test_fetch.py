"""Downloads from a server on this machine: whole, broken off, absent, altered, and a full disk."""

import dataclasses
import hashlib
import http.server
import subprocess
import sys
import textwrap
import threading

import pytest

from askance.data.catalog import recipes
from askance.data.catalog.dataset import Dimensions
from askance.data.catalog.entries import CATALOG, Entry, File
from askance.data.catalog.fetch import fetch
from askance.errors import DatasetUnavailable

CONTENT = b"\n".join(
    b"%s,%d,2,3,4,5,6,7,%d" % (sex, i % 3, i) for i, sex in enumerate([b"M", b"F", b"I"] * 6)
)
STATS = Dimensions(18, 6 + 2 - 6 / 18, 8, 8 / 18)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/absent.data":
            self.send_error(404)
            return
        body = CONTENT.replace(b"M", b"F") if self.path == "/altered.data" else CONTENT
        announced = len(body) + (7 if self.path == "/truncated.data" else 0)
        self.send_response(200)
        self.send_header("Content-Length", str(announced))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def entry(url, *, sha256=None, stats=STATS):
    origin = (File("small.data", url, sha256),)
    return Entry(name="small", paper=stats, licence="none", recipe=recipes.abalone, origin=origin)


def kept(cache):
    return [path for path in cache.rglob("*") if path.is_file()]


def test_a_whole_download_is_kept_prepared_and_not_repeated(server, own_cache):
    seen = []
    checked = entry(f"{server}/small.data", sha256=hashlib.sha256(CONTENT).hexdigest())
    folder = fetch(checked, progress=lambda *report: seen.append(report))
    assert folder == own_cache / "data" / "small"
    assert (folder / "small.data").read_bytes() == CONTENT
    assert seen[-1] == ("small.data", len(CONTENT), len(CONTENT))
    assert len(list((own_cache / "prepared").iterdir())) == 1
    gone = dataclasses.replace(checked, origin=(dataclasses.replace(checked.origin[0], url="x"),))
    assert fetch(gone) == folder


def test_an_address_without_checksum_is_accepted_if_the_numbers_come_out(server, own_cache):
    fetch(entry(f"{server}/small.data"))
    assert kept(own_cache / "data")


@pytest.mark.parametrize(
    ("path", "sha256", "sentence"),
    [
        ("truncated.data", None, r"truncated\.data broke off after [\d,]+ of [\d,]+ bytes$"),
        ("absent.data", None, r"absent\.data answered 404 Not Found$"),
        ("small.data", "0" * 64, r"small\.data has SHA-256 [0-9a-f]{64}, expected 0{64}$"),
    ],
)
def test_a_broken_download_is_one_sentence_and_leaves_nothing(
    server, own_cache, path, sha256, sentence
):
    with pytest.raises(DatasetUnavailable, match=sentence):
        fetch(entry(f"{server}/{path}", sha256=sha256))
    assert not kept(own_cache)


def test_wrong_content_behind_an_unverified_address_is_refused(server, own_cache):
    wrong = entry(f"{server}/altered.data", stats=STATS._replace(n=19))
    with pytest.raises(DatasetUnavailable, match=r"small is not as expected: n, s, d, r come out"):
        fetch(wrong)
    foreign = dataclasses.replace(wrong, recipe=recipes.census)
    with pytest.raises(DatasetUnavailable, match="small is not as expected"):
        fetch(foreign)
    assert not kept(own_cache)


def test_no_network_is_one_sentence(own_cache, monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with pytest.raises(DatasetUnavailable, match=r"could not be downloaded: .*refused"):
        fetch(entry("http://127.0.0.1:9/small.data"))
    assert not kept(own_cache)


@pytest.mark.parametrize(
    "limit", [100, 450, 650], ids=["raw file", "prepared indices", "end of prepared indices"]
)
def test_a_full_disk_is_one_sentence_and_leaves_nothing(server, own_cache, limit):
    """A file-size limit stands for a disk that is full."""
    program = f"""
        import resource
        from askance.data.catalog import recipes
        from askance.data.catalog.dataset import Dimensions
        from askance.data.catalog.entries import Entry, File
        from askance.data.catalog.fetch import fetch
        from askance.errors import DatasetUnavailable
        entry = Entry(name="small", paper=Dimensions(*{tuple(STATS)}), licence="none",
                      recipe=recipes.abalone, origin=(File("small.data", "{server}/small.data"),))
        resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
        try:
            fetch(entry)
        except DatasetUnavailable as error:
            print(error)
    """
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.endswith("could not be written: the disk is full\n")
    assert done.stdout.count("\n") == 1
    assert not kept(own_cache)


def test_a_set_that_is_here_is_not_downloaded(raw_files, own_cache):
    assert fetch(CATALOG["titanic"], raw_files) == raw_files / "titanic"
    assert not (own_cache / "data").exists()


def test_the_whole_set_is_preferred_to_the_part_that_a_data_folder_holds(
    server, own_cache, tmp_path
):
    """As for rcv1: a part in the data folder, the whole from its origin."""
    home = tmp_path / "raw" / "small"
    home.mkdir(parents=True)
    part = CONTENT[: CONTENT.index(b"\n", 150)]
    (home / "part.data").write_bytes(part)
    both = dataclasses.replace(
        entry(f"{server}/small.data"),
        files=(File("part.data", sha256=hashlib.sha256(part).hexdigest()),),
        special="a part only",
    )
    assert fetch(both, home.parent) == own_cache / "data" / "small"


def test_an_incomplete_folder_of_downloads_is_replaced(server, own_cache):
    folder = own_cache / "data" / "small"
    folder.mkdir(parents=True)
    (folder / "other").touch()
    fetch(entry(f"{server}/small.data"))
    assert [path.name for path in folder.iterdir()] == ["small.data"]


def test_a_damaged_download_is_replaced(server, own_cache, caplog):
    known = entry(f"{server}/small.data")
    file = fetch(known) / "small.data"
    file.write_bytes(CONTENT.replace(b"M", b"X"))
    gone = dataclasses.replace(known, origin=(File("small.data", f"{server}/absent.data"),))
    with pytest.raises(DatasetUnavailable, match="answered 404"):
        fetch(gone)
    assert file.exists()
    assert fetch(known) == file.parent
    assert file.read_bytes() == CONTENT
    sentence = f"sex is 'X', expected M, F or I: downloading it again into {file.parent}"
    assert caplog.messages == [f"small is not as expected: {sentence}"] * 2


def test_damaged_files_of_a_data_folder_are_left_alone(server, own_cache, tmp_path):
    file = tmp_path / "raw" / "small" / "small.data"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"damaged")
    with pytest.raises(DatasetUnavailable, match="small is not as expected"):
        fetch(entry(f"{server}/small.data"), tmp_path / "raw")
    assert file.read_bytes() == b"damaged"
    assert not kept(own_cache)


def test_what_has_no_source_cannot_be_fetched():
    with pytest.raises(DatasetUnavailable, match="maptaskcoref cannot be fetched: no public"):
        fetch(CATALOG["maptaskcoref"])
