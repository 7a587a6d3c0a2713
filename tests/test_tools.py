"""The listing of faults has not rotted, and the invented file is what its script writes."""

import runpy
import tomllib
from pathlib import Path

import askance

LISTING = Path(__file__).parents[1] / "tools" / "mutants.toml"


def test_every_listed_fault_can_be_applied() -> None:
    faults = tomllib.loads(LISTING.read_text())["mutant"]
    package = Path(askance.__file__).parent
    assert len(faults) >= 30
    assert len({fault["why"] for fault in faults}) == len(faults)
    for fault in faults:
        assert (package / fault["file"]).read_text().count(fault["old"]) == 1, fault["why"]
        assert fault["new"] != fault["old"]


def test_the_tickets_are_what_their_script_writes() -> None:
    tools = runpy.run_path(str(LISTING.with_name("tickets.py")))
    written = LISTING.parents[1] / "examples" / "tickets.csv"
    assert written.read_text() == tools["tickets"]()


def test_the_number_of_faults_is_the_one_that_we_tell() -> None:
    faults = tomllib.loads(LISTING.read_text())["mutant"]
    assert f"{len(faults)} known faults" in (LISTING.parents[1] / "CONTRIBUTING.md").read_text()
