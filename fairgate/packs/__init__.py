"""Packs: people who stand for the levels of an axis, shipped with their sources, for a suite to take as they are.

A pack is a YAML file: what it is, where its names come from, what each field is for, and the people of each level,
paired by position. It is data; what a suite takes of it becomes part of the suite's own axes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

Person = Mapping[str, str]


@dataclass(frozen=True)
class Pack:
    """Levels with their people, as shipped.

    :param name: ``vietnam/gender``
    :param title: one line for a list of packs
    :param source: where the values come from: publications, or that the project chose them
    :param note: what they cannot stand for
    :param fields: what each field of a person is for
    :param levels: level to people; the same fields for all, as many in each level, paired by position
    """

    name: str
    title: str
    source: tuple[str, ...]
    note: str
    fields: Mapping[str, str]
    levels: Mapping[str, tuple[Person, ...]]


def names() -> list[str]:
    """Every pack that is shipped."""
    return sorted(
        f"{folder.name}/{file.name.removesuffix('.yaml')}"
        for folder in files(__name__).iterdir()
        if folder.is_dir() and not folder.name.startswith("__")
        for file in folder.iterdir()
        if file.name.endswith(".yaml")
    )


@cache
def load(name: str) -> Pack:
    """A pack by its name.

    :raises KeyError: there is none of this name
    """
    import yaml  # noqa: PLC0415 - whoever takes no pack reads none

    if name not in names():
        raise KeyError(name)
    folder, _, file = name.partition("/")
    text = (files(__name__) / folder / f"{file}.yaml").read_text(encoding="utf-8")
    said = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - makes text alone: nam, no and 1980 are words
    levels = {
        level: tuple({**part["all"], **person} for person in part["people"]) for level, part in said["levels"].items()
    }
    return Pack(name, said["title"], tuple(said["source"]), said["note"], said["fields"], levels)
