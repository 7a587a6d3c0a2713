"""One whole journey of a new user, in a real browser."""

import csv
from pathlib import Path

from tests.browser.conftest import Desk, Site


def _write_fruit(path: Path, count: int = 240) -> None:
    """Fruit whose class one can see from its text."""
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "note", "weight"])
        for i in range(count):
            fruit = "a ripe cherry from the old tree" if i % 3 else "a plum that fell to the ground"
            table.writerow([f"f{i}", f"{fruit}, found on day {i}", 5 + i % 7])


def _key(question: str) -> str:
    return "1" if "cherry" in question else "2"


def test_sign_in_create_upload_label_skip_undo_change_and_export(site: Site, tmp_path: Path):
    _write_fruit(tmp_path / "fruit.csv")
    desk = site.open()
    _sign_out_and_in_again(site, desk)
    _create(desk)
    _upload(desk, tmp_path / "fruit.csv")
    desk.page.get_by_role("link", name="Label", exact=True).click()
    desk.answer(_key, 20)
    stream = desk.page.locator("#desk").get_attribute("data-stream")
    assert site.service.session.status(stream).answered == 20
    _see_the_chart_move(desk)
    _skip_and_undo(site, desk, stream)
    _change_an_old_answer(site, desk, stream)
    rows = _export(desk, tmp_path)
    labelled = site.service.session.status(stream).answered
    assert len(rows) == labelled
    assert {row["label"] for row in rows} == {"cherry", "plum"}
    assert all(float(row["weight"]) >= 1 for row in rows)


def _sign_out_and_in_again(site: Site, desk: Desk) -> None:
    page = desk.page
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Name").fill("ann")
    page.get_by_label("Password").fill("wrong horse")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    assert "403" in site.faults.pop()
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Streams").wait_for()


def _create(desk: Desk) -> None:
    page = desk.page
    page.get_by_role("link", name="New stream").first.click()
    page.get_by_label("Name").fill("Fruit")
    page.get_by_label("Classes").fill("cherry\nplum")
    page.get_by_label("Guidelines").fill("A plum is larger.")
    page.get_by_label("Labels in all").fill("60")
    page.get_by_label("Examples in all").fill("240")
    page.get_by_role("button", name="Create").click()
    page.get_by_role("heading", name="Fruit").wait_for()
    assert "Nothing has come in yet" in page.locator("#glance").inner_text()


def _upload(desk: Desk, path: Path) -> None:
    page = desk.page
    page.get_by_label("A file").set_input_files(path)
    page.get_by_label("Column of ids").fill("id")
    page.get_by_role("button", name="Upload").click()
    page.get_by_text("240 records came in").wait_for()


def _see_the_chart_move(desk: Desk) -> None:
    """The charts have followed the labels, and the error with its interval is on the screen."""
    page = desk.page
    page.wait_for_function("() => document.getElementById('charts')?.dataset.shown >= 20")
    assert page.locator("#chart-error canvas").is_visible()
    page.wait_for_function("() => /\\d% to \\d+%/.test(glance.innerText)")


def _skip_and_undo(site: Site, desk: Desk, stream: str) -> None:
    status = site.service.session.status
    desk.question()
    desk.press("s")
    desk.settle()
    assert (status(stream).answered, status(stream).withdrawn) == (20, 1)
    desk.press(_key(desk.question()))
    last = desk.current
    desk.settle()
    assert status(stream).answered == 21
    desk.press("u")
    desk.settle()
    assert desk.current != last
    assert status(stream).answered == 20


def _change_an_old_answer(site: Site, desk: Desk, stream: str) -> None:
    before = site.service.session.status(stream).classes
    page = desk.page
    page.keyboard.press("h")
    choice = page.locator("#history select").last
    choice.wait_for()
    old = choice.input_value()
    new = "plum" if old == "cherry" else "cherry"
    choice.focus()
    page.keyboard.press("ArrowUp" if new == "cherry" else "ArrowDown")
    assert choice.input_value() == new
    # An arrow key changes nothing on the server yet.
    assert site.service.session.status(stream).classes == before
    page.keyboard.press("Tab")
    with page.expect_response("**/history/**"):
        page.keyboard.press("Enter")
    page.locator("#history-said").get_by_text("Changed.").wait_for()
    assert page.evaluate("document.activeElement.id").startswith("change-")
    after = site.service.session.status(stream).classes
    assert (after[old], after[new]) == (before[old] - 1, before[new] + 1)
    page.keyboard.press("Escape")


def _export(desk: Desk, folder: Path) -> list[dict[str, str]]:
    page = desk.page
    page.get_by_role("link", name="Fruit").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Labels with weights, CSV").click()
    path = folder / "labels.csv"
    download.value.save_as(path)
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
