"""Whatever the schema allows, and what it does not: the server answers, and never with a 500."""

import contextlib
import json
import time

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed
from hypothesis import settings as hypothesis_settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from tests.service.conftest import answer_all, made_records, settings
from tests.service.serving import client, served

SECONDS = 60.0
AT_ONCE = 5
MODES = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


@schemathesis.serializer("application/x-ndjson")
def lines(context, value) -> bytes:
    """Bytes as they are, and anything else as a line of JSON."""
    return value if isinstance(value, bytes) else json.dumps(value, default=str).encode()


class Fuzz:
    """Calls of each operation with what Hypothesis makes up."""

    def __init__(self, headers: dict[str, str], stream: str) -> None:
        self.headers, self.stream = headers, stream
        self.tried: dict[str, list[int]] = {}

    def call(self, case) -> None:
        codes = self.tried.setdefault(case.operation.label, [])
        # Most cases should get beyond the question whether there is such a stream.
        if "stream" in (case.path_parameters or {}) and len(codes) % 4:
            case.path_parameters["stream"] = self.stream
        answer = case.call(headers=self.headers, timeout=60)
        codes.append(answer.status_code)
        assert answer.status_code < 500, f"{case.operation.label}: {answer.text}"

    def run(self, operation, mode: GenerationMode, round: int) -> None:
        @seed(round)
        @hypothesis_settings(
            max_examples=AT_ONCE,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def check(case) -> None:
            self.call(case)

        # Where nothing is sent, nothing can be wrong with it.
        with contextlib.suppress(*[Unsatisfiable] * (mode is GenerationMode.NEGATIVE)):
            check()


@pytest.mark.filterwarnings("default")
def test_no_request_ends_in_an_error_of_the_server(service):
    stream = service.session.create(settings())
    service.session.offer(stream, made_records(200))
    answer_all(service.session, stream, most=20)
    with served(service) as address, client(address, service, "admin") as caller:
        schema = schemathesis.openapi.from_url(f"{address}/api/v1/openapi.json")
        headers = {"Authorization": caller.headers["authorization"]}
        fuzz = Fuzz(headers, stream)
        operations = [found.ok() for found in schema.get_all_operations()]
        ends, round = time.monotonic() + SECONDS, 0
        while not round or time.monotonic() < ends:
            for operation in operations:
                for mode in MODES:
                    if not round or time.monotonic() < ends:
                        fuzz.run(operation, mode, round)
            round += 1
    assert len(fuzz.tried) == len(operations) > 25
    assert {code // 100 for codes in fuzz.tried.values() for code in codes} >= {2, 4}
