"""The client against a server that refuses, stumbles and asks to wait."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fairgate.github.client import ATTEMPTS, Client, GitHubError, retry_wait
from fairgate.world import World
from tests.github.github_double import GitHubDouble, Reply

THREAD = "/repos/octo/repo/issues/7/comments"


class Clock:
    """Remembers how long was slept."""

    def __init__(self) -> None:
        self.slept: list[float] = []


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(github: GitHubDouble, clock: Clock) -> Client:
    return client_for(github.url, clock)


def client_for(url: str, clock: Clock, token: str = "job-token") -> Client:
    return Client(url, token, World(environ={}, sleep=clock.slept.append, chance=lambda: 0.0))


@pytest.mark.parametrize(
    ("status", "headers", "message", "wait"),
    [
        (500, {}, "", 0.0),
        (502, {"retry-after": "7"}, "", 7.0),
        (503, {"retry-after": "3600"}, "", None),
        (429, {}, "", 60.0),
        (429, {"retry-after": "5"}, "", 5.0),
        (429, {"retry-after": "soon"}, "", 60.0),
        (403, {}, "Resource not accessible by integration", None),
        (403, {"retry-after": "30"}, "", 30.0),
        (403, {}, "You have exceeded a secondary rate limit.", 60.0),
        (403, {"x-ratelimit-remaining": "12"}, "", None),
        (
            403,
            {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "40", "date": "Thu, 01 Jan 1970 00:00:10 GMT"},
            "",
            30.0,
        ),
        (
            403,
            {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "4000", "date": "Thu, 01 Jan 1970 00:00:10 GMT"},
            "",
            None,
        ),
        (403, {"x-ratelimit-remaining": "0"}, "", 60.0),
        (400, {"retry-after": "1"}, "", None),
        (401, {"retry-after": "1"}, "", None),
        (404, {}, "", None),
        (409, {}, "", None),
        (422, {"retry-after": "1"}, "", None),
        (301, {}, "", None),
    ],
)
def test_what_is_worth_another_try(status: int, headers: dict[str, str], message: str, wait: float | None) -> None:
    assert retry_wait(status, headers, message) == wait


@pytest.mark.parametrize("status", [500, 502, 503, 504, 429])
def test_a_stumble_is_retried(github: GitHubDouble, client: Client, clock: Clock, status: int) -> None:
    github.script = [Reply(status, {"message": "later"}, {"retry-after": "3"})] * 2
    assert list(client.items(THREAD)) == []
    assert clock.slept == [3.0, 3.0]


def test_trying_ends(github: GitHubDouble, client: Client, clock: Clock) -> None:
    github.script = [Reply(500, {"message": "down"})] * 9
    with pytest.raises(GitHubError, match="500 down"):
        client.get("/user")
    assert len(github.requests) == ATTEMPTS
    assert clock.slept == [1.0, 2.0, 4.0]


@pytest.mark.parametrize("status", [401, 403, 404, 410, 422])
def test_an_answer_is_not_retried(github: GitHubDouble, client: Client, clock: Clock, status: int) -> None:
    body = {"message": "no", "documentation_url": "https://docs.github.com"}
    github.script = [Reply(status, body | ({"errors": [{"code": "x", "message": "why"}]} if status == 422 else {}))]
    with pytest.raises(GitHubError, match=f"POST {THREAD}: {status} no") as caught:
        client.post(THREAD, {"body": "hello"})
    assert (caught.value.status, clock.slept, len(github.requests)) == (status, [], 1)


def test_it_says_what_is_wrong_with_a_field(github: GitHubDouble, client: Client) -> None:
    errors = [{"code": "custom", "message": "body is too long"}]
    github.script = [Reply(422, {"message": "Validation Failed", "documentation_url": "x", "errors": errors})]
    with pytest.raises(GitHubError, match="422 Validation Failed body is too long"):
        client.post(THREAD, {"body": "hello"})


def test_the_token_is_in_no_error(github: GitHubDouble, clock: Clock) -> None:
    client = client_for(github.url, clock, token="ghs_secret")
    with pytest.raises(GitHubError) as caught:
        client.get("/user")
    assert caught.value.status == 401
    github.accounts["ghs_secret"] = github.accounts["job-token"]
    github.script = [Reply(404, {"message": "no ghs_secret here", "documentation_url": "x"})]
    with pytest.raises(GitHubError) as echoed:
        list(client.items(THREAD))
    assert "ghs_secret" not in f"{caught.value!r} {echoed.value!r} {client!r}"
    assert "no *** here" in str(echoed.value)


def test_nobody_there(clock: Clock) -> None:
    with pytest.raises(GitHubError, match="GET /user: ") as caught:
        client_for("http://127.0.0.1:1", clock).get("/user")
    assert caught.value.status is None
    assert len(clock.slept) == ATTEMPTS - 1


def test_every_page_is_read(github: GitHubDouble, client: Client) -> None:
    for number in range(250):
        github.add(f"comment {number}")
    assert [item["body"] for item in client.items(THREAD)] == [f"comment {number}" for number in range(250)]
    assert len(github.sent("GET")) == 3


@pytest.mark.parametrize("elsewhere", ["http://evil.test/repos?page=2", "http://127.0.0.1:9/x", "{url}.evil.test/x"])
def test_pages_stay_on_the_server(github: GitHubDouble, client: Client, elsewhere: str) -> None:
    github.script = [Reply(200, [], {"Link": f'<{elsewhere.format(url=github.url)}>; rel="next"'})]
    with pytest.raises(GitHubError, match="another server"):
        list(client.items(THREAD))
    assert len(github.requests) == 1


def test_pages_end(github: GitHubDouble, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairgate.github.client.MAX_PAGES", 6)
    again = Reply(200, [], {"Link": f'<{github.url}{THREAD}?page=2>; rel="next"'})
    github.script = [again] * 200
    with pytest.raises(GitHubError, match="more than 6 pages"):
        list(client.items(THREAD))
    assert len(github.requests) == 6


def test_a_page_that_is_no_list_or_no_json() -> None:
    for body, message in ((b'{"a": 1}', "expected a list"), (b"<html>", "not JSON")):
        with _raw_server(body) as url, pytest.raises(GitHubError, match=message):
            list(client_for(url, Clock()).items("/x"))


def test_a_redirect_is_an_error_not_a_way() -> None:
    with _raw_server(b"", 302, "http://127.0.0.1:9/") as url, pytest.raises(GitHubError, match="302"):
        client_for(url, Clock()).get("/user")


def test_deleting_what_is_gone_is_no_error(github: GitHubDouble, client: Client) -> None:
    client.delete("/repos/octo/repo/issues/comments/99")
    assert github.sent("DELETE") == ["/repos/octo/repo/issues/comments/99"]


def test_a_netrc_of_the_machine_does_not_replace_the_token(
    github: GitHubDouble, client: Client, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login somebody password else\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    assert list(client.items(THREAD)) == []


class _raw_server:
    """Answers everything with the same bytes."""

    def __init__(self, body: bytes, status: int = 200, location: str | None = None) -> None:
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_GET(self) -> None:
                self.send_response(status)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> str:
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
