import hashlib

import pytest

from askance.service.page.rendering import STATIC

SUMS = {
    "htmx/htmx.min.js": "a0abb04f2f45a1f89d1d4844023245537e5e6014c87b144553e0607b4cc32130",
    "htmx/hx-csp.min.js": "a7e1e6711ae6c3e50ad300fba7936cbe8d07599cdae313414a179ddd6b26e143",
    "uplot/uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
    "uplot/uPlot.min.css": "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
}


@pytest.mark.parametrize("name", SUMS)
def test_files_of_others_are_as_they_were(name):
    assert hashlib.sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == SUMS[name]


def test_nothing_else_is_there_without_a_licence():
    vendor = STATIC / "vendor"
    files = {path.relative_to(vendor).as_posix() for path in vendor.rglob("*") if path.is_file()}
    assert files == {*SUMS, "htmx/LICENSE", "uplot/LICENSE", "README.md"}


def test_static_files_are_served_with_their_types(enter):
    client = enter()
    for name, kind in (("label.js", "text/javascript"), ("style.css", "text/css")):
        response = client.get(f"/static/{name}")
        assert response.headers["content-type"].startswith(kind)
        assert response.headers["x-content-type-options"] == "nosniff"


def test_no_other_file_is_served(enter):
    client = enter()
    for name in ("../router.py", "..%2Frouter.py", "%2e%2e/router.py", "nothing.js", "vendor", ""):
        assert client.get(f"/static/{name}").status_code == 404


def test_pages_are_no_part_of_the_api(enter):
    paths = enter().get("/api/v1/openapi.json").json()["paths"]
    assert all(path.startswith(("/api/v1/", "/healthz", "/metrics")) for path in paths)
