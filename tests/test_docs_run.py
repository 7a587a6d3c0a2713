"""Every block of code in the documents runs, page by page and in order, in a folder of its own."""

import doctest
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import askance
from askance.study.design import read_study

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FENCE = re.compile(
    r"(?:^<!-- not run: (?P<why>.+?) -->\n)?"
    r"^(?P<mark>`{3,})(?P<kind>\S*).*?\n(?P<text>.*?)^(?P=mark)$",
    re.MULTILINE | re.DOTALL,
)
PROMPT = re.compile(r"^\$ (.+(?:\n> .+)*)\n?", re.MULTILINE)

# What may be shown without being run here, and nothing else: it builds or tests the package, needs
# a person, the network or the paper's data, or takes hours.
NOT_RUN = re.compile(
    r"make \w+|git clone |pip install |pre-commit |askance label |askance --install-completion"
    r"|askance data fetch |askance theory (run|document) |python (-m )?benchmarks[/.]"
    r"|askance study \w+ (studies|stores|docs/results)/"
    r"(nips2015|disagreement|exact|labels|ablation|classes)|python tools/classes.py "
)


class Block(NamedTuple):
    kind: str
    text: str
    why: str | None


def blocks(page):
    return [Block(m["kind"], m["text"], m["why"]) for m in FENCE.finditer(page.read_text())]


def transcript(text):
    """Commands and what is shown of their output, or None where nothing is shown."""
    parts = PROMPT.split(text)
    assert not parts[0].strip(), "a console block starts with a command"
    found = []
    for command, output in zip(parts[1::2], parts[2::2], strict=True):
        found.append((command.replace("\n> ", "\n"), output if output.strip() else None))
    return found


def named(path):
    return path.relative_to(ROOT).as_posix()


RUN = {"python", "console", "toml"}
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
WITH_CODE = [page for page in PAGES if any(block.kind in RUN for block in blocks(page))]
every_page = pytest.mark.parametrize("page", PAGES, ids=named)


@pytest.mark.parametrize("page", WITH_CODE, ids=named)
def test_every_block_runs(page, tmp_path, monkeypatch):
    if INTERPRETED and any(b.kind == "console" and b.why is None for b in blocks(page)):
        pytest.skip("commands are other processes, which the compiled run of the suite tries")
    for folder in ("examples", "studies"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        if block.kind == "python":
            run_python(block.text, names, named(page))
        elif block.kind == "console" and block.why is None:
            run_console(block.text, tmp_path)
        elif block.kind == "toml":
            Path("study.toml").write_text(block.text)
            read_study(Path("study.toml"))


def run_python(text, names, page):
    assert text.startswith(">>> ")
    test = doctest.DocTestParser().get_doctest(text, names, page, page, 0)
    report = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False)
    result = runner.run(test, out=report.write, clear_globs=False)
    names.update(test.globs)
    assert result.attempted > 0
    assert result.failed == 0, report.getvalue()


def run_console(text, folder):
    """As in a shell without a terminal; `askance` is the package under test."""
    scripts = folder / ".scripts"
    scripts.mkdir(exist_ok=True)
    for name, module in (("askance", " -m askance"), ("python", "")):
        (scripts / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{module} "$@"\n')
        (scripts / name).chmod(0o755)
    # Compiled even where this process is not: the output is the same, and there in time.
    away = ("NUMBA_DISABLE_JIT", "ASKANCE_DATA", "COLUMNS")
    kept = {key: value for key, value in os.environ.items() if key not in away}
    environment = {
        **kept,
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(askance.__file__).parents[1]),
    }
    for command, shown in transcript(text):
        result = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, check=False, env=environment
        )
        assert result.returncode == 0, f"{command}\n{result.stderr}"
        if shown is not None:
            check_output(command, shown, result.stdout)


def check_output(command, shown, printed):
    want, got = (
        "\n".join(map(str.rstrip, text.strip("\n").splitlines())) for text in (shown, printed)
    )
    same = doctest.OutputChecker().check_output(f"{want}\n", f"{got}\n", doctest.ELLIPSIS)
    assert same, f"$ {command}\nshown:\n{want}\nprinted:\n{got}"


@every_page
def test_every_block_is_of_a_kind_that_is_run_or_is_no_code(page):
    found = blocks(page)
    assert len(found) * 2 == len(re.findall(r"^`{3,}", page.read_text(), re.MULTILINE))
    for block in found:
        assert block.kind in {*RUN, "text"} or block.kind.startswith("{"), block
        assert block.kind == "console" or block.why is None, block


@every_page
def test_only_some_commands_may_be_shown_without_being_run(page):
    for block in blocks(page):
        if block.why is not None:
            assert len(block.why) > 8
            for command, shown in transcript(block.text):
                assert NOT_RUN.match(command), f"{command} can run: take the mark off"
                assert shown is None or command.startswith("askance label ")


def test_what_is_shown_is_compared():
    check_output("x", "error 0.1...\n", "error 0.125\n")
    with pytest.raises(AssertionError, match="printed"):
        check_output("x", "error 0.2\n", "error 0.125\n")
    assert transcript("$ one \\\n> two\nout\n$ three\n") == [
        ("one \\\ntwo", "out\n"),
        ("three", None),
    ]
    assert not NOT_RUN.match("askance demo")
