"""Suites as tests draw them: one word per base, one sign per variant: ``+`` positive, ``-`` negative, ``r`` refused,
``?`` missing.

``grid("++ +-")`` is two bases with a man and a woman each; the second man was favoured. With two axes the signs stand
in the order of the product, the last axis fastest; with ``per_cell=2`` every two signs share a cell.
"""

from collections.abc import Mapping

from fairgate.swap.grid import Base, Grid, Observation

GENDER = {"gender": ("male", "female")}
GENDER_REGION = {"gender": ("male", "female"), "region": ("north", "south")}
SIGNS = {"+": True, "-": False, "r": False, "?": None}


def grid(drawing: str, axes: Mapping[str, tuple[str, ...]] = GENDER, per_cell: int = 1) -> Grid:
    """The grid that a drawing shows; ``"++*3"`` draws a base three times."""
    words = [word for part in drawing.split() for word in repeated(part)]
    return Grid(axes, tuple(base(number, word, axes, per_cell) for number, word in enumerate(words, start=1)))


def repeated(part: str) -> list[str]:
    word, _, times = part.partition("*")
    return [word] * int(times or 1)


def base(number: int, signs: str, axes: Mapping[str, tuple[str, ...]], per_cell: int) -> Base:
    cells = Grid(axes, ()).cells
    assert len(signs) == len(cells) * per_cell, f"{signs!r} does not fill {len(cells)} cells of {per_cell}"
    return Base(
        f"c{number}",
        tuple(
            tuple(
                observation(f"c{number}", group, signs[cell * per_cell + variant], variant)
                for variant in range(per_cell)
            )
            for cell, group in enumerate(cells)
        ),
    )


def observation(case: str, group: Mapping[str, str], sign: str, variant: int = 0) -> Observation:
    outcome = SIGNS[sign]
    return Observation(
        id=f"{case}|{'|'.join(group.values())}|{variant}",
        case=case,
        group=group,
        outcome=outcome,
        reason="timeout" if outcome is None else None,
        answer={"+": "YES", "-": "NO", "r": "I cannot help with that.", "?": None}[sign],
        refused=sign == "r",
        fields={"name": f"{group['gender']} {case}", "title": "Dr"},
    )
