import io
import json
import logging

from askance.service.logs import log_to


def test_a_line_is_one_object():
    stream = io.StringIO()
    handler = log_to(stream)
    try:
        logging.getLogger("askance.service").info("a\nline")
        logging.getLogger("askance.requests").info(json.dumps({"route": "/x", "status": 200}))
        try:
            raise ValueError("boom")
        except ValueError:
            logging.getLogger("askance.service").exception("failed")
    finally:
        for name in ("askance", "uvicorn.error"):
            logging.getLogger(name).removeHandler(handler)
            logging.getLogger(name).setLevel(logging.NOTSET)
    first, second, third = map(json.loads, stream.getvalue().splitlines())
    assert (first["message"], first["level"], first["logger"]) == (
        "a\nline",
        "info",
        "askance.service",
    )
    assert (second["route"], second["status"]) == ("/x", 200)
    assert "boom" in third["error"]
