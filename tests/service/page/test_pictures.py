import pytest

from askance.service.page.pictures import is_inline_picture, is_picture

HOSTS = ("img.example.org", "cdn.example.org:8443")


@pytest.mark.parametrize("kind", ["png", "jpeg", "gif", "webp", "avif"])
def test_pixels_may_be_inline(kind):
    assert is_inline_picture(f"data:image/{kind};base64,iVBORw0KGgo=")


@pytest.mark.parametrize(
    "value",
    [
        "data:image/svg+xml;base64,PHN2Zz4=",
        "data:text/html;base64,PHN2Zz4=",
        'data:image/png;base64,iVBO" onerror=x',
        "data:image/png,plain",
        " data:image/png;base64,iVBORw0=",
        b"data:image/png;base64,iVBORw0=",
        7,
        None,
    ],
)
def test_nothing_else_is_inline(value):
    assert not is_inline_picture(value)


@pytest.mark.parametrize(
    "value",
    [
        "https://img.example.org/a.png?x=1",
        "https://cdn.example.org:8443/",
        "https://IMG.example.org/",
    ],
)
def test_pictures_of_allowed_hosts(value):
    assert is_picture(value, HOSTS)


@pytest.mark.parametrize(
    "value",
    [
        "http://img.example.org/a.png",
        "https://img.example.org.evil.net/a.png",
        "https://evil.net/img.example.org",
        "https://img.example.org@evil.net/",
        "https://user@img.example.org/a.png",
        "https://img.example.org\\@evil.net/",
        "https://img.example.org:9/a.png",
        "https://img.example.org /a.png",
        "https://[img.example.org/",
        "https://img.exam\nple.org/a.png",
        "//img.example.org/a.png",
        "javascript:alert(1)",
    ],
)
def test_pictures_of_no_other_host(value):
    assert not is_picture(value, HOSTS)
