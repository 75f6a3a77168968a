"""How near the engine comes to the ideal: n calls of latency t, c at a time, take at least ceil(n / c) * t.

Starts a loopback server in a process of its own, asks it through a chat system with journal and cache on, and prints
for each concurrency the ratio to the ideal and the processor time of this process per call. Beside it stands the least
that one would write: a pool of threads that post with one session of requests, and keep nothing.

    python benchmarks/calls.py [--calls 800] [--latency 0.2] [--concurrency 16 64]
"""

import argparse
import asyncio
import json
import math
import multiprocessing
import resource
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from multiprocessing.connection import Connection
from pathlib import Path

import requests
from requests.adapters import HTTPAdapter

from fairgate.config import load
from fairgate.models.build import build_system
from fairgate.models.engine import Keeping
from fairgate.models.pool import ask_all
from fairgate.models.protocol import Question, Reply
from fairgate.parties import build_engine
from fairgate.world import World

MESSAGE = {"role": "assistant", "content": "APPROVE"}
BODY = json.dumps({"model": "m", "choices": [{"message": MESSAGE, "finish_reason": "stop"}], "usage": {}}).encode()
HEAD = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n".encode()


async def serve(latency: float, ready: Connection) -> None:
    """Answer every request after ``latency`` seconds, on as many connections as come; count them."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            length = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
            await reader.readexactly(length)
            await asyncio.sleep(latency)
            writer.write(HEAD + BODY)

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await answer(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(connection, "127.0.0.1", 0, backlog=512)
    ready.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


def start(latency: float, ready: Connection) -> None:
    """The server's process."""
    asyncio.run(serve(latency, ready))


def measure(port: int, calls: int, concurrency: int, folder: Path) -> tuple[float, float, float]:
    """Seconds, processor seconds, and megabytes by which the process grew."""
    model = {"type": "openai", "model": "m", "base_url": f"http://127.0.0.1:{port}/v1", "concurrency": concurrency}
    system = {"type": "chat", "model": model, "messages": [{"role": "user", "file": "prompt.j2"}]}
    (folder / "prompt.j2").write_text("Application of {{ name }}, income {{ income }}.", encoding="utf-8")
    (folder / "fairgate.yaml").write_text(json.dumps({"systems": {"it": system}}), encoding="utf-8")
    project, world = load(folder / "fairgate.yaml"), World()
    keeping = Keeping(folder / "evidence" / "journal.jsonl", folder / "cache")
    engine = build_engine(project, world, keeping)
    with ExitStack() as stack:
        built = build_system(project.config.systems["it"], project, ("systems", "it"), world)
        stack.callback(built.close)
        party = engine.party(built, "system", "it", project.config.systems["it"])
        stack.enter_context(engine.asking("benchmark"))
        questions = [Question(f"c{n}", {"name": f"Applicant {n}", "income": n}) for n in range(calls)]
        before, began, cpu = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic(), time.process_time()
        answers = ask_all(party, questions, world, lambda *_: None)
        seconds, spent = time.monotonic() - began, time.process_time() - cpu
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert all(isinstance(answer, Reply) for answer in answers.values())
    return seconds, spent, grown / 1024


def bare(port: int, calls: int, concurrency: int) -> tuple[float, float]:
    """Seconds and processor seconds of the same calls without an engine."""
    with requests.Session() as session, ThreadPoolExecutor(concurrency) as threads:
        session.mount("http://", HTTPAdapter(pool_maxsize=concurrency))

        def ask(number: int) -> str:
            body = {
                "model": "m",
                "messages": [{"role": "user", "content": f"Application of {number}, income {number}."}],
            }
            reply = session.post(f"http://127.0.0.1:{port}/v1/chat/completions", json=body, timeout=60)
            text: str = reply.json()["choices"][0]["message"]["content"]
            return text

        began, cpu = time.monotonic(), time.process_time()
        assert len(list(threads.map(ask, range(calls)))) == calls
        return time.monotonic() - began, time.process_time() - cpu


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=800)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[16, 64])
    options = parser.parse_args()
    ready, there = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=start, args=(options.latency, there), daemon=True)
    server.start()
    port = ready.recv()
    print("concurrency          seconds  ideal  ratio  cpu/call  grown")
    for concurrency in options.concurrency:
        with tempfile.TemporaryDirectory() as folder:
            seconds, cpu, grown = measure(port, options.calls, concurrency, Path(folder))
        ideal = math.ceil(options.calls / concurrency) * options.latency
        each = 1000 / options.calls
        row = f"{concurrency:11}  {{:6}}  {{:7.2f}}  {ideal:5.2f}  {{:5.3f}}  {{:5.2f}} ms"
        print(row.format("engine", seconds, seconds / ideal, each * cpu) + f"  {grown:.1f} MB")
        seconds, cpu = bare(port, options.calls, concurrency)
        print(row.format("bare", seconds, seconds / ideal, each * cpu))
    server.terminate()
    server.join()


if __name__ == "__main__":
    main()
