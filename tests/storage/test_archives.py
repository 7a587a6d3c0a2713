"""An archive gives back what was put in, and nothing that its bytes do not hold."""

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.lib import format as npy

from askance.storage.archives import open_archive

KINDS = st.sampled_from(["<f4", ">f8", "<i8", ">i2", "|b1", "|u1", "<U3"])
ARRAYS = KINDS.flatmap(lambda kind: arrays(kind, array_shapes(min_dims=0, max_dims=2, min_side=0)))


def write(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


def member(array: np.ndarray[Any, Any], claimed: Any = None) -> bytes:
    """The bytes of an array under a header that claims another shape."""
    file = io.BytesIO()
    header = npy.header_data_from_array_1_0(array)
    npy.write_array_header_1_0(file, header | ({} if claimed is None else claimed))
    return file.getvalue() + array.tobytes()


@given(ARRAYS)
def test_arrays_come_back_in_the_byte_order_of_the_machine(tmp_path_factory, array) -> None:
    path = tmp_path_factory.mktemp("archive") / "a"
    with path.open("wb") as file:
        np.savez(file, a=array)
    with open_archive(path) as read:
        found = read("a")
    assert found.dtype == array.dtype.newbyteorder("=")
    np.testing.assert_array_equal(found, array)
    assert found.flags.writeable


@pytest.mark.parametrize(
    "claimed",
    [{"shape": (10**12,)}, {"shape": (-3,)}, {"shape": (2,)}, {"descr": "|O"}, {"descr": "|V0"}],
)
def test_a_header_is_held_against_the_bytes(claimed: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "a", {"a": member(np.zeros(3), claimed)})
    with open_archive(path) as read, pytest.raises(ValueError, match="an array"):
        read("a")


def test_nothing_is_unpacked(tmp_path: Path) -> None:
    bomb = {"a": member(np.zeros(10**6))}
    path = write(tmp_path / "a", bomb, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < 10**5
    with pytest.raises(ValueError, match="compressed"), open_archive(path):
        pass
