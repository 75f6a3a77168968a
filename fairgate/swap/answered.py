"""From answers to evidence: every expected observation with what became of it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from fairgate.config.model import HarnessSuite
from fairgate.golden.ids import digest
from fairgate.models.protocol import Missing, Reply
from fairgate.swap.control import cell_asked_again
from fairgate.swap.grid import Base, Control, Grid, Observation, Repeats, Response
from fairgate.swap.reading import Reader, decided
from fairgate.swap.redaction import Redaction, redacted, redacted_change
from fairgate.swap.suite import Evidence
from fairgate.swap.variants import CasePlan, Variant

Answer = Reply | Missing
Answers = Mapping[str, Answer]

UNASKED = Missing("not_asked", "the question was not asked")


def answered(plans: Sequence[CasePlan], suite: HarnessSuite, answers: Answers, words: Reader) -> Evidence:
    """Every expected observation with what became of it; a question without an answer is missing."""
    axes = {axis: tuple(levels) for axis, levels in suite.axes.items()}
    redact = _redactor(suite, words)
    bases: list[Base] = []
    pairs: dict[int, list[tuple[Observation, Observation]]] = {n: [] for n in range(len(suite.must_respond_to))}
    repeats: list[Repeats] = []
    for case in plans:
        seen = redact(
            case,
            [_observe(variant, answers.get(variant.id, UNASKED), words) for variant in (*case.grid, *case.changed)],
        )
        cells = tuple((observation,) for observation in seen[: len(case.grid)])
        if case.control:
            again = redact(
                case, [_observe(variant, answers.get(variant.id, UNASKED), words) for variant in case.control]
            )
            repeats.append(Repeats(cell_asked_again(case), tuple(again)))
        bases.append(Base(case.case.id, cells, digest(case.case.fields), people_of(case)))
        for variant, after in zip(case.changed, seen[len(case.grid) :], strict=True):
            if variant.change is not None:
                pairs[variant.change].append((seen[0], after))
    changes = [redacted_change(change, suite.redact) for change in suite.must_respond_to]
    responses = (Response(changes[number], tuple(found)) for number, found in pairs.items())
    kinds = 3 if words.knows_refusals else 2
    return Evidence(
        Grid(axes, tuple(bases), suite.design),
        tuple(responses),
        control=Control(tuple(repeats), suite.control, kinds) if suite.control else None,
        refusals=words.knows_refusals,
        scale=words.scale,
    )


def people_of(case: CasePlan) -> str:
    """A digest of who stood for which levels in a case, in whatever order axes and levels are declared."""
    people = sorted((sorted(variant.group.items()), sorted(variant.differs.items())) for variant in case.grid)
    return digest({"people by group": people})


def _redactor(suite: HarnessSuite, words: Reader) -> Callable[[CasePlan, list[Observation]], list[Observation]]:
    """What becomes of the observations of a case before anybody is shown them."""

    def redact(case: CasePlan, seen: list[Observation]) -> list[Observation]:
        if not suite.redact:
            return seen
        redaction = Redaction.of_case(suite.redact, case)
        return [redacted(observation, redaction, words.words) for observation in seen]

    return redact


def _observe(variant: Variant, answer: Answer, words: Reader) -> Observation:
    seen = Observation(variant.id, variant.case, variant.group, None, fields=variant.differs)
    if isinstance(answer, Missing):
        seen = replace(seen, reason=answer.reason, detail=answer.detail)
        # Nobody was selected; the reason stays, so that the evidence recorded is read as it was.
        return replace(seen, outcome=False, refused=True) if words.is_refusal(answer.reason) else seen
    return decided(replace(seen, answer=answer.text, model=answer.model), words.read(answer.text))
