import os
from pathlib import Path

import pytest

_FOLDER = Path(os.environ.get("ASKANCE_DATA") or Path(__file__).parents[3] / "shared" / "data")


@pytest.fixture(scope="session")
def raw_files() -> Path:
    """The folder of raw files, or a skip."""
    if not (_FOLDER / "titanic").is_dir():
        pytest.skip("no folder of raw data: set ASKANCE_DATA")
    return _FOLDER


@pytest.fixture(scope="session")
def compiled() -> None:
    """A skip where kernels are interpreted, for tests that would then take minutes."""
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        pytest.skip("takes minutes without compilation")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory, monkeypatch) -> None:
    """Keep the user's cache and settings out of the tests; all tests share one cache."""
    cache = tmp_path_factory.getbasetemp() / "shared-cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.delenv("ASKANCE_DATA", raising=False)


@pytest.fixture
def own_cache(tmp_path, monkeypatch) -> Path:
    """An empty cache of one test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "askance"
