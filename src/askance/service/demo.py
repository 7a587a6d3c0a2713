"""A stream to try: scikit-learn's handwritten digits as pictures, whose labels are known."""

import base64
import struct
import time
import zlib
from collections.abc import Sequence
from concurrent.futures import wait

import numpy as np

from askance.service.session import Session
from askance.service.settings import StreamSettings
from askance.service.uploads import keep_records
from askance.types import Floats

__all__ = ["DEMOS", "answer_for", "make_demo", "picture"]

DEMOS = {"digits": tuple("0123456789"), "odd": ("even", "odd")}
"""The demo streams and their classes."""

SIDE = 8
PATIENCE = 60.0
"""Seconds in all that the answers of the demo wait for classifiers."""

_SCALE = 16
"""How many pixels a pixel becomes, so that a person can see it."""


def make_demo(session: Session, demo: str = "digits", *, seed: int = 0) -> str:
    """Create a demo stream; its id."""
    pixels, _ = _digits()
    classes = DEMOS[demo]
    names = tuple(f"pixel{i:02d}" for i in range(SIDE * SIDE))
    settings = StreamSettings(
        name="Handwritten digits" if demo == "digits" else "Odd digits",
        classes=classes,
        total=400,
        horizon=len(pixels),
        bits=10,
        ignore=("picture",),
        hide=names,
        guidelines="Which digit is it?" if demo == "digits" else "Is the digit odd or even?",
        seed=seed,
        demo=demo,
    )
    stream = session.create(settings)
    shown = (picture(row) for row in pixels)
    numbers = (dict(zip(names, row.tolist(), strict=True)) for row in pixels)
    records = ({"picture": image} | row for image, row in zip(shown, numbers, strict=True))
    keep_records(session.stream(stream), ((str(i), record) for i, record in enumerate(records)))
    return stream


def answer_for(session: Session, stream: str, person: str, most: int = 200) -> int:
    """Answer the questions of a demo stream with the labels that are known; how many there were.

    It waits for each new classifier, as somebody who answers by hand is slower than a fit.
    """
    opened = session.stream(stream)
    demo = opened.settings.demo
    _, targets = _digits()
    given, patience = 0, PATIENCE
    while given < most and (questions := session.lease(stream, person)):
        for question in questions[: most - given]:
            digit = targets[int(question.id)]
            label = str(digit) if demo == "digits" else DEMOS["odd"][digit % 2]
            session.answer(stream, person, question.number, label, key=f"demo-{question.number}")
            given += 1
        refit = None if opened.refitting is None else opened.refitting.coming
        if refit is not None and refit[1] is not None:
            began = time.monotonic()
            wait([refit[1]], patience)
            patience = max(0.0, patience - (time.monotonic() - began))
    return given


def _digits() -> tuple[Floats, Sequence[int]]:
    # Here, so that who shows no demo does not wait for scikit-learn.
    from sklearn.datasets import load_digits

    digits = load_digits()
    return digits.data, digits.target.tolist()


def picture(pixels: Floats) -> str:
    """A digit as a data URI of a PNG, dark on white.

    >>> import numpy as np
    >>> picture(np.zeros(64))[:22]
    'data:image/png;base64,'
    """
    shade = 255 - np.rint(pixels.reshape(SIDE, SIDE) * (255 / 16)).astype(np.uint8)
    large = np.kron(shade, np.ones((_SCALE, _SCALE), np.uint8))
    side = SIDE * _SCALE
    lines = b"".join(b"\0" + row.tobytes() for row in large)
    head = struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0)
    parts = (b"IHDR", head), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")
    png = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, content) for kind, content in parts)
    return "data:image/png;base64," + base64.b64encode(png).decode()


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", check)
