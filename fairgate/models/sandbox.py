"""The environment of prompt templates: sandboxed, and bounded in what one operation may make."""

from collections.abc import Sized
from typing import Any

from jinja2 import BaseLoader, StrictUndefined
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

LONGEST = 1024 * 1024
"""Characters of a text, or entries of a list, that one operation may make; also the size of a prompt."""

MOST_BITS = 4096
"""Bits of a whole number: nobody writes a longer one into a prompt, and to make one may take for ever."""


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which ``*`` and ``**`` look at what they would make before they make it.

    Such an operation runs in C, where no limit in time reaches it. Loops are another matter: they are Python, and are
    given up on when a render takes too long.
    """

    intercepted_binops = frozenset({"*", "**"})

    def __init__(self, loader: BaseLoader | None) -> None:
        super().__init__(
            loader=loader,
            undefined=StrictUndefined,
            autoescape=False,  # plain text for a model
            auto_reload=False,  # what is asked does not change in the middle of a run
        )

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """The value of ``left operator right``; raises SecurityError when it would be too large."""
        if _too_large(operator, left, right):
            raise SecurityError(f"'{operator}' would make more than a prompt can hold")
        return super().call_binop(context, operator, left, right)


def _too_large(operator: str, left: Any, right: Any) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * abs(right) if operator == "**" else left.bit_length() + right.bit_length()
        return bits > MOST_BITS
    times, value = (left, right) if isinstance(left, int) else (right, left)
    return isinstance(times, int) and isinstance(value, Sized) and len(value) * times > LONGEST
