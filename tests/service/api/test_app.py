from fastapi import APIRouter

from askance.service.api.app import create_app


def test_pages_come_after_the_api_and_are_not_in_the_schema(service):
    page = APIRouter()
    page.get("/hello")(lambda: "hello")
    app = create_app(service, [page])
    assert app.state.service is service
    paths = app.openapi()["paths"]
    assert "/hello" not in paths
    assert "/api/v1/streams/{stream}/answers" in paths
