"""The twenty newsgroups: messages -> token counts of unit length."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from askance.data.catalog.dataset import Dataset
from askance.data.catalog.design_matrix import signs
from askance.data.reading.sources import tar_members
from askance.sparse import from_parts

__all__ = ["authored", "newsgroups"]

_TOKEN = re.compile(r"\b\w\w+\b")
_QUOTE = re.compile(
    r"writes in|writes:|wrote:|says:|said:|^In article|^Quoted from|^\||^>", re.MULTILINE
)


class _Message(NamedTuple):
    part: str
    group: str
    number: str
    text: str


def newsgroups(files: Sequence[Path]) -> Dataset:
    """Counts of lower-cased words in what its author wrote, scaled to length 1.

    The words are those of the training part. Label: alt, rec, soc or talk, against comp, misc and
    sci.
    """
    messages = sorted(_messages(files[0]), key=lambda m: (m.part != "train", m))
    vocabulary: dict[str, int] = {}
    rows = [_counts(message, vocabulary) for message in messages]
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.fromiter((i for row in rows for i in sorted(row)), np.int32, indptr[-1])
    lengths = [np.sqrt(sum(c * c for c in row.values())) for row in rows]
    values = np.fromiter(
        (row[i] / length for row, length in zip(rows, lengths, strict=True) for i in sorted(row)),
        np.float32,
        indptr[-1],
    )
    positive = np.array([m.group.split(".")[0] in ("alt", "rec", "soc", "talk") for m in messages])
    csr = from_parts(indptr, indices, values, len(vocabulary))
    return Dataset("", csr, signs(positive))


def _messages(path: Path) -> list[_Message]:
    found = []
    for name, content in tar_members(path):
        folder, group, number = name.split("/")[-3:]
        part = "train" if folder.endswith("train") else "test"
        found.append(_Message(part, group, number, content.decode("latin1")))
    return found


def _counts(message: _Message, vocabulary: dict[str, int]) -> Counter[int]:
    counts: Counter[int] = Counter()
    for word, count in Counter(_TOKEN.findall(authored(message.text).lower())).items():
        if message.part == "train":
            counts[vocabulary.setdefault(word, len(vocabulary))] = count
        elif word in vocabulary:
            counts[vocabulary[word]] = count
    return counts


def authored(text: str) -> str:
    """Leave out the header, the signature and the lines quoted from others."""
    body = text.partition("\n\n")[2]
    lines = body.strip().split("\n")
    # A signature follows the last line that is blank or dashes only.
    rules = [i for i, line in enumerate(lines) if not line.strip().strip("-")]
    lines = lines[: rules[-1]] if rules and rules[-1] > 0 else body.split("\n")
    return "\n".join(line for line in lines if not _QUOTE.search(line))
