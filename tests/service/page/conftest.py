"""Somebody at a page, without a browser."""

import asyncio
import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from askance.service.api.app import create_app
from askance.service.page.router import page_router
from askance.service.running import Service


class Person:
    """Somebody who is signed in, with the token of their forms."""

    def __init__(self, app: FastAPI) -> None:
        self._runner = asyncio.Runner()
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="https://testserver"
        )
        self.cookies = self._client.cookies
        self.csrf = ""

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self._runner.run(self._client.get(path, **options))

    def post(self, path: str, **options: Any) -> httpx.Response:
        return self._runner.run(self._client.post(path, **options))

    def close(self) -> None:
        self._runner.run(self._client.aclose())
        self._runner.close()


Enter = Callable[..., Person]


@pytest.fixture
def enter(service: Service) -> Iterator[Enter]:
    """Sign somebody in by a link."""
    app = create_app(service, [page_router()])
    entered: list[Person] = []

    def enter(
        name: str = "ann", role: str = "admin", streams: tuple[str, ...] | None = None
    ) -> Person:
        person = Person(app)
        entered.append(person)
        link = service.people.make_link(role, streams)
        person.post(f"/enter/{link}", data={"name": name, "password": "correct horse"})
        person.csrf = service.people.of_cookie(person.cookies["askance"]).csrf
        return person

    yield enter
    for person in entered:
        person.close()


def visible_text(html: str) -> str:
    """The text of a page, without its tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())
