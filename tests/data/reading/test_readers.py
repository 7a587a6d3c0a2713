import bz2
import gzip
import io
import json
import lzma
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from askance.data.reading.readers import read, read_batches, read_columns
from askance.errors import AskanceError, BadRecord, FileUnreadable, InvalidLabel, InvalidParameter
from askance.types import Row

CSV = b"name,age,smoker,job,y\nann,39,true,clerk,yes\nbob,,false,,no\neve,7.5,true,baker,\n"
RECORDS = [
    ("ann", 1, {"age": 39.0, "smoker": 1.0, "job": "clerk"}),
    ("bob", -1, {"age": None, "smoker": 0.0, "job": None}),
    ("eve", None, {"age": 7.5, "smoker": 1.0, "job": "baker"}),
]


def write(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    return path


def refusal(error, *arguments, **keywords):
    with pytest.raises(error) as caught:
        list(read(*arguments, **keywords))
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        ("", bytes),
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", lambda content: pa.compress(content, "zstd", asbytes=True)),
    ],
)
def test_csv_gives_records_however_it_is_packed(tmp_path, suffix, pack):
    path = write(tmp_path, f"people.csv{suffix}", pack(CSV))
    assert [tuple(r) for r in read(path, label="y", id="name")] == RECORDS


def test_standard_input_is_read_like_a_file(monkeypatch):
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(gzip.compress(CSV))))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert [tuple(r) for r in read("-", "csv", label="y", id="name")] == RECORDS


def test_tsv_quotes_and_numbers_kept_as_strings(tmp_path):
    path = write(tmp_path, "a.tsv", b'zip\tnote\n007\t"two\twords"\n012\t""\n')
    assert [r.fields for r in read(path, strings=["zip"])] == [
        {"zip": "007", "note": "two\twords"},
        {"zip": "012", "note": ""},
    ]
    assert [r.id for r in read(path)] == ["1", "2"]
    assert next(read(path)).fields["zip"] == 7


def test_csv_with_a_mark_of_utf8_windows_ends_and_quoted_line_breaks(tmp_path):
    path = write(tmp_path, "a.csv", b'\xef\xbb\xbfnote,x\r\n"two\nlines, ""quoted""",1\r\n')
    assert [r.fields for r in read(path)] == [{"note": 'two\nlines, "quoted"', "x": 1}]


def test_a_csv_file_with_labels_only_has_records_without_fields(tmp_path):
    path = write(tmp_path, "a.csv", b"y\n1\n0\n")
    assert [tuple(r) for r in read(path, label="y")] == [("1", 1, {}), ("2", -1, {})]


def test_json_lines_keep_lists_and_mappings(tmp_path):
    rows = [{"k": 7, "y": 1, "tags": ["a"], "user": {"age": 3}}, {"y": 0, "tags": None}]
    content = "\n\n".join(map(json.dumps, rows)).encode()
    first, second = read(write(tmp_path, "a.jsonl", content), label="y", id="k")
    assert first == ("7", 1, {"tags": ["a"], "user": {"age": 3}})
    assert second == ("2", -1, {"tags": None})


def test_whole_numbers_stay_whole_as_ids(tmp_path):
    """Doubles would lose the last digits."""
    pq.write_table(pa.table({"k": [2**60 + 1, None], "x": [1, 2]}), tmp_path / "a.parquet")
    assert [r.id for r in read(tmp_path / "a.parquet", id="k")] == [str(2**60 + 1), "2"]


def test_parquet_from_a_path_and_from_standard_input(tmp_path, monkeypatch):
    table = pa.table(
        {
            "key": ["a", "b"],
            "x": pa.array([1, None], pa.int32()),
            "flag": [True, False],
            "word": pa.array(["u", "v"]).dictionary_encode(),
            "list": [["p", "q"], None],
            "user": [{"age": 3, "job": "clerk"}, {"age": None, "job": "baker"}],
            "y": [1.0, 0.0],
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    expected = [
        (
            "a",
            1,
            {
                "x": 1,
                "flag": 1,
                "word": "u",
                "list": ["p", "q"],
                "user": {"age": 3, "job": "clerk"},
            },
        ),
        (
            "b",
            -1,
            {
                "x": None,
                "flag": 0,
                "word": "v",
                "list": None,
                "user": {"age": None, "job": "baker"},
            },
        ),
    ]
    assert [tuple(r) for r in read(tmp_path / "a.parquet", label="y", id="key")] == expected
    stdin = io.TextIOWrapper(io.BufferedReader((tmp_path / "a.parquet").open("rb")))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert [tuple(r) for r in read("-", "parquet", label="y", id="key")] == expected
    stdin.close()


def test_libsvm_records_hold_rows(tmp_path):
    content = b"+1 qid:3 1:0.5 4:2e-3 # note\n\n-1 2:0 3:0.12345678901234567\n-1\n"
    first, second, third = read(write(tmp_path, "a.svm", content))
    assert (first.id, first.label, second.label, third.label) == ("1", 1, -1, -1)
    assert isinstance(first.fields, Row)
    assert first.fields.indices.tolist() == [0, 3]
    assert second.fields.indices.tolist() == [2]
    assert second.fields.values[0] == np.float32(0.12345678901234567)
    assert len(third.fields.values) == 0
    zero = write(tmp_path, "b.svm", b"1 0:1\n")
    assert next(read(zero, "libsvm0")).fields.indices.tolist() == [0]


def test_vw_records_hold_namespaces(tmp_path):
    content = b"1 'id%201| age:39 a%3ab |ns:2 x:1.5 y y\n-1 tag|ns x:0.30000000000000004\n|z q\n\n"
    first, second, third = read(write(tmp_path, "a.vw", content))
    assert first == ("id 1", 1, {"": {"age": 39.0, "a:b": 1.0}, "ns": {"x": 3.0, "y": 4.0}})
    assert second == ("tag", -1, {"ns": {"x": 0.30000000000000004}})
    assert third == ("3", None, {"z": {"q": 1.0}})


@pytest.mark.usefixtures("compiled")
@pytest.mark.parametrize("format", ["csv", "jsonl", "libsvm", "vw"])
def test_records_do_not_depend_on_where_blocks_end(tmp_path, format):
    """Several blocks of every reader, and one record at a time, by number."""
    lines = {
        "csv": lambda i: f"{i},x{'w' * (i % 50)}{i},1",
        "jsonl": lambda i: json.dumps({"a": i, "b": f"x{'w' * (i % 50)}{i}", "y": 1}),
        "libsvm": lambda i: f"1 {i + 1}:{i + 1}",
        "vw": lambda i: f"1 |a {'w' * (i % 50)}:{i + 1}",
    }[format]
    n = 250_000 if format == "libsvm" else 60_000
    text = "\n".join(map(lines, range(n)))
    path = write(tmp_path, "many", (("a,b,y\n" if format == "csv" else "") + text).encode())
    batches = list(read_batches(path, format, label="y"))
    assert len(batches) > 1
    records = [record for batch in batches for record in batch.records()]
    assert [record.id for record in records] == [str(i + 1) for i in range(n)]
    assert all(record.label == 1 for record in records)
    last = records[-1].fields
    if format == "libsvm":
        assert last.values.tolist() == [n]
    elif format == "vw":
        assert last == {"a": {"w" * ((n - 1) % 50): n}}
    else:
        assert last == {"a": n - 1, "b": f"x{'w' * ((n - 1) % 50)}{n - 1}"}


@pytest.mark.parametrize(
    ("labels", "positive", "signs"),
    [
        (["1", "-1", "+1.0"], None, [1, -1, 1]),
        (["0", "1", ""], None, [-1, 1, None]),
        (["No", "Yes"], None, [-1, 1]),
        (["spam", "ham", "spam"], "ham", [-1, 1, -1]),
        (["2", "1"], "2", [1, -1]),
        (["1", "2"], "2.0", [-1, 1]),
    ],
)
def test_labels_become_signs(tmp_path, labels, positive, signs):
    path = write(tmp_path, "a.csv", ("x,y\n" + "".join(f"1,{y}\n" for y in labels)).encode())
    assert [r.label for r in read(path, label="y", positive=positive)] == signs


def test_a_third_label_is_refused_even_in_a_later_block(tmp_path):
    rows = b"1,spam\n2,ham\n" * 150_000
    path = write(tmp_path, "a.csv", b"x,y\n" + rows + b"3,eggs\n")
    sentence = refusal(InvalidLabel, path, label="y", positive="spam")
    assert sentence == "row 300,001 has the label 'eggs', a third value beside 'spam' and 'ham'"


def test_labels_that_do_not_speak_for_themselves_need_a_word(tmp_path):
    path = write(tmp_path, "a.csv", b"x,y\n1,spam\n")
    assert "row 1 has the label 'spam'" in refusal(InvalidLabel, path, label="y")
    assert refusal(InvalidLabel, path, label="y").endswith(
        "say which label is positive (--positive)"
    )


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet"])
@pytest.mark.parametrize("role", ["label", "id"])
def test_a_column_that_does_not_exist_is_said_with_those_that_do(tmp_path, name, role):
    path = tmp_path / name
    if name == "a.parquet":
        pq.write_table(pa.table({"x": [1], "z": [2]}), path)
    else:
        path.write_bytes(b"x,z\n1,2\n" if name == "a.csv" else b'{"x": 1, "z": 2}\n')
    sentence = refusal(BadRecord, path, **{role: "y"})
    assert sentence == f"{path} has no {role} column 'y', it has x, z"


def test_a_csv_file_that_changes_type_half_way_is_refused(tmp_path):
    content = b"age,job\n" + b"39,1\n" * 300_000 + b"forty,2\n" + b"41,3\n" * 10
    path = write(tmp_path, "a.csv", content)
    assert refusal(BadRecord, path) == (
        f"row 300,001 of {path} has 'forty' in column 'age', where the rows before it have "
        "numbers: correct it, or read the column as strings"
    )
    records = list(read(path, strings=["age"]))
    assert records[300_000].fields == {"age": "forty", "job": 2}


def test_a_short_file_that_changes_type_is_refused_too(tmp_path):
    path = write(tmp_path, "a.csv", b"age,size\n,S\n39,4\n40,M\nforty,L\n")
    assert refusal(BadRecord, path).startswith(f"row 4 of {path} has 'forty' in column 'age'")
    fields = [record.fields for record in read(path, strings=["age"])]
    assert fields[0] == {"age": None, "size": "S"}
    assert fields[1] == {"age": "39", "size": "4"}


def test_a_header_alone_has_no_records(tmp_path):
    for name, pack in (("a.csv", bytes), ("a.csv.gz", gzip.compress), ("a.csv.xz", lzma.compress)):
        assert list(read(write(tmp_path, name, pack(b"x,y\n")))) == []
    assert list(read(write(tmp_path, "b.csv", b"x,y"), label="y")) == []
    zst = pa.compress(b"x,y\n", "zstd", asbytes=True)
    assert list(read(write(tmp_path, "a.csv.zst", zst))) == []


@pytest.mark.parametrize("content", [b"x,y", b"x,y\n", b"x,y\r\n1,2\r\n"])
def test_a_label_column_that_does_not_exist_is_said_even_without_rows(tmp_path, content):
    path = write(tmp_path, "a.csv", content)
    sentence = "has no label column 'z', it has x, y"
    assert refusal(BadRecord, path, label="z") == f"{path} {sentence}"
    empty = pa.table({"x": pa.array([], pa.float64()), "y": pa.array([], pa.float64())})
    pq.write_table(empty, tmp_path / "a.parquet")
    assert refusal(BadRecord, tmp_path / "a.parquet", label="z").endswith(sentence)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"x,y\n1,2\n3\n", "row 2 of {} has 1 fields where 2 were expected: '3'"),
        ("a.csv", b"", "{} is empty, a header line was expected"),
        ("a.csv", b"x,x\n1,2\n", "{} has two columns named 'x', names must differ"),
        ("a.jsonl", b'{"a": 1}\n{"a": \n', "line 2 of {} is not JSON: Expecting value"),
        ("a.jsonl", b"[1]\n", "line 1 of {} is list, not an object"),
        ("a.svm", b"1 1:2\n1 1\n", "line 2 of {}: '1' is not of the form index:value"),
        ("a.svm", b"1 0:1\n", "line 1 of {}: '0:1' has an index below 1"),
        ("a.svm", b"1 2:1 2:1\n", "line 1 of {}: '2:1' has an index that is not larger"),
        ("a.svm", b"1 9999999999:1\n", "line 1 of {}: '9999999999:1' has an index above"),
        ("a.svm", b"1 1:2\nspam 1:2\n", "line 2 of {} has 'spam' where a number was expected"),
        ("a.svm", b"1 1:2\n1 1:x\n", "line 2 of {} has 'x' where a number was expected"),
        ("a.svm", b"1 1:1e99\n", "{} has the value 1e+99, a finite number was expected"),
        ("a.vw", b"1 |a b\n1 a b\n", "line 2 of {} has no bar | before its features: '1 a b'"),
        ("a.vw", b"1 |a b:x\n", "line 1 of {} has 'x' where a number was expected"),
        ("a.vw", b"1 |a b\n\n1 |a b c:nan\n", "line 3 of {} has the value nan for 'a^c', a finite"),
        ("a.vw", b"1 |a b\n1 | c:-inf\n", "line 2 of {} has the value -inf for 'c', a finite"),
        ("a.vw", b"1 |a:1e20 b:1e20\n", "line 1 of {} has the value 1e+40 for 'a^b', a finite"),
        ("a.vw", b"1 |a:x b\n", "line 1 of {} has a namespace whose scale is no number: 'a:x'"),
        ("a.vw", b"1 2.5 |a b\n", "line 1 of {} has more than a label and a tag in '1 2.5'"),
        ("a.vw", b"spam |a b\n", "line 1 of {} has the label 'spam', a number was expected"),
        ("a.parquet", b"not parquet", "{} cannot be read as Parquet: "),
    ],
)
def test_an_unreadable_row_is_said_in_one_sentence(tmp_path, name, content, sentence):
    path = write(tmp_path, name, content)
    assert refusal(BadRecord, path).startswith(sentence.format(path))


def test_a_parquet_column_of_a_foreign_type_is_said(tmp_path):
    pq.write_table(pa.table({"when": pa.array([0], pa.timestamp("s"))}), tmp_path / "a.parquet")
    sentence = refusal(BadRecord, tmp_path / "a.parquet")
    assert sentence.startswith("column 'when' has type timestamp")


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", lambda content: pa.compress(content, "zstd", asbytes=True)),
    ],
)
@pytest.mark.parametrize("format", ["csv", "jsonl", "vw"])
def test_a_packed_file_that_breaks_off_is_said_in_one_sentence(tmp_path, suffix, pack, format):
    body = {"csv": CSV, "jsonl": b'{"a": 1}\n' * 100, "vw": b"1 |a b\n" * 100}[format]
    path = write(tmp_path, f"a.{format}{suffix}", pack(body)[:-9])
    assert str(path) in refusal(FileUnreadable, path)


def test_a_path_without_a_file_or_a_format(tmp_path):
    missing = tmp_path / "none.csv"
    assert refusal(FileUnreadable, missing) == f"{missing} does not exist"
    assert refusal(AskanceError, tmp_path / "none.parquet").endswith("does not exist")
    assert "has no suffix that tells its format" in refusal(InvalidParameter, "data.txt")
    assert "has no suffix that tells its format" in refusal(InvalidParameter, "-")
    assert "got 'xls'" in refusal(InvalidParameter, "data.csv", "xls")


@pytest.mark.parametrize(
    "line",
    [r'{"a": "x\ud800"}', r'{"a": "\uDC00\ud83d"}', r'{"b\udfff": 1}', r'{"c": [{"d": "\udead"}]}'],
)
def test_half_a_character_is_refused_with_its_line(tmp_path, refused, line):
    path = write(tmp_path, "a.jsonl", f'{{"a": "\\ud83d\\ude00"}}\n{line}\n'.encode())
    with refused(
        BadRecord, "line 2 of ", "contains half a character (a lone surrogate such as \\ud800)"
    ):
        list(read(path))


def test_a_whole_character_may_be_written_in_two_halves(tmp_path):
    (record,) = read(write(tmp_path, "a.jsonl", rb'{"a": "\ud83d\ude00"}'))
    assert record.fields == {"a": "\U0001f600"}


@pytest.mark.parametrize(
    ("depth", "kept"), [(99, True), (100, False), (900, False), (10**5, False)]
)
@pytest.mark.parametrize("pair", ["[]", ('{"b":', "}")])
def test_deep_nesting_is_refused(tmp_path, refused, depth, kept, pair):
    value = pair[0] * depth + ("1" if pair[0] != "[" else "") + pair[1] * depth
    path = write(tmp_path, "a.jsonl", f'{{"a": {value}}}\n'.encode())
    if kept:
        assert len(list(read(path))) == 1
    else:
        with refused(BadRecord, "line 1 of ", "nested more than 100 deep"):
            list(read(path))


def test_many_brackets_are_not_deep(tmp_path):
    path = write(tmp_path, "a.jsonl", b'{"a": [' + b",".join([b"[1]"] * 500) + b"]}")
    assert len(list(read(path))) == 1


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_one_column_cannot_be_label_and_id(tmp_path, refused, name):
    path = write(tmp_path, name, b'{"id": 1}\n' if name.endswith("l") else b"id,a\n1,2\n")
    with refused(InvalidParameter, "the label and the id must be two columns, got 'id' for both"):
        list(read(path, label="id", id="id"))


@pytest.mark.parametrize(
    ("ids", "kind"),
    [
        (pa.array([[1], [2]]), "list<"),
        (pa.array([{"a": 1}, {"a": 2}]), "struct<"),
        (pa.array([b"a", b"\xff"]), "binary"),
        (pa.array([b"a", b"\xff"], pa.large_binary()), "large_binary"),
        (pa.array([[("a", 1)], []], pa.map_(pa.string(), pa.int32())), "map<"),
    ],
)
def test_ids_must_be_words_or_numbers(tmp_path, refused, ids, kind):
    pq.write_table(pa.table({"id": ids, "x": [1, 2]}), tmp_path / "a.parquet")
    with refused(BadRecord, f"the id column 'id' has type {kind}", "expected strings or numbers"):
        list(read(tmp_path / "a.parquet", id="id"))
    with refused(BadRecord, "row 2 of ", "has a list in the id column 'id'"):
        list(read(write(tmp_path, "a.jsonl", b'{"id": 1}\n{"id": [1]}\n'), id="id"))


@pytest.mark.parametrize(("length", "kept"), [(1000, True), (1001, False)])
def test_a_long_id_is_refused_with_its_row(tmp_path, refused, length, kept):
    path = write(tmp_path, "a.csv", b"id,x\na,1\n" + b"b" * length + b",2\n")
    if kept:
        assert [len(record.id) for record in read(path, id="id")] == [1, 1000]
    else:
        with refused(BadRecord, "row 2 of ", "an id of 1,001 characters, at most 1,000"):
            list(read(path, id="id"))


def test_text_that_is_not_utf8_is_refused(tmp_path, refused, capfd):
    with refused(BadRecord, "column names that are not UTF-8", r"b\xff"):
        list(read(write(tmp_path, "a.csv", b"a,b\xff\n1,2\n")))
    with refused(BadRecord, "row 2 of ", "has 3 fields where 2 were expected"):
        list(read(write(tmp_path, "b.csv", b"a,b\n1,2\n1,\xff\xfe,3\n")))
    assert capfd.readouterr().err == ""


def test_a_long_field_is_refused_with_what_can_be_done(tmp_path, refused):
    path = write(tmp_path, "a.csv", b"a,b\n1,2\n1," + b"x" * 3_000_000 + b"\n")
    with refused(BadRecord, "a row of more than 1 MB", "JSON lines or Parquet"):
        list(read(path))


def test_two_columns_of_one_name_are_refused_in_parquet_too(tmp_path, refused):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    pq.write_table(table, tmp_path / "a.parquet")
    with refused(BadRecord, "two columns named 'a'"):
        list(read(tmp_path / "a.parquet"))


@pytest.mark.usefixtures("compiled")
def test_a_wide_table_is_read_in_time_that_grows_with_it(tmp_path):
    """Rows longer than a megabyte, which is what a block holds of narrow tables."""

    def seconds(columns: int) -> float:
        names = ",".join(f"a_rather_long_name_{i}" for i in range(columns))
        rows = ",".join(["1.25"] * columns)
        path = write(tmp_path, "a.csv", f"{names}\n{rows}\n{rows}\n".encode())
        start = time.process_time()
        (batch,) = read_batches(path)
        assert len(batch.content) == columns
        return time.process_time() - start

    seconds(1000)
    assert seconds(60_000) < 40 * seconds(6_000)


def test_too_many_columns_are_refused(tmp_path, refused, monkeypatch):
    monkeypatch.setattr("askance.data.reading.readers.MOST_COLUMNS", 3)
    with refused(BadRecord, "a.csv has 4 columns, at most 3 can be read"):
        list(read(write(tmp_path, "a.csv", b"a,b,c,d\n1,2,3,4\n")))


def test_names_of_json_records_are_counted_through_the_file(tmp_path, refused, monkeypatch):
    monkeypatch.setattr("askance.data.reading.readers.MOST_COLUMNS", 3)
    monkeypatch.setattr("askance.data.reading.readers._JSON_BATCH", 2)
    lines = [b'{"a": 1}\n', b'{"b": 1}\n', b'{"a": 1, "c": 2}\n', b'{"c": 1}\n', b'{"d": 1}\n']
    assert len(list(read(write(tmp_path, "a.jsonl", b"".join(lines[:4]))))) == 4
    records = read(write(tmp_path, "a.jsonl", b"".join(lines)))
    assert [next(records).fields for _ in range(4)][2] == {"a": 1, "c": 2}
    with refused(BadRecord, "a.jsonl has 4 columns, at most 3 can be read"):
        next(records)


def test_many_columns_make_no_long_message(tmp_path, refused):
    names = ",".join(f"column_{i}" for i in range(5000))
    path = write(tmp_path, "a.csv", f"{names}\n".encode())
    with refused(BadRecord, "no label column 'y'", "and 4,989 more"):
        list(read(path, label="y"))


def test_whole_tables_come_as_columns(tmp_path):
    texts = {"a": ["1", "02", None], "b": ["x", "NAN", "=y"]}
    content = b"a,b\n1,x\n02,NAN\n,=y\n"
    assert read_columns(write(tmp_path, "t.csv", content)) == texts
    assert read_columns(write(tmp_path, "t.tsv", content.replace(b",", b"\t"))) == texts
    assert read_columns(write(tmp_path, "t.csv.gz", gzip.compress(content))) == texts
    assert read_columns(write(tmp_path, "h.csv", b"a,b\n")) == {"a": [], "b": []}
    values = {"a": [1, 2], "b": [[1.5], None]}
    pq.write_table(pa.table(values), tmp_path / "t.parquet")
    assert read_columns(tmp_path / "t.parquet") == values
    for name, content, part in (
        ("e.csv", b"", "is empty"),
        ("d.csv", b"a,a\n1,2\n", "two columns named 'a'"),
        ("r.csv", b"a,b\n1,2,3\n", "3 fields where 2 were expected"),
    ):
        with pytest.raises(BadRecord, match=part):
            read_columns(write(tmp_path, name, content))
    with pytest.raises(InvalidParameter, match="a table of CSV, TSV or Parquet, got jsonl"):
        read_columns(write(tmp_path, "t.jsonl", b"{}"))
    raw = pa.array([b"\xff"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"a": raw}), tmp_path / "u.parquet")
    with pytest.raises(BadRecord, match="column 'a' has a string that is not UTF-8"):
        read_columns(tmp_path / "u.parquet")
