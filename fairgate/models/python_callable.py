"""A Python callable as a system: called with the fields of a case, in fairgate's own process."""

import contextlib
import copy
import importlib
import importlib.machinery
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from fairgate.config import Project
from fairgate.config.model import PythonSystem
from fairgate.config.section import Where
from fairgate.models.deadline import OutOfTime, within
from fairgate.models.exits import keep_exits_closed
from fairgate.models.loop import Loop
from fairgate.models.protocol import CallFailed, Question, Reply
from fairgate.models.text import excerpt, kind, read_answer


class PythonCallable:
    """One call for each question. The folder of ``fairgate.yaml`` can be imported from until ``close``."""

    def __init__(self, config: PythonSystem, project: Project, where: Where) -> None:
        """:raises ConfigError: when there is nothing to import or to call"""
        self.concurrency = config.concurrency
        self.retries = config.retries
        self._config = config
        self._folder = project.file.resolve().parent
        keep_exits_closed()
        self._loop = Loop()
        self._callable = _load(config.callable, self._folder, project, (*where, "callable"))
        # The callable may import on its first call; behind everything else, so that it hides nothing.
        sys.path.append(str(self._folder))

    def request(self, question: Question) -> dict[str, Any]:
        """The callable and the fields it is called with."""
        return {"callable": self._config.callable, "fields": dict(question.fields)}

    def send(self, question: Question) -> Reply:
        """Call it once, with fields of its own. A call that takes too long is cancelled if it is async, or else
        abandoned: Python cannot stop it."""
        fields = copy.deepcopy(dict(question.fields))
        name = self._config.callable
        try:
            value = within(self._config.timeout_s, lambda: self._callable(fields))
            if inspect.isawaitable(value):
                value = self._loop.result(value, self._config.timeout_s)
        except OutOfTime:
            detail = f"{name} did not return within {self._config.timeout_s:g} s; timeout_s sets the limit"
            raise CallFailed("timeout", detail) from None
        except (Exception, SystemExit) as error:  # noqa: BLE001 - somebody's code; even its exit() ends one call only
            raise CallFailed("system_error", f"{name} raised {_told(error)}") from None
        return read_answer(value, f"what {name} returned")

    def describe(self) -> dict[str, Any]:
        """Type and the callable's name."""
        return {"type": "python", "model": None, "family": None, "callable": self._config.callable}

    def files(self) -> list[Path]:
        """The module's own file."""
        try:
            return [Path(inspect.getfile(inspect.unwrap(self._callable)))]
        except TypeError:  # an object with __call__, or built in
            return []

    def close(self) -> None:
        """Take the folder off the import path, end the event loop."""
        self._loop.close()
        with contextlib.suppress(ValueError):
            sys.path.remove(str(self._folder))


def _load(name: str, folder: Path, project: Project, where: Where) -> Callable[[dict[str, Any]], Any]:
    module_name, _, attribute = name.partition(":")
    found: Any = _import(module_name, folder, project, where)
    for part in attribute.split("."):
        if not hasattr(found, part):
            known = [key for key in dir(found) if not key.startswith("_") and callable(getattr(found, key, None))]
            has = excerpt(", ".join(known), 200) or "nothing to call"
            raise project.error(where, f"{module_name} has no '{part}'; it has: {has}")
        found = getattr(found, part)
    if not callable(found):
        raise project.error(where, f"{name} is {kind(found)}, expected a function of one argument, the fields")
    function: Callable[[dict[str, Any]], Any] = found
    return function


def _import(name: str, folder: Path, project: Project, where: Where) -> ModuleType:
    _make_room(name.partition(".")[0], folder, project, where)
    try:
        # What a module prints while it is imported must not stand in the report on stdout.
        with _first_on_path(folder), contextlib.redirect_stdout(sys.stderr):
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            message = f"there is no module '{error.name}' in {folder.name}/ or among the installed packages"
            raise project.error(where, message) from None
        raise project.error(where, f"{name} cannot be imported: {_told(error)}") from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a module runs its author's code, who has to mend it
        raise project.error(where, f"{name} cannot be imported: {_told(error)}") from None


@contextlib.contextmanager
def _first_on_path(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):  # the module took it off itself
            sys.path.remove(str(folder))


def _make_room(top: str, folder: Path, project: Project, where: Where) -> None:
    """Forget loaded modules of other folders that have the name of one in this folder, so that its own are imported.

    A module of Python or of an installed package is never replaced: others in this process use it.
    """
    spec = importlib.machinery.PathFinder.find_spec(top, [str(folder)])
    if spec is not None and _installed(top):
        raise project.error(where, f"'{top}' is also the name of an installed module; rename the one in {folder.name}/")
    own = {entry.stem for entry in folder.iterdir() if entry.suffix == ".py" or entry.is_dir()}
    strangers = {name for name in own if name in sys.modules and not (_installed(name) or _lies_in(name, folder))}
    for name in [name for name in sys.modules if name.partition(".")[0] in strangers]:
        del sys.modules[name]


def _installed(name: str) -> bool:
    """Whether a name belongs to Python, to fairgate, or to a loaded module of an installed package."""
    if name in sys.stdlib_module_names or name in ("fairgate", "__main__"):
        return True
    return any(set(place.parts) & {"site-packages", "dist-packages"} for place in _places(name))


def _lies_in(name: str, folder: Path) -> bool:
    return any(place.parent == folder or place.parent == folder / name for place in _places(name))


def _places(name: str) -> list[Path]:
    """Where a loaded module, or the parts of a loaded package, come from."""
    module = sys.modules.get(name)
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", [])]
    return [Path(place).resolve() for place in places if place]


def _told(error: BaseException) -> str:
    """Type, message and place of what somebody's code raised, in one bounded line."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    message = excerpt(str(error))
    return f"{type(error).__name__}{': ' if message else ''}{message}{place}"
