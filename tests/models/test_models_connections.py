"""Connections: the environment's proxies and certificates count, whatever the exchange is made with."""

import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from models_helpers import Build, Server, ask, completion

from fairgate.models.protocol import CallFailed

CHAT = {"type": "chat", "messages": [{"turns": "history"}]}


def chat(url: str, **settings: Any) -> dict[str, Any]:
    return {**CHAT, "model": {"type": "openai", "model": "m", "base_url": url, **settings}}


@pytest.fixture(autouse=True)
def _no_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def test_a_proxy_of_the_environment_is_asked(server: Server, build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    server.steps = [completion("ok")]
    monkeypatch.setenv("HTTP_PROXY", server.url.replace("//", "//user:word@"))
    assert build(chat("http://models.invalid/v1")).send(ask()).text == "ok"
    (seen,) = server.seen
    assert seen.path == "http://models.invalid/v1/chat/completions"
    assert seen.headers["Proxy-Authorization"].startswith("Basic ")


def test_a_server_that_needs_no_proxy_is_asked_directly(
    server: Server, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.steps = [completion("ok")]
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    assert build(chat(server.url)).send(ask()).text == "ok"


@pytest.mark.parametrize(
    ("url", "proxy", "said"),
    [
        ("http://models.invalid/v1", "http://127.0.0.1:9", "proxy that took no connection"),
        ("http://models.invalid/v1", None, "the name is not known"),
        ("http://127.0.0.1:9/v1", None, "connection refused"),
    ],
)
def test_nobody_there(build: Build, monkeypatch: pytest.MonkeyPatch, url: str, proxy: str | None, said: str) -> None:
    if proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy)
    with pytest.raises(CallFailed, match=said) as caught:
        build(chat(url)).send(ask())
    assert caught.value.reason == "unreachable"


def test_a_connection_is_used_again(server: Server, build: Build) -> None:
    ports: list[int] = []

    def step(handler: BaseHTTPRequestHandler) -> None:
        ports.append(handler.client_address[1])
        completion("ok")(handler)

    server.steps = [step]
    system = build(chat(server.url))
    for number in range(5):
        system.send(ask(f"c{number}"))
    assert len(set(ports)) == 1


@contextmanager
def over_tls(folder: Path) -> Iterator[str]:
    """A server with a certificate that it signed itself, for the address 127.0.0.1; gives its URL."""
    key, certificate = folder / "key.pem", folder / "cert.pem"
    make = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout {key} -out {certificate} -subj /CN=127.0.0.1"
    subprocess.run([*make.split(), "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            completion("ok")(self)

        def log_message(self, *arguments: Any) -> None:
            """Silence."""

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *arguments: Any) -> None:
            """A client that hangs up is what is tested here."""

    httpd = Quiet(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    httpd.socket = context.wrap_socket(httpd.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"https://127.0.0.1:{httpd.server_address[1]}/v1"
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()


def test_certificates_are_checked_against_the_bundle_of_the_environment(
    build: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with over_tls(tmp_path) as url:
        with pytest.raises(CallFailed, match="TLS certificate") as caught:
            build(chat(url)).send(ask())
        assert caught.value.reason == "unreachable"
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "cert.pem"))
        assert build(chat(url)).send(ask()).text == "ok"
