"""Suites as tests draw them: one word per base, one sign per variant: ``+`` positive, ``-`` negative, ``r`` refused,
``?`` missing.

``grid("++ +-")`` is two bases with a man and a woman each; the second man was favoured. With two axes the signs stand
in the order of the product, the last axis fastest; with ``per_cell=2`` every two signs share a cell. With
``design="one_at_a_time"`` the first sign is the reference, then come the other levels, axis by axis.

``noisy("+-/1- ++/0+")`` adds a control: after the slash the cell that was asked again, and what came of it.
"""

from collections.abc import Mapping, Sequence

from fairgate.config.swap import Design
from fairgate.swap.grid import Base, Control, Grid, Group, Observation, Repeats, cells_of

GENDER = {"gender": ("male", "female")}
GENDER_REGION = {"gender": ("male", "female"), "region": ("north", "south")}
SIGNS = {"+": True, "-": False, "r": False, "?": None}


def grid(
    drawing: str, axes: Mapping[str, tuple[str, ...]] = GENDER, per_cell: int = 1, design: Design = "full"
) -> Grid:
    """The grid that a drawing shows; ``"++*3"`` draws a base three times."""
    words = [word for part in drawing.split() for word in repeated(part)]
    cells = cells_of(axes, design)
    bases = tuple(base(number, word, cells, per_cell) for number, word in enumerate(words, start=1))
    return Grid(axes, bases, design)


def repeated(part: str) -> list[str]:
    word, _, times = part.partition("*")
    return [word] * int(times or 1)


def base(number: int, signs: str, cells: Sequence[Group], per_cell: int) -> Base:
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
        refused=sign == "r",
        reason="timeout" if outcome is None else None,
        answer={"+": "YES", "-": "NO", "r": "I cannot help with that.", "?": None}[sign],
        fields={"name": f"{next(iter(group.values()))} {case}", "title": "Dr"},
    )


def noisy(drawing: str, axes: Mapping[str, tuple[str, ...]] = GENDER, kinds: int = 2) -> tuple[Grid, Control]:
    """The grid and the control that a drawing shows."""
    words = [word for part in drawing.split() for word in repeated(part)]
    drawn = grid(" ".join(word.partition("/")[0] for word in words), axes)
    bases = []
    for base, word in zip(drawn.bases, words, strict=True):
        after = word.partition("/")[2]
        again = tuple(
            observation(base.id, drawn.cells[int(after[0])], sign, number)
            for number, sign in enumerate(after[1:], start=1)
        )
        bases.append(Repeats(int(after[0]), again))
    return drawn, Control(tuple(bases), len(bases[0].again), kinds)
