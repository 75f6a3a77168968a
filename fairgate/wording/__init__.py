"""Sentences for people: one template per message, numbers formatted in one place.

``sentence("parity_gap", **facts)`` renders ``templates/parity_gap.j2`` to one line of plain text. It is not escaped for
any format: that happens at the boundary of ``fairgate.render``.
"""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from fairgate.wording import numbers


def sentence(name: str, /, **facts: Any) -> str:
    """Render ``templates/{name}.j2`` with the facts given and fold white space to single blanks.

    :raises jinja2.UndefinedError: when the template needs a fact that was not given
    """
    return " ".join(_environment().get_template(f"{name}.j2").render(facts).split())


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("fairgate.wording"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # noqa: S701 - plain text; escaped where a format is chosen
    )
    environment.filters.update(
        percent=numbers.percent,
        score=numbers.score,
        points=numbers.points,
        count=numbers.count,
        group=numbers.group,
        plural=numbers.plural,
        interval=numbers.interval,
        p_value=numbers.p_value,
        p_equals=numbers.p_equals,
        units=numbers.units,
        figure=numbers.figure,
    )
    return environment
