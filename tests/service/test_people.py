from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from askance.errors import InvalidParameter
from askance.service.people import LINK, SIGNED_IN, Forbidden, NotAllowed
from askance.service.schema import accounts, keys
from askance.service.throttle import FREE, FREE_OF_ADDRESS, TooOften


def test_a_link_works_once(people, clock):
    link = people.make_link("admin")
    assert not people.has_admin()
    signed_in = people.redeem(link, "ann", "correct horse")
    assert signed_in.account.role == "admin"
    assert people.has_admin()
    with pytest.raises(NotAllowed):
        people.redeem(link, "eve", "correct horse")
    late = people.make_link("annotator")
    clock.turn(LINK + 1)
    with pytest.raises(NotAllowed):
        people.redeem(late, "bob", "correct horse")


def test_of_the_links_for_the_first_admin_the_last_counts(people, engine):
    older = people.make_first_link()
    other = people.make_link("admin")
    newer = people.make_first_link()
    with pytest.raises(NotAllowed):
        people.redeem(older, "eve", "correct horse")
    people.check_link(newer)
    people.redeem(other, "ann", "correct horse")
    for use in (people.check_link, lambda link: people.redeem(link, "eve", "correct horse")):
        with pytest.raises(NotAllowed, match="this link was for the first admin, and there is one"):
            use(newer)
    kept = people.make_link("admin")
    assert people.make_first_link() is None
    with engine.connect() as connection:
        links = sa.select(sa.func.count()).where(keys.c.kind == "link")
        assert connection.scalar(links) == 1
    assert people.redeem(kept, "bob", "correct horse").account.role == "admin"


def test_the_first_admin_comes_by_a_link(people):
    link = people.make_first_link()
    assert people.redeem(link, "ann", "correct horse").account.role == "admin"
    assert people.has_admin()


def test_a_name_that_is_taken_does_not_use_a_link_up(people):
    people.add("ann", "annotator")
    link = people.make_link("annotator", ("s1",))
    with pytest.raises(InvalidParameter, match="there is an account 'ann' already"):
        people.redeem(link, "ann", "correct horse")
    assert people.redeem(link, "anna", "correct horse").account.streams == ("s1",)


def test_signing_in_and_out(people, clock):
    people.add("ann", "annotator", "correct horse")
    signed_in = people.sign_in("ann", "correct horse", "10.0.0.1")
    assert people.of_cookie(signed_in.cookie).csrf == signed_in.csrf
    people.sign_out(signed_in.cookie)
    with pytest.raises(NotAllowed):
        people.of_cookie(signed_in.cookie)
    again = people.sign_in("ann", "correct horse", "10.0.0.1")
    clock.turn(SIGNED_IN + 1)
    with pytest.raises(NotAllowed):
        people.of_cookie(again.cookie)


def test_failures_delay_by_name_and_by_address(people, clock):
    people.add("ann", "annotator", "correct horse")
    people.add("bob", "annotator", "correct horse")
    for _ in range(4):
        with pytest.raises(NotAllowed):
            people.sign_in("ann", "wrong horse", "10.0.0.1")
    with pytest.raises(TooOften):
        people.sign_in("ann", "correct horse", "10.0.0.2")
    for i in range(FREE_OF_ADDRESS - 3):
        with pytest.raises(NotAllowed):
            people.sign_in(f"eve {i}", "wrong horse", "10.0.0.1")
    with pytest.raises(TooOften):
        people.sign_in("bob", "correct horse", "10.0.0.1")
    clock.turn(2.0)
    assert people.sign_in("ann", "correct horse", "10.0.0.1").account.name == "ann"


def test_guesses_at_once_get_no_further_than_guesses_in_turn(people):
    people.add("ann", "annotator", "correct horse")

    def guess(i):
        try:
            people.sign_in("ann", f"wrong horse {i}", "10.0.0.1")
        except (NotAllowed, TooOften) as error:
            return type(error)

    with ThreadPoolExecutor(16) as pool:
        told = list(pool.map(guess, range(16)))
    assert told.count(NotAllowed) == FREE + 1
    assert told.count(TooOften) == 16 - FREE - 1


def test_an_account_of_ones_own_does_not_help_to_guess_those_of_others(people):
    people.add("eve", "annotator", "correct horse")
    for i in range(FREE_OF_ADDRESS + 1):
        people.sign_in("eve", "correct horse", "10.0.0.1")
        with pytest.raises(NotAllowed):
            people.sign_in(f"ann {i}", "wrong horse", "10.0.0.1")
    for name in ("eve", "ann 99"):
        with pytest.raises(TooOften):
            people.sign_in(name, "correct horse", "10.0.0.1")
    assert people.sign_in("eve", "correct horse", "10.0.0.2").account.name == "eve"


def test_form_tokens_are_those_of_one_session(people):
    people.add("ann", "annotator", "correct horse")
    first = people.sign_in("ann", "correct horse", "a")
    second = people.sign_in("ann", "correct horse", "a")
    people.check_csrf(first, first.csrf)
    for token in (second.csrf, "", None):
        with pytest.raises(Forbidden):
            people.check_csrf(first, token)


def test_tokens_are_kept_as_digests_only(people, engine):
    account = people.add("app", "application")
    token = people.make_token(account.id)
    assert people.of_token(token) == account
    with engine.connect() as connection:
        kept = str(connection.execute(keys.select()).all())
        kept += str(connection.execute(accounts.select()).all())
    assert token not in kept
    people.end_tokens(account.id)
    with pytest.raises(NotAllowed):
        people.of_token(token)


def test_one_kind_of_secret_is_not_another(people):
    account = people.add("ann", "admin", "correct horse")
    token, link = people.make_token(account.id), people.make_link("admin")
    cookie = people.sign_in("ann", "correct horse", "a").cookie
    for secret in (link, cookie):
        with pytest.raises(NotAllowed):
            people.of_token(secret)
    for secret in (link, token):
        with pytest.raises(NotAllowed):
            people.of_cookie(secret)


def test_an_account_that_is_closed_ends_at_once(people):
    account = people.add("ann", "annotator", "correct horse")
    token, cookie = (
        people.make_token(account.id),
        people.sign_in("ann", "correct horse", "a").cookie,
    )
    people.deactivate(account.id)
    with pytest.raises(NotAllowed):
        people.of_token(token)
    with pytest.raises(NotAllowed):
        people.of_cookie(cookie)
    with pytest.raises(NotAllowed):
        people.sign_in("ann", "correct horse", "a")
    assert not people.accounts()[0].active


@pytest.mark.parametrize(("name", "role"), [("", "admin"), ("a\n", "admin"), ("a", "king")])
def test_names_and_roles_are_checked(people, name, role):
    with pytest.raises(InvalidParameter):
        people.add(name, role)


def test_keys_that_ended_are_dropped(people, engine, clock):
    people.make_link("admin")
    clock.turn(LINK + 1)
    people.make_link("admin")
    with engine.connect() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(keys)) == 1


def test_a_token_that_is_remembered_ends_at_once(people):
    for end in (people.end_tokens, people.deactivate):
        account = people.add(f"app of {end.__name__}", "application")
        token = people.make_token(account.id)
        assert people.remembered(token) is None
        assert people.of_token(token) == people.remembered(token) == account
        end(account.id)
        assert people.remembered(token) is None
        with pytest.raises(NotAllowed):
            people.of_token(token)


def test_what_was_looked_up_before_a_token_ended_is_not_remembered(people, monkeypatch):
    account = people.add("app", "application")
    token, look_up = people.make_token(account.id), people._found

    def found_too_early(secret, kind):
        row = look_up(secret, kind)
        people.end_tokens(account.id)
        return row

    monkeypatch.setattr(people, "_found", found_too_early)
    assert people.of_token(token) == account
    monkeypatch.undo()
    assert people.remembered(token) is None
    with pytest.raises(NotAllowed):
        people.of_token(token)


def test_colleagues_who_sign_in_at_once_from_one_address_do_not_wait(people):
    for i in range(10):
        people.add(f"p{i}", "annotator", "correct horse")
    with ThreadPoolExecutor(10) as tries:
        found = list(
            tries.map(lambda i: people.sign_in(f"p{i}", "correct horse", "1.2.3.4"), range(10))
        )
    assert len({one.account.id for one in found}) == 10
