"""A browser under conditions that are not of the best: others, no network, small, hostile."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Route
from tests.browser.conftest import PASSWORD, Desk, Site
from tests.service.conftest import settings

from askance.service.demo import make_demo

pytestmark = pytest.mark.slow

AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text()
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
SMALL = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True}
EVIL = (
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'>"
    "<svg onload=window.hacked=1><div hx-get='/people' hx-trigger='load'>"
    "\"'><script src=//evil.example></script>{{ 7 * 7 }}\u202etxt.exe\x07"
)
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def make_stream(site: Site, count: int = 60, **chosen: object) -> str:
    """A stream that asks about everything at first."""
    stream = site.service.session.create(settings(**chosen))
    records = [(str(i), {"note": f"note {i}", "size": i % 5}) for i in range(count)]
    site.service.session.offer(stream, records)
    return stream


def label(desk: Desk, stream: str) -> None:
    desk.page.goto(f"/streams/{stream}/label")
    desk.question()


def answers(site: Site, stream: str) -> list[int]:
    return [entry.number for entry in site.service.session.history(stream, None, 500)]


def test_two_browsers_at_once(site: Site):
    stream = make_stream(site)
    desks = [site.open("ann"), site.open("bob", "annotator")]
    for desk in desks:
        label(desk, stream)
    for turn in range(10):
        shown = [desk.current for desk in desks]
        assert shown[0] != shown[1]
        for desk in desks:
            desk.press("1" if turn % 2 else "2")
            desk.question()
    for desk in desks:
        desk.settle()
    numbers = answers(site, stream)
    assert len(numbers) == len(set(numbers)) == 20
    assert site.service.session.status(stream).answered == 20


def test_the_current_and_the_next_question_are_answered_without_a_network(site: Site):
    stream = make_stream(site)
    desk = site.open()
    label(desk, stream)
    desk.page.locator(".question").nth(1).wait_for(state="attached")
    desk.page.context.set_offline(True)
    desk.press("1")
    desk.press("2")
    assert desk.current == ""
    wire = desk.page.locator("#wire")
    desk.page.wait_for_function("() => document.getElementById('wire').innerText.includes('kept')")
    assert "2 replies are kept here" in wire.inner_text()
    assert answers(site, stream) == []
    desk.page.context.set_offline(False)
    desk.settle()
    desk.question()
    assert sorted(answers(site, stream)) == [0, 1]
    assert wire.inner_text() == ""


def test_what_was_said_without_a_network_survives_a_closed_page(site: Site):
    stream = make_stream(site)
    desk = site.open()
    label(desk, stream)
    context = desk.page.context
    context.set_offline(True)
    desk.press("1")
    desk.page.close()
    context.set_offline(False)
    desk = Desk(context.new_page())
    label(desk, stream)
    desk.settle()
    assert answers(site, stream) == [0]


def test_an_answer_whose_receipt_was_lost_counts_once(site: Site):
    stream = make_stream(site)
    desk = site.open()
    label(desk, stream)
    lost = []

    def lose(route):
        route.fetch()
        lost.append(route.request.post_data_json["id"])
        route.abort()

    desk.page.route("**/answers", lose, times=2)
    desk.press("1")
    desk.settle()
    assert len(lost) == 2
    assert len(set(lost)) == 1
    assert answers(site, stream) == [0]
    site.faults[:] = [fault for fault in site.faults if "ERR_FAILED" not in fault]


def test_who_signs_in_again_in_another_tab_has_their_replies_sent(site: Site):
    stream = make_stream(site)
    desk = site.open()
    label(desk, stream)
    page = desk.page
    other = page.context.new_page()
    other.goto("/")
    other.get_by_role("button", name="Sign out").click()
    other.get_by_label("Password").wait_for()
    desk.press("1")
    page.get_by_text("You are signed out: sign in again").wait_for()
    assert answers(site, stream) == []
    other.get_by_label("Name").fill("ann")
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    other.get_by_role("heading", name="Streams").wait_for()
    page.bring_to_front()
    desk.settle()
    assert answers(site, stream) == [0]
    # What is sent by htmx has the new token too.
    desk.question()
    page.keyboard.press("h")
    page.locator("#history select").select_option("spam")
    page.get_by_role("button", name="Change your answer to question 1").click()
    page.get_by_text("Changed.").wait_for()
    assert site.service.session.status(stream).classes == {"ham": 0, "spam": 1}
    site.faults[:] = [fault for fault in site.faults if "401" not in fault and "403" not in fault]


def test_replies_are_never_sent_in_the_name_of_somebody_else(site: Site):
    stream = make_stream(site)
    desk, bob = site.open("ann"), site.open("bob", "annotator")
    label(desk, stream)
    desk.page.context.clear_cookies()
    desk.page.context.add_cookies(bob.page.context.cookies())
    desk.press("1")
    desk.page.get_by_text("Somebody else has signed in: reload this page").first.wait_for()
    assert answers(site, stream) == []
    site.faults[:] = [fault for fault in site.faults if "403" not in fault]


def failing(status: int) -> Callable[[Route], None]:
    return lambda route: route.fulfill(status=status, body="no")


def test_a_server_that_fails_takes_no_panel(site: Site):
    stream = make_stream(site)
    desk = site.open()
    label(desk, stream)
    page, trouble = desk.page, desk.page.locator("#trouble")
    for status, words in ((500, "The service has a problem"), (401, "You are signed out")):
        page.route("**/glance", failing(status))
        trouble.get_by_text(words).wait_for()
        assert "Labels" in page.locator("#glance").inner_text()
        page.unroute("**/glance")
        trouble.wait_for(state="hidden")
    page.route("**/glance", lambda route: route.abort())
    trouble.get_by_text("Cannot reach the service").wait_for()
    site.faults.clear()


def test_the_history_says_that_it_needs_the_network(site: Site):
    stream = make_stream(site)
    desk = site.open()
    label(desk, stream)
    desk.page.context.set_offline(True)
    desk.page.keyboard.press("h")
    desk.page.locator("#history").get_by_text("The history needs the network").wait_for()
    site.faults.clear()


def test_undo_without_a_network(site: Site):
    stream = make_stream(site)
    desk = site.open()
    label(desk, stream)
    first = desk.current
    desk.page.context.set_offline(True)
    desk.press("1")
    desk.press("u")
    assert desk.current == first
    desk.press("2")
    desk.page.context.set_offline(False)
    desk.settle()
    (entry,) = site.service.session.history(stream, None)
    assert (str(entry.number), entry.vote.label) == (first, "spam")


def test_a_phone(site: Site):
    stream = make_stream(site, classes=tuple("0123456789"), learner="passive")
    desk = site.open(**PHONE)
    for path in ("/", "/new", "/people", f"/streams/{stream}"):
        for shape in (SMALL, PHONE):
            desk.page.set_viewport_size(shape["viewport"])
            desk.page.goto(path)
            assert desk.page.evaluate(WIDE) <= 0, path
    label(desk, stream)
    assert desk.page.evaluate(WIDE) <= 0
    for button in desk.page.locator(".answers button").all():
        box = button.bounding_box()
        assert box["height"] >= 38
        assert box["y"] + box["height"] <= 844
    for _ in range(3):
        before = desk.current
        desk.page.get_by_role("button", name="7").tap()
        desk.page.wait_for_function(
            "before => (document.getElementById('desk')?.dataset.current ?? before) !== before",
            arg=before,
        )
        desk.question()
    desk.settle()
    assert site.service.session.status(stream).classes["7"] == 3


def test_the_answers_leave_the_record_its_room(site: Site):
    long = tuple(f"a class with a rather long name, number {i}" for i in range(14))
    stream = make_stream(site, classes=long, learner="coal")
    for shape in ({}, SMALL):
        desk = site.open(f"ann{len(shape)}", **shape)
        label(desk, stream)
        page = desk.page
        assert page.evaluate("document.querySelector('.answers').offsetHeight / innerHeight") < 0.5
        last = page.locator(".answers [data-label]").last
        last.scroll_into_view_if_needed()
        inside = "button => button.scrollHeight <= button.clientHeight"
        assert all(button.evaluate(inside) for button in page.locator(".answers button").all())
        page.locator("[data-command=skip]").click()
        desk.settle()


def test_the_digit_of_the_demo_is_whole_on_a_small_phone(site: Site):
    stream = make_demo(site.service.session)
    desk = site.open(**SMALL)
    label(desk, stream)
    picture = desk.page.locator(".question:not([hidden]) img").bounding_box()
    answers = desk.page.locator(".answers").bounding_box()
    assert picture["y"] + picture["height"] <= answers["y"]
    assert answers["y"] + answers["height"] <= SMALL["viewport"]["height"]


def test_what_a_form_has_done_is_said_once(site: Site):
    stream = make_demo(site.service.session)
    page = site.open().page
    page.goto(f"/streams/{stream}?answering=200")
    page.get_by_text("200 questions are being answered").wait_for()
    page.reload()
    page.get_by_role("heading", name="Now").wait_for()
    assert page.get_by_text("200 questions are being answered").count() == 0


def test_a_file_that_is_too_large_is_told_before_it_is_sent(site: Site, tmp_path: Path):
    stream = make_stream(site)
    page = site.open().page
    page.goto(f"/streams/{stream}")
    (tmp_path / "large.csv").write_bytes(b"a\n" * 9_000_000)
    page.get_by_label("A file").set_input_files(tmp_path / "large.csv")
    page.get_by_role("button", name="Upload").click()
    wrong = page.get_by_label("A file").evaluate("file => file.validationMessage")
    assert wrong == "The file has 17.2 MB; it may have 16 MB."


def test_a_record_full_of_scripts_and_of_very_long_text(site: Site):
    stream = site.service.session.create(settings(name=EVIL[:100], classes=(EVIL[:80], "ham")))
    record = {EVIL[:60]: EVIL, "long": "x" * 300_000, "html": EVIL * 40, "nested": {"a": [EVIL]}}
    site.service.session.offer(stream, [("a", record), ("b", record)])
    desk = site.open()
    for path in ("/", f"/streams/{stream}"):
        desk.page.goto(path)
        assert desk.page.evaluate(WIDE) <= 0
    label(desk, stream)
    assert "<script>window.hacked" in desk.page.locator(".question:not([hidden])").inner_text()
    assert desk.page.evaluate(WIDE) <= 0
    assert desk.page.get_by_role("button", name="ham").bounding_box()["y"] < 720
    desk.press("2")
    desk.settle()
    desk.page.keyboard.press("h")
    desk.page.locator("#history select").first.wait_for()
    assert desk.page.evaluate("window.hacked") is None
    # Scripts of a record would show here as well: the policy forbids them once more.
    forbidden = desk.page.evaluate(
        "() => { const s = document.createElement('script');"
        " try { s.textContent = 'window.hacked = 2'; } catch {}"
        " s.append('window.hacked = 2'); document.body.append(s); return window.hacked ?? null; }"
    )
    assert forbidden is None
    site.faults.clear()


def test_a_reason_is_on_the_screen_and_the_next_question_comes_by_itself(site: Site):
    stream = make_stream(site, 1, learner="passive")
    desk = site.open()
    label(desk, stream)
    slow: list[Route] = []

    # The answer waits until it was seen what is told meanwhile.
    def hold(route: Route) -> None:
        slow.append(route)

    desk.page.route("**/answers", hold)
    desk.press("1")
    desk.page.get_by_text("Fetching the next question…").wait_for()
    assert not desk.page.locator("#more").is_visible()
    slow[0].continue_()
    desk.page.unroute("**/answers")
    desk.page.get_by_text("No question waits.").wait_for()
    desk.page.locator("#reason").get_by_text("Nothing new has come in").wait_for()
    assert desk.page.locator("#more").is_visible()
    site.service.session.offer(stream, [("new", {"note": "the next one", "size": 1})])
    assert "the next one" in desk.question()
    site.service.session.set_state(stream, "stopped", "ann")
    desk.press("1")
    desk.page.locator("#reason").get_by_text("The questions have ended").wait_for()
    assert not desk.page.locator("#more").is_visible()


def test_single_keys_can_be_turned_off(site: Site):
    stream = make_stream(site)
    desk = site.open()
    label(desk, stream)
    desk.page.keyboard.press("?")
    desk.page.get_by_label("Single keys answer").uncheck()
    desk.page.keyboard.press("Escape")
    before = desk.current
    desk.page.keyboard.press("1")
    assert desk.current == before
    desk.page.get_by_role("button", name="ham").press("Enter")
    desk.settle()
    assert answers(site, stream) == [0]


def _pages(desk: Desk, stream: str, link: str) -> Iterator[str]:
    """Walk over all pages and dialogs."""
    page = desk.page
    for path in ("/", "/new", "/people", f"/streams/{stream}"):
        page.goto(path)
        yield path
    label(desk, stream)
    page.wait_for_function("() => document.getElementById('charts')?.dataset.shown")
    yield "label"
    for key, place in (("h", "#history select"), ("g", "#guidelines"), ("?", "#help")):
        page.keyboard.press(key)
        page.locator(place).first.wait_for()
        yield f"label, {key}"
        page.keyboard.press("Escape")
    page.context.clear_cookies()
    page.goto("/sign-in")
    yield "sign in"
    page.goto(f"/enter/{link}")
    yield "enter"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("shape", [{}, PHONE], ids=["desk", "phone"])
def test_axe_finds_no_serious_fault(site: Site, scheme: str, shape: dict):
    stream = make_stream(site, opinion=True, guidelines="Look twice.", total=500)
    desk = site.open(color_scheme=scheme, **shape)
    label(desk, stream)
    for _ in range(3):
        desk.press("1")
        desk.question()
    desk.press("s")
    desk.settle()
    found = []
    for name in _pages(desk, stream, site.service.people.make_link("annotator")):
        desk.page.evaluate(AXE)
        violations = desk.page.evaluate("axe.run().then(found => found.violations)")
        found += [
            (name, violation["id"], node["html"], node["failureSummary"])
            for violation in violations
            if violation["impact"] in ("serious", "critical")
            for node in violation["nodes"]
        ]
    assert found == []
