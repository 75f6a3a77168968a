"""The packs of people, listed for a terminal, or one of them in full."""

from collections.abc import Iterator

from fairgate import packs
from fairgate.errors import UsageError
from fairgate.packs import Pack
from fairgate.wording import sentence


def as_text(name: str | None) -> str:
    """Every pack in two lines, or those whose names begin so; one with its source, its fields and its people.

    :param name: of one pack, or how names begin (``vietnam``); None for all
    :raises UsageError: there is no pack of this name, and none that begins so
    """
    if name in packs.names():
        lines = list(_in_full(packs.load(name)))
    else:
        begun = [known for known in packs.names() if known.startswith(name or "")]
        if not begun:
            raise UsageError(f"{name}: there is no pack of this name; there are: {', '.join(packs.names())}")
        lines = [line for known in begun for line in _listed(packs.load(known))]
    return "".join(f"{line}\n" for line in lines)


def _listed(pack: Pack) -> Iterator[str]:
    yield sentence("pack_line", part="title", pack=pack)
    yield f"  {sentence('pack_line', part='size', pack=pack)}"


def _in_full(pack: Pack) -> Iterator[str]:
    yield from _listed(pack)
    yield from (f"  {sentence('pack_line', part='source', pack=pack, text=text)}" for text in pack.source)
    yield f"  {sentence('pack_line', part='note', pack=pack)}"
    for field, meaning in pack.fields.items():
        yield f"  {sentence('pack_line', part='field', pack=pack, field=field, text=meaning)}"
    for level, people in pack.levels.items():
        yield f"{level}:"
        yield from (f"  - {', '.join(f'{field}: {text}' for field, text in person.items())}" for person in people)
