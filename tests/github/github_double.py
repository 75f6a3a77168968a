"""A GitHub on loopback that keeps comments, and checks every request and response against GitHub's own description."""

import copy
import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from openapi_core import OpenAPI
from openapi_core.datatypes import RequestParameters
from openapi_core.exceptions import OpenAPIError
from openapi_core.templating.responses.exceptions import ResponseNotFound
from werkzeug.datastructures import Headers, ImmutableMultiDict

SPEC: dict[str, Any] = json.loads((Path(__file__).parent / "github_openapi.json").read_text(encoding="utf-8"))
COMMENT = SPEC["components"]["examples"]["issue-comment"]["value"]
USER = SPEC["components"]["examples"]["private-user-response-with-public-and-private-profile-information"]["value"]

# Requests are checked as if they had gone to GitHub itself, so that one description serves every port.
HOST = "https://api.github.com"
API = OpenAPI.from_dict({**SPEC, "servers": [{"url": HOST}]})

_THREAD = re.compile(r"/repos/(?P<repo>[^/]+/[^/]+)/issues/(?P<number>\d+)/comments")
ARTIFACT = SPEC["components"]["examples"]["artifact-paginated"]["value"]["artifacts"][0]

_ARTIFACTS = re.compile(r"/repos/octo/repo/actions/artifacts(?:/(?P<id>\d+)/zip)?")
_COMMENT = re.compile(r"/repos/(?P<repo>[^/]+/[^/]+)/issues/comments/(?P<id>\d+)")


@dataclass(frozen=True)
class Account:
    """Whom a token stands for. The token of a job is a bot's and may not ask who it is."""

    login: str = "github-actions[bot]"
    type: str = "Bot"
    may_write: bool = True


@dataclass(frozen=True)
class Reply:
    """A scripted answer in place of the real one."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    method: str | None = None
    done_first: bool = False
    """The request is carried out, and its answer lost on the way back."""


@dataclass
class GitHubDouble:
    """State, scripts and a record. ``problems`` are violations of the description: a test that leaves one fails."""

    accounts: dict[str, Account] = field(default_factory=lambda: {"job-token": Account()})
    comments: list[dict[str, Any]] = field(default_factory=list)
    script: list[Reply] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    before: Callable[[str, str], None] | None = None
    url: str = ""
    artifacts: list[dict[str, Any]] = field(default_factory=list)
    archives: dict[str, bytes] = field(default_factory=dict)
    """What the storage serves, by path; it wants no token and gets none."""
    may_read_actions: bool = True

    def __post_init__(self) -> None:
        """Comment ids grow and are never used again."""
        self.lock = threading.RLock()
        self.next_id = 1

    def add(self, body: str, login: str = "github-actions[bot]", kind: str = "Bot", number: int = 7) -> dict[str, Any]:
        """Put a comment on pull request ``number`` of octo/repo."""
        with self.lock:
            comment = copy.deepcopy(COMMENT)
            where = f"{self.url}/repos/octo/repo/issues"
            comment |= {
                "id": self.next_id,
                "body": body,
                "url": f"{where}/comments/{self.next_id}",
                "html_url": f"https://github.test/octo/repo/pull/{number}#issuecomment-{self.next_id}",
                "issue_url": f"{where}/{number}",
            }
            comment["user"] |= {"login": login, "type": kind}
            self.next_id += 1
            self.comments.append(comment)
            return comment

    def upload(self, archive: bytes, *, name: str = "fairgate-report", **facts: Any) -> dict[str, Any]:
        """Keep an archive as an artifact of a run on main; ``facts`` are of the artifact or of its run."""
        with self.lock:
            number = len(self.artifacts) + 1
            run = {
                "id": number,
                "repository_id": 1,
                "head_repository_id": 1,
                "head_branch": "main",
                "head_sha": "b" * 40,
            }
            artifact = copy.deepcopy(ARTIFACT) | {
                "id": number,
                "name": name,
                "size_in_bytes": len(archive),
                "expired": False,
                "created_at": f"2026-11-{number:02}T08:00:00Z",
                "digest": f"sha256:{hashlib.sha256(archive).hexdigest()}",
            }
            artifact |= {key: value for key, value in facts.items() if key not in run}
            artifact["workflow_run"] = run | {key: value for key, value in facts.items() if key in run}
            self.artifacts.insert(0, artifact)
            self.archives[f"/storage/{number}"] = archive
            return artifact

    def bodies(self, number: int = 7) -> list[str]:
        """The bodies on a pull request, oldest first."""
        return [comment["body"] for comment in self.comments if comment["issue_url"].endswith(f"/{number}")]

    def sent(self, method: str) -> list[str]:
        """Paths asked with a method."""
        return [path for asked, path in self.requests if asked == method]

    @contextmanager
    def serve(self) -> Iterator["GitHubDouble"]:
        """Serve on a free port of loopback."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        server.daemon_threads = True
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        server.double = self  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    # --- what it answers ---------------------------------------------------------------------------------------------

    def answer(self, method: str, path: str, query: Mapping[str, str], token: str, body: Any) -> Reply:
        """The answer of the real thing, scripts first."""
        with self.lock:
            self.requests.append((method, path))
            account = self.accounts.get(token)
            if account is None:
                return _error(401, "Bad credentials")
            if self.script and self.script[0].method in (None, method):
                reply = self.script.pop(0)
                if reply.done_first:
                    self._real(method, path, query, account, body)
                return reply
            return self._real(method, path, query, account, body)

    def _real(self, method: str, path: str, query: Mapping[str, str], account: Account, body: Any) -> Reply:
        if found := _ARTIFACTS.fullmatch(path):
            return self._artifacts(path, query, found["id"])
        if path == "/user":
            if account.type == "Bot":
                return _error(403, "Resource not accessible by integration")
            return Reply(200, {**USER, "login": account.login, "user_view_type": "private"})
        if method != "GET" and not account.may_write:
            return _error(403, "Resource not accessible by integration")
        if found := _THREAD.fullmatch(path):
            if method == "POST":
                comment = self.add(body["body"], account.login, account.type, int(found["number"]))
                return Reply(201, comment, {"Location": comment["url"]})
            return self._page(path, int(found["number"]), query)
        if found := _COMMENT.fullmatch(path):
            return self._change(method, int(found["id"]), body)
        return _error(404, "Not Found")

    def _artifacts(self, path: str, query: Mapping[str, str], number: str | None) -> Reply:
        if not self.may_read_actions:
            return _error(403, "Resource not accessible by integration")
        if number is None:
            size, page = min(int(query.get("per_page", 30)), 100), int(query.get("page", 1))
            named = [one for one in self.artifacts if query.get("name") in (None, one["name"])]
            more = f'<{self.url}{path}?per_page={size}&page={page + 1}&name={query.get("name")}>; rel="next"'
            listed = {"total_count": len(named), "artifacts": named[(page - 1) * size : page * size]}
            return Reply(200, listed, {"Link": more} if page * size < len(named) else {})
        if not any(one["id"] == int(number) and not one["expired"] for one in self.artifacts):
            return _error(410, "Artifact has expired")
        return Reply(302, None, {"Location": f"{self.url}/storage/{number}"})

    def _page(self, path: str, number: int, query: Mapping[str, str]) -> Reply:
        size, page = min(int(query.get("per_page", 30)), 100), int(query.get("page", 1))
        mine = [comment for comment in self.comments if comment["issue_url"].endswith(f"/{number}")]
        more = f'<{self.url}{path}?per_page={size}&page={page + 1}>; rel="next"'
        return Reply(200, mine[(page - 1) * size : page * size], {"Link": more} if page * size < len(mine) else {})

    def _change(self, method: str, number: int, body: Any) -> Reply:
        for comment in self.comments:
            if comment["id"] == number:
                if method == "DELETE":
                    self.comments.remove(comment)
                    return Reply(204)
                comment["body"] = body["body"]
                return Reply(200, comment)
        return _error(404, "Not Found")


def _error(status: int, message: str) -> Reply:
    return Reply(
        status, {"message": message, "documentation_url": "https://docs.github.com/rest", "status": str(status)}
    )


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def _handle(self) -> None:
        double: GitHubDouble = self.server.double  # type: ignore[attr-defined]
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urlsplit(self.path)
        if double.before is not None:
            double.before(self.command, url.path)
        if url.path.startswith("/storage/"):
            self._store(double, url.path)
            return
        request = _Request(self, raw)
        self._check(lambda: API.validate_request(request), "request")
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        body = json.loads(raw) if raw else None
        reply = double.answer(self.command, url.path, dict(parse_qsl(url.query)), token, body)
        payload = b"" if reply.body is None else json.dumps(reply.body).encode()
        response = _Response(reply.status, payload)
        self._check(lambda: API.validate_response(request, response), f"response {reply.status}")
        self._send(reply, payload)

    def _store(self, double: GitHubDouble, path: str) -> None:
        """The storage behind artifacts is another service: a token that arrives there has leaked."""
        if self.headers.get("Authorization"):
            double.problems.append(f"the token was sent to {path}")
        payload = double.archives.get(path)
        self.send_response(404 if payload is None else 200)
        self.send_header("Content-Type", "application/zip")
        self.send_header("Content-Length", str(len(payload or b"")))
        self.end_headers()
        self.wfile.write(payload or b"")

    def _check(self, validate: Callable[[], Any], what: str) -> None:
        try:
            validate()
        except ResponseNotFound:
            pass  # GitHub answers 401, 429 and 5xx without listing them
        except OpenAPIError as error:
            problem = f"{what} to {self.command} {self.path}: {type(error).__name__}: {error.__cause__ or error}"
            self.server.double.problems.append(problem[:600])  # type: ignore[attr-defined]

    def _send(self, reply: Reply, payload: bytes) -> None:
        self.send_response(reply.status)
        headers = {"Content-Type": "application/json; charset=utf-8", "Content-Length": str(len(payload))}
        if reply.status == 204:
            headers = {}
        for name, value in {**headers, **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(payload)

    do_GET = do_POST = do_PATCH = do_DELETE = _handle


class _Request:
    """A request as openapi-core wants it."""

    path_pattern = None

    def __init__(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        url = urlsplit(handler.path)
        self.host_url, self.path, self.method = HOST, url.path, handler.command.lower()
        self.full_url_pattern = HOST + url.path
        self.body = body or None
        self.content_type = (handler.headers.get("Content-Type") or "application/json").split(";")[0]
        query = ImmutableMultiDict(parse_qsl(url.query))
        self.parameters = RequestParameters(query=query, header=Headers(list(handler.headers.items())), path={})


class _Response:
    """A response as openapi-core wants it."""

    content_type = "application/json"

    def __init__(self, status: int, data: bytes) -> None:
        self.status_code, self.data = status, data
        self.headers = Headers({"Content-Type": "application/json"})
