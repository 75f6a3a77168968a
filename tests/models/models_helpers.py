"""What the tests of systems share: a scripted loopback server, questions, and a sleep that does not wait."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from fairgate.models.protocol import Question, System

KEY = "sk-test-0123456789-abcdefghij"


@dataclass(frozen=True)
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: Any


Step = Callable[[BaseHTTPRequestHandler], None]


def answer(status: int = 200, body: Any = None, **headers: str) -> Step:
    """A whole answer; a body that is neither bytes nor text is sent as JSON."""

    def step(handler: BaseHTTPRequestHandler) -> None:
        raw = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(raw)))
        handler.end_headers()
        handler.wfile.write(raw)

    return step


def completion(text: Any, **more: Any) -> Step:
    """What a chat server answers when all is well."""
    message = {"role": "assistant", "content": text}
    return answer(200, {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], **more})


@dataclass
class Server:
    """Answers by its steps, the last one for ever; remembers what it saw and how many it served at once."""

    url: str
    steps: list[Step] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    most_at_once: int = 0
    released: threading.Event = field(default_factory=threading.Event)
    _at_once: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def play(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        with self._lock:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            body = json.loads(raw) if raw else None
            self.seen.append(Seen(handler.command, handler.path, dict(handler.headers), body))
            step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
        try:
            step(handler)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client had enough
        finally:
            with self._lock:
                self._at_once -= 1


@contextmanager
def serve() -> Iterator[Server]:
    """A scripted server on a free port of the loopback, for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            scripted.play(self)

        do_GET = do_PUT = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            """Silence."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    scripted = Server(f"http://127.0.0.1:{httpd.server_address[1]}")
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield scripted
    finally:
        scripted.released.set()
        httpd.shutdown()
        httpd.server_close()
        thread.join()


@dataclass
class Sleeper:
    """Sleep that does not wait, and remembers."""

    slept: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


Build = Callable[[dict[str, Any]], System]


def ask(id: str = "c1", **fields: Any) -> Question:
    return Question(id, fields)
