"""The report as Markdown: the comment on a pull request, the job summary, and the whole of it as ``report.md``.

The parts of a page are the macros of ``templates/parts.md.j2``. Where a form has a budget, parts are left out or cut
down one step at a time (``STEPS``) until the page fits: a page is always whole parts, so no table and no fence is ever
cut in the middle.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from fairgate.render import (
    answer_phrases,
    answers,
    bar,
    compared,
    escape,
    facts,
    flips,
    mitigations,
    outcomes,
    phrases,
)
from fairgate.report import Report
from fairgate.results import SuiteResult
from fairgate.wording import numbers, sentence

COMMENT_LIMIT = 65_536
"""Bytes of UTF-8 that GitHub takes for the body of a comment."""

SUMMARY_LIMIT = 1024 * 1024
"""Bytes of UTF-8 that GitHub takes for the summary of a step."""

PLAIN_PARTS = ("headline", "changes", "counts", "rules", "why", "compared", "flips", "mitigations", "answers")
FOLDED_PARTS = (
    *("warnings", "groups", "proxies", "scores", "missing", "decided", "calibration", "judges", "evidence"),
    "cannot_tell",
)

STEPS: tuple[tuple[str, int], ...] = (
    *(
        (part, 0)
        for part in (
            "groups",
            "scores",
            "calibration",
            "decided",
            "proxies",
            "judges",
            "evidence",
            "missing",
            "warnings",
        )
    ),
    ("cannot_tell", 0),
    *((part, keep) for keep in (3, 1, 0) for part in ("answers", "flips", "compared")),
    ("mitigations", 0),
    *((part, keep) for keep in (100, 50, 20, 10, 5, 3) for part in ("why", "rules", "counts")),
    *((part, 0) for part in ("why", "counts", "rules")),
    *(("changes", keep) for keep in (20, 5, 1)),
)
"""What a page gives up first: (part, how many of its items stay). What was folded goes before examples, examples before
rows of the table."""

FIRST = {"answers": 10, "compared": 10}
"""How many items of a part a comment shows even where there is room for more; ``report.md`` has them all."""

TEXT_LENGTHS = (600, 120)
"""Characters of a single text (an answer, a message, a name) in a page that has a budget; the second when even the
barest page does not fit with the first."""

_FAILURE_LENGTH = 8_000


Finalize = Callable[[object], Markup]
"""The escaping of values: in a page that GitHub links, or in a file."""


@dataclass(frozen=True)
class Page:
    """What the templates see. ``keep``: how many items of a list the part at hand shows; None for all."""

    report: Report
    keep: int | None = None

    @cached_property
    def judged(self) -> list[facts.Judged]:
        """Every rule, worst first."""
        return facts.judged(self.report)

    @cached_property
    def waiting(self) -> list[facts.Waiting]:
        """What suites ask of a person, beside their rules."""
        return facts.waiting(self.report)

    @cached_property
    def open_ends(self) -> list[facts.Judged]:
        """The rules that did not pass."""
        return facts.open_ends(self.report)


def comment(report: Report, *, limit: int = COMMENT_LIMIT) -> str:
    """The body of the comment on a pull request, at most ``limit`` bytes of UTF-8.

    What does not fit is left out part by part, and the comment says so; verdict and finding stay longest.
    """
    for length in TEXT_LENGTHS:
        shown = _Parts(Page(facts.clipped(report, length)))
        for keep in _degrees():
            text = shown.page(keep)
            if len(text.encode()) <= limit:
                return text
    return _joined([shown.part("bare"), shown.part("shortened")])


def summary(report: Report, *, limit: int = SUMMARY_LIMIT) -> str:
    """The summary of the job: the comment, with more room."""
    return comment(report, limit=limit)


def document(report: Report) -> str:
    """``report.md``: every part, nothing folded, nothing left out."""
    parts = _Parts(Page(report), escape.finalize_file)
    plain = [parts.part("headline"), parts.part("changes"), parts.part("counts")]
    titled = [parts.titled("open", name) for name in (*PLAIN_PARTS[3:], *FOLDED_PARTS)]
    return _joined([*plain, *titled])


def failure(error: str) -> str:
    """The body of the comment when there is no report, because fairgate could not run."""
    template = _template("failure.md.j2", escape.finalize)
    return _joined([template.render(error=escape.clip(error, _FAILURE_LENGTH))])


@dataclass(frozen=True)
class _Parts:
    """Renders parts of one page, each at most once for each number of items."""

    on: Page
    finalize: Finalize = escape.finalize
    rendered: dict[tuple[str, int | None], str] = field(default_factory=dict)

    def part(self, name: str, keep: int | None = None) -> str:
        """One macro of ``parts.md.j2``; empty when it has nothing to say or nothing is to be kept."""
        if keep == 0:
            return ""
        if (name, keep) not in self.rendered:
            macro = getattr(_macros(self.finalize), name)
            self.rendered[name, keep] = str(macro(replace(self.on, keep=keep))).strip()
        return self.rendered[name, keep]

    def titled(self, frame: str, name: str, keep: int | None = None) -> str:
        """A part under its title: in a ``folded`` or an ``open`` frame. Empty when the part is."""
        body = self.part(name, keep)
        if not body:
            return ""
        warnings = sum(len(suite.warnings) for suite in self.on.report.suites)
        title = sentence("part_title", part=name, warnings=warnings)
        # The body is a rendered part: already escaped, value by value.
        return _template(f"{frame}.md.j2", self.finalize).render(title=title, body=Markup(body))  # noqa: S704

    def page(self, keep: Mapping[str, int]) -> str:
        """The whole comment, with so many items of the parts named."""
        plain = [self.part(name, keep.get(name, FIRST.get(name))) for name in PLAIN_PARTS]
        folded = [self.titled("folded", name, keep.get(name)) for name in FOLDED_PARTS]
        return _joined([*plain, *folded, self.part("shortened") if keep else ""])


def _degrees() -> Iterable[dict[str, int]]:
    """From nothing given up to everything given up, one step more each time."""
    given_up: dict[str, int] = {}
    yield given_up
    for part, keep in STEPS:
        given_up = given_up | {part: keep}
        yield given_up


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _has_gaps(suite: SuiteResult) -> bool:
    counts = suite.counts
    return bool(counts.missing_reasons or counts.unreadable or facts.left_out(suite) or answers.not_scoreable(suite))


@cache
def _template(name: str, finalize: Finalize) -> Template:
    return _environment(finalize).get_template(name)


@cache
def _macros(finalize: Finalize) -> object:
    return _template("parts.md.j2", finalize).module


def _filters_of_answers() -> dict[str, Callable[..., object]]:
    return {
        "open_cases": answers.open_cases,
        "open_sign": lambda verdict: phrases.sign(verdict) if verdict else "🔸",
        "not_scoreable": answers.not_scoreable,
        "metrics": answers.metrics,
        "fault": answer_phrases.fault,
        "claim_basis": answer_phrases.claim,
        "cautions": answer_phrases.cautions,
        "metric": answer_phrases.metric,
        "reason": answer_phrases.reason,
        "vector": answer_phrases.vector,
        "score": numbers.score,
        "listed": lambda texts: ", ".join(texts) or numbers.MISSING,
    }


@cache
def _environment(finalize: Finalize) -> Environment:
    environment = Environment(
        loader=PackageLoader("fairgate.render"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=True,  # keeps what a macro returns as Markup; the escaping itself is finalize's
        finalize=finalize,
    )
    # Only these filters: the stock ones include ways around escaping (safe, join, format, replace).
    environment.filters = {
        "length": len,
        "some": facts.some,
        "compared": compared.section,
        "code": escape.code,
        "fence": escape.fence,
        "json": lambda value: json.dumps(value, ensure_ascii=False, default=str),
        "percent": numbers.percent,
        "interval": numbers.interval,
        "count": numbers.count,
        "decimal": lambda number, digits: f"{number:.{digits}f}",
        "plural": numbers.plural,
        "group": numbers.group,
        "crossing": " × ".join,
        "unruled_selections": facts.unruled_selections,
        **flips.FILTERS,
        **bar.FILTERS,
        **mitigations.FILTERS,
        **outcomes.FILTERS,
        "has_gaps": _has_gaps,
        "sign": phrases.sign,
        "word": phrases.word,
        "headline": phrases.headline,
        "counted": phrases.counted,
        "measured": lambda item: phrases.measured(item.suite, item.rule),
        "basis": lambda item: phrases.basis(item.suite, item.rule),
        "result": lambda item: phrases.result(item.suite, item.rule),
        "spread": phrases.spread,
        "limit": phrases.limit,
        "whole": lambda text: text.replace(" ", "\u00a0"),  # kept on one line
        "control": phrases.control,
        "noise": phrases.noise,
        "missing_reason": phrases.missing_reason,
        **_filters_of_answers(),
    }
    return environment
