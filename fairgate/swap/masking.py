"""Masking: the variants of a case with some fields replaced by one text, the same for everybody.

A masked field is replaced where it stands as a field and where an axis would fill it into a text of the case. No word
is looked for: what a free text says in its own words stays.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from fairgate.golden.header import nearest
from fairgate.golden.ids import digest, escaped
from fairgate.swap.variants import CasePlan, Variant, fill

Mask = Mapping[str, str]
"""Field to the text that stands in its place."""


def masked(case: CasePlan, mitigation: str, mask: Mask) -> CasePlan:
    """The same variants with the mask over them, under ids of their own; changes that ought to matter and
    repeats are left out.

    The id of a masked variant names the mitigation and ends in a digest of the masked fields, so that an answer which
    was recorded for the unmasked variant, or under another mask, never matches. Variants that the mask makes the same
    are all there: how often the same question gets different answers is the system's own noise, and asking it once
    would hide that.

    :param mitigation: its name
    :param mask: empty for the same fields put to another system
    """
    grid = tuple(_masked(case, variant, mitigation, mask) for variant in case.grid)
    return replace(case, grid=grid, changed=(), control=(), slots=(), mask=mask, unmasked=case.grid)


def _masked(case: CasePlan, variant: Variant, mitigation: str, mask: Mask) -> Variant:
    person = {name: mask.get(name, value) for name, value in variant.differs.items()}
    own = {name: mask.get(name, fill(value, person)) for name, value in case.case.fields.items()}
    fields = {**own, **person}
    before, _, _ = variant.id.rpartition("#")
    name = f"{before}|mitigation={escaped(mitigation)}#{digest(fields)}"
    return replace(variant, id=name, fields=fields, differs=person)


def unknown_fields(names: Iterable[str], plans: Sequence[CasePlan]) -> Iterator[tuple[str, str]]:
    """Fields that no case has and no axis fills, each with a sentence: to mask or to declare them would do nothing."""
    known = list(dict.fromkeys(name for case in plans for variant in case.grid for name in variant.fields))
    for name in names:
        if name not in known:
            message = f"no case has a field {name!r} and no axis fills one; the fields are {', '.join(known)}"
            yield name, f"{message}{nearest(name, known)}"
