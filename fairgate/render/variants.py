"""What is asked about one base case, as plain text for a terminal."""

from collections.abc import Iterable, Iterator

from fairgate.render import escape
from fairgate.swap.shown import ShownBase
from fairgate.wording import sentence


def as_text(bases: Iterable[ShownBase]) -> str:
    """Every base with the reference in full, then what differs from it in each other variant."""
    return "".join(f"{line}\n" for base in bases for line in _lines(base))


def _lines(base: ShownBase) -> Iterator[str]:
    yield escape.log_line(sentence("variants_title", part="base", base=base))
    for number, variant in enumerate(base.variants):
        part = "other" if number else "reference"
        yield ""
        yield escape.log_line(sentence("variants_title", part=part, group=variant.group))
        for place, lines in variant.parts.items():
            yield f"  {escape.log_line(place)}"
            yield from (f"    {escape.log_line(line)}" for line in lines)
        if not variant.parts:
            yield f"  {sentence('variants_title', part='alike')}"
    yield ""
