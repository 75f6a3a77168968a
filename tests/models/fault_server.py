"""A chat server that fails in every way servers do, by a seed: the same request fails alike in every run."""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TEXT = "APPROVE"
Fault = Callable[[BaseHTTPRequestHandler], None]


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    """A whole answer."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def completion(text: str) -> bytes:
    """What a chat server answers."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    return json.dumps({"model": "m-1", "choices": [choice], "usage": usage}).encode()


def error(status: int, **headers: str) -> Fault:
    return lambda handler: send(handler, status, b'{"error": {"message": "no: KEY"}}', **headers)


def hang(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(2)
    handler.close_connection = True


def reset(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def trickle(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(40):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)
    handler.close_connection = True


FAULTS: dict[str, tuple[Fault, set[str]]] = {
    "429 with a pause": (error(429, Retry_After="0"), {"http_429"}),
    "429": (error(429), {"http_429"}),
    "500": (error(500), {"http_500"}),
    "503": (error(503), {"http_503"}),
    "400": (error(400), {"http_400"}),
    "hang": (hang, {"timeout"}),
    "reset": (reset, {"connection_lost"}),
    "trickle": (trickle, {"timeout"}),
    "invalid json": (lambda handler: send(handler, 200, b"<html>busy</html>"), {"bad_reply"}),
    "truncated json": (lambda handler: send(handler, 200, completion(TEXT)[:40]), {"bad_reply"}),
    "fenced json": (lambda handler: send(handler, 200, b"```json\n" + completion(TEXT) + b"\n```"), {"bad_reply"}),
    "wrong schema": (lambda handler: send(handler, 200, b'{"answer": "APPROVE"}'), {"bad_reply"}),
    "empty choices": (lambda handler: send(handler, 200, b'{"choices": []}'), {"bad_reply", "no_answer"}),
}
"""Name to what the server does, and the reasons that the missing answer may have."""


@dataclass
class FaultServer:
    """Answers, or fails.

    :param share: of requests that fail, in [0, 1]
    :param asked: request body to how often it came
    """

    url: str = ""
    share: float = 0.0
    seed: int = 0
    latency: float = 0.0
    faults: list[str] = field(default_factory=lambda: list(FAULTS))
    text: Callable[[str], str] = lambda _: TEXT
    asked: Counter[str] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def play(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
        with self._lock:
            self.asked[body] += 1
            time_asked = self.asked[body]
        time.sleep(self.latency)
        draw = random.Random(f"{self.seed} {body} {time_asked}")
        try:
            if draw.random() < self.share:
                FAULTS[draw.choice(self.faults)][0](handler)
            else:
                send(handler, 200, completion(self.text(body)))
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client had enough


@contextmanager
def faulty(**facts: Any) -> Iterator[FaultServer]:
    """The server on a free port of the loopback."""
    server = FaultServer(**facts)
    with listening(server.play) as server.url:
        yield server


@contextmanager
def listening(play: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """A server on a free port of the loopback; gives its URL.

    :param play: answers one POST; called by several threads at once
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            play(self)

        def log_message(self, *arguments: Any) -> None:
            """Silence."""

    class Listening(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 256

    httpd = Listening(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_address[1]}"
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()
