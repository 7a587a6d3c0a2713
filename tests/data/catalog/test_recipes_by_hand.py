"""What each recipe makes of lines of its raw file, beside a plain reading of the same lines.

The plain reading is written from the descriptions of the sets, with ``split`` and ``float`` alone.
"""

import bz2
import io
import itertools
import lzma
import math
import re
import tarfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from askance.data.catalog import CATALOG, recipes
from askance.sparse import rows_of

Examples = list[tuple[int, dict[int, float]]]
"""A label and the values that are not zero, by column, for each line."""


def examples(positive, *blocks) -> Examples:
    """Put blocks of columns side by side."""
    rows = [list(itertools.chain(*parts)) for parts in zip(*blocks, strict=True)]
    features = [{i: value for i, value in enumerate(row) if value} for row in rows]
    return [(1 if yes else -1, row) for yes, row in zip(positive, features, strict=True)]


def split(lines, mark=","):
    some = (line.split(mark) for line in lines if line.strip())
    return [[field.strip().strip('"') for field in fields] for fields in some]


def numbers(table, places):
    return [[float(row[i]) for i in places] for row in table]


def one_hot(table, places, dropped=()):
    kinds = [(i, sorted({row[i] for row in table} - set(dropped))) for i in places]
    return [[float(row[i] == kind) for i, some in kinds for kind in some] for row in table]


def titanic(files) -> Examples:
    table = split(files[0][3:], "\t")
    return examples([row[3] == "yes" for row in table], one_hot(table, (0, 1, 2)))


def abalone(files) -> Examples:
    """The sexes are 1, 2 and 3; the label is more than nine rings."""
    table = split(files[0])
    sexes = [["?MFI".index(row[0])] for row in table]
    return examples([int(row[8]) >= 10 for row in table], sexes, numbers(table, range(1, 8)))


def mushroom(files) -> Examples:
    table = split(files[0][1:])
    assert any(row[11] == "?" for row in table)
    return examples([row[0] == "p" for row in table], one_hot(table, range(1, 23)))


def eeg(files) -> Examples:
    table = split(line for line in files[0] if line[:1].isdigit())
    return examples([row[14] == "1" for row in table], numbers(table, range(14)))


def magic(files) -> Examples:
    table = split(files[0])
    return examples([row[10] == "h" for row in table], numbers(table, range(10)))


def letter(files) -> Examples:
    table = split(files[0][1:])
    return examples([row[0] in "AEIOUY" for row in table], numbers(table, range(1, 17)))


def nomao(files) -> Examples:
    """A number that was missing is a mean; it is found beside a nominal of its group that is 1."""
    table = split(line for line in files[0] if line[:1] not in "@\n")
    kinds = [line.split()[2] for line in files[0] if line.startswith("@attribute")]
    nominal = [i for i in range(118) if kinds[i].startswith("{")]
    numeric = [i for i in range(118) if i not in nominal]
    values = np.array(numbers(table, numeric))
    for column, i in enumerate(numeric):
        # The first six numbers and the last but one are never missing.
        if 6 < i != 116:
            group = 111 if i == 117 else min(j for j in nominal if j > i)
            missing = next(place for place, row in enumerate(table) if row[group] == "1")
            values[values[:, column] == values[missing, column], column] = 0.0
    positive = [row[118] == "1" for row in table]
    return examples(positive, values.tolist(), one_hot(table, nominal))


def shuttle(files) -> Examples:
    table = split(files[0])
    return examples([row[9] != "1" for row in table], numbers(table, range(9)))


def bank(files) -> Examples:
    names, *table = split(files[0], ";")
    at = names.index
    plain = ("age", "balance", "day", "duration", "campaign", "pdays", "previous")
    nominal = ("job", "marital", "education", "contact", "month", "poutcome")
    answers = [
        [1.0 if row[at(name)] == "yes" else -1.0 for name in ("default", "housing", "loan")]
        for row in table
    ]
    chosen = one_hot(table, map(at, nominal), dropped={"unknown"})
    positive = [row[at("y")] == "yes" for row in table]
    return examples(positive, numbers(table, [at(name) for name in plain]), answers, chosen)


def libsvm(files) -> Examples:
    """Columns count from 1 in the file."""
    found = []
    for line in itertools.chain(*files):
        label, *pairs = line.split()
        values = ((int(column) - 1, float(value)) for column, value in split(pairs, ":"))
        found.append((1 if float(label) > 0 else -1, {c: value for c, value in values if value}))
    return found


def adult(files) -> Examples:
    table = split([*files[0], *files[1][1:]])
    assert any("?" in row for row in table)
    rich = [row[14] in (">50K", ">50K.") for row in table]
    chosen = one_hot(table, (1, 3, 5, 6, 7, 8, 9, 13), dropped={"?"})
    return examples(rich, numbers(table, (0, 2, 4, 10, 11, 12)), chosen)


def bio(files) -> Examples:
    table = split(files[0][1:])
    return examples([row[2] == "1" for row in table], numbers(table, range(3, 77)))


def activity(files) -> Examples:
    """Height and BMI are cut at the point: 1.6 is 1 and 60, 28.6 is 28 and 6."""
    table = split(files[0][1:])
    people = one_hot(table, (1,))
    bodies = []
    for row in table:
        (metres, centimetres), (whole, tenths) = (f"{row[i]}.".split(".")[:2] for i in (3, 5))
        height = [float(metres), float(centimetres.ljust(2, "0"))]
        bodies.append([float(row[2]), *height, float(row[4]), float(whole), float(tenths or 0)])
    positive = [row[18] == "sitting" for row in table]
    return examples(positive, people, bodies, numbers(table, range(6, 18)))


def skin(files) -> Examples:
    table = split(files[0][1:], "\t")
    return examples([row[3] == "1" for row in table], numbers(table, (0, 1, 2)))


def vehicles(files) -> Examples:
    """Negative codes and words stand for what is missing; rows must have a mileage."""
    names, *table = split(files[0])
    at = names.index
    table = [row for row in table if float(row[at("EIADMPG")]) > 0]
    out = "HOUSEID HH_CBSA HHC_MSA EIADMPG EPATMPG EPATMPGF GSYRGAL GSCOST GSTOTCST HHSTATE HBHUR"
    plain = [i for i, name in enumerate(names) if name not in out.split()]
    known = re.compile(r"\d+(\.\d*)?")
    values = [[float(row[i]) if known.fullmatch(row[i]) else 0.0 for i in plain] for row in table]
    chosen = one_hot(table, (at("HHSTATE"), at("HBHUR")))
    return examples([float(row[at("EIADMPG")]) > 20.6 for row in table], values, chosen)


def census(files) -> Examples:
    table = split(itertools.chain(*files))
    plain = (0, 2, 3, 5, 16, 17, 18, 24, 30, 36, 38, 39, 40)
    assert any("?" in row for row in table)
    chosen = one_hot(table, [i for i in range(41) if i not in plain], dropped={"?"})
    return examples([row[41] == "50000+." for row in table], numbers(table, plain), chosen)


def covtype(files) -> Examples:
    table = split(files[0][1:])
    return examples([row[54] == "2" for row in table], numbers(table, range(54)))


# How a set is read, how many lines stand before its rows, and each how many-th of these is taken:
# of abalone those without a height, of nomao some where the rarest number is missing, of activity
# all four people, of the vehicles all states.
PLAIN = {
    "titanic": (titanic, 3, 7),
    "abalone": (abalone, 0, 3),
    "mushroom": (mushroom, 1, 20),
    "eeg-eye-state": (eeg, 19, 40),
    "magic04": (magic, 0, 40),
    "letter": (letter, 1, 40),
    "ijcnn1": (libsvm, 0, 40),
    "nomao": (nomao, 123, 5),
    "shuttle": (shuttle, 0, 40),
    "bank": (bank, 1, 40),
    "a9a": (libsvm, 0, 40),
    "adult": (adult, 1, 40),
    "w8a": (libsvm, 0, 40),
    "bio": (bio, 1, 20),
    "activity": (activity, 1, 170),
    "skin": (skin, 1, 40),
    "vehv2binary": (vehicles, 1, 1),
    "census": (census, 0, 20),
    "covtype": (covtype, 1, 40),
    "rcv1": (libsvm, 0, 40),
}


def some_lines(path: Path, head: int, step: int) -> list[str]:
    opened = bz2.open if path.suffix == ".bz2" else lzma.open
    with opened(path, "rt") as stream:
        stop = 1000 * max(step, 20)
        return [*itertools.islice(stream, head), *itertools.islice(stream, 0, stop, step)]


def same(data, expected: Examples) -> None:
    """Compare every value of every row, in the single precision that rows have."""
    assert len(data) == len(expected)
    for row, label, (sign, values) in zip(rows_of(data.csr), data.labels, expected, strict=True):
        assert label == sign
        assert row.indices.tolist() == sorted(values)
        assert row.values.tolist() == [float(np.float32(values[i])) for i in sorted(values)]


def test_every_set_that_has_files_is_read() -> None:
    assert PLAIN.keys() | {"20news"} == {name for name, entry in CATALOG.items() if entry.here}


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("name", PLAIN)
def test_values_are_those_of_the_raw_file(name, raw_files, tmp_path):
    plainly, head, step = PLAIN[name]
    entry, paths, contents = CATALOG[name], [], []
    for file in entry.files:
        contents.append(some_lines(raw_files / name / file.name, head, step))
        paths.append(tmp_path / file.name.removesuffix(".xz").removesuffix(".bz2"))
        paths[-1].write_text("".join(contents[-1]))
    same(entry.recipe(paths), plainly(contents))


@pytest.mark.usefixtures("compiled")
def test_messages_are_counted_as_scikit_learn_does(raw_files, tmp_path):
    """What an author wrote is told by the test of `newsgroups`; here it is taken over."""
    from askance.data.catalog.newsgroups import authored

    texts = {}
    with (
        tarfile.open(raw_files / "20news" / CATALOG["20news"].files[0].name) as archive,
        tarfile.open(tmp_path / "few.tar", "w") as few,
    ):
        for member in itertools.islice((m for m in archive if m.isfile()), 0, None, 97):
            content = archive.extractfile(member).read()
            few.addfile(member, io.BytesIO(content))
            texts[member.name] = authored(content.decode("latin1"))
    parts = {"train": [], "test": []}
    for name in sorted(texts, key=lambda name: name.split("/")[-2:]):
        parts["train" if "-train/" in name else "test"].append(name)
    assert parts["train"]
    assert parts["test"]
    data = CATALOG["20news"].recipe([tmp_path / "few.tar"])
    counter = CountVectorizer(lowercase=True, token_pattern=r"\b\w\w+\b")
    counter.fit(texts[name] for name in parts["train"])
    # Columns are numbered as words are met; scikit-learn sorts them.
    met = dict.fromkeys(w for n in parts["train"] for w in counter.build_analyzer()(texts[n]))
    assert data.n_features == len(met) == len(counter.vocabulary_)
    expected = []
    for name in (*parts["train"], *parts["test"]):
        counts = Counter(w for w in counter.build_analyzer()(texts[name]) if w in met)
        length = math.sqrt(sum(count**2 for count in counts.values()))
        columns = {word: i for i, word in enumerate(met)}
        values = {columns[word]: count / length for word, count in counts.items()}
        expected.append(
            (1 if name.split("/")[-2][:3] in ("alt", "rec", "soc", "tal") else -1, values)
        )
    same(data, expected)


def test_abalone_and_activity_on_lines_of_our_own(tmp_path):
    """Also where no raw file is at hand."""
    path = tmp_path / "lines"
    path.write_text("I,.1,.2,0,.4,.5,.6,.7,9\nF,1,2,3,4,5,6,7,10\nM,1,2,3,4,5,6,7,8\n")
    data = recipes.abalone([path])
    assert data.csr.toarray()[:, 0].tolist() == [3.0, 2.0, 1.0]
    assert data.labels.tolist() == [-1, 1, -1]
    sensors = ",".join(f"{axis}{i}" for i in range(1, 5) for axis in "xyz")
    head = f"user,gender,age,how_tall_in_meters,weight,body_mass_index,{sensors},class\n"
    rest = ",".join(map(str, range(1, 13)))
    people = ("Woman,46,1.62,75,28.6", "Man,75,1.66,67,24.0", "Man,28,1.71,83,28.4")
    classes = ("sitting", "walking", "sitting")
    rows = [f"x,{who},{rest},{what}\n" for who, what in zip(people, classes, strict=True)]
    path.write_text(head + "".join(rows))
    data = recipes.activity([path])
    # As floats, 1.66 - 1 is a little less than 0.66, and 28.4 - 28 less than 0.4.
    assert data.csr.toarray()[:, :8].tolist() == [
        [0, 1, 46, 1, 62, 75, 28, 6],
        [1, 0, 75, 1, 66, 67, 24, 0],
        [1, 0, 28, 1, 71, 83, 28, 4],
    ]
    assert data.labels.tolist() == [1, -1, 1]
