"""The environment of prompt templates: sandboxed, and bounded in what one operation may make."""

import re
from collections.abc import Callable, Sized
from functools import wraps
from typing import Any

from jinja2 import BaseLoader, StrictUndefined
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

LONGEST = 1024 * 1024
"""Characters of a text, or entries of a list, that one operation may make; also the size of a prompt."""

MOST_BITS = 4096
"""Bits of a whole number: nobody writes a longer one into a prompt, and to make one may take for ever."""


_MAKING = ("center", "indent", "wordwrap", "replace", "format", "join")
"""Filters that can make much out of little."""


def _bounded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that looks at what it would make before it makes it."""

    @wraps(function)
    def checked(*arguments: Any, **keywords: Any) -> Any:
        wide = function.__name__ == "do_format" and any(
            isinstance(value, str) and _WIDTH.search(value) for value in arguments[:1]
        )
        if wide or _spacious(function, arguments, keywords):
            raise SecurityError("a filter would make more than a prompt can hold")
        return function(*arguments, **keywords)

    return checked


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, in which ``*`` and ``**`` look at what they would make before they make it.

    Such an operation runs in C, where no limit in time reaches it. Loops are another matter: they are Python, and are
    given up on when a render takes too long.
    """

    intercepted_binops = frozenset({"*", "**", "%"})

    def __init__(self, loader: BaseLoader | None) -> None:
        super().__init__(
            loader=loader,
            undefined=StrictUndefined,
            autoescape=False,  # plain text for a model
            auto_reload=False,  # what is asked does not change in the middle of a run
        )
        self.filters.update({name: _bounded(self.filters[name]) for name in _MAKING})

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """The value of a call; raises SecurityError when it would be too large."""
        if _spacious(obj, args, kwargs):
            raise SecurityError("a call would make more than a prompt can hold")
        return super().call(context, obj, *args, **kwargs)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """``str.format`` as the sandbox has it, unless the text asks for a width that no prompt has."""
        wrapped = super().wrap_str_format(value)
        if wrapped is not None and _WIDTH.search(str(value.__self__)):
            raise SecurityError("a format would make more than a prompt can hold")
        return wrapped

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """The value of ``left operator right``; raises SecurityError when it would be too large."""
        if _too_large(operator, left, right):
            raise SecurityError(f"'{operator}' would make more than a prompt can hold")
        return super().call_binop(context, operator, left, right)


def _spacious(function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
    """Whether a method of a text, or a filter, is told to make more than a prompt can hold: in width, by replacing."""
    values = [*arguments, *keywords.values()]
    name = getattr(function, "__name__", "")
    if name in _WIDE and any(isinstance(value, int) and abs(value) > LONGEST for value in values):
        return True
    texts = [value for value in (getattr(function, "__self__", None), *values) if isinstance(value, str)]
    if name not in ("replace", "do_replace", "join", "do_join"):
        return False
    longest = sorted(map(len, texts))[-2:]
    return len(longest) == 2 and longest[0] * longest[1] > LONGEST


_WIDE = {"center", "ljust", "rjust", "zfill", "expandtabs", "do_center", "do_indent", "do_wordwrap"}
"""Methods of a text, and filters, that are told a width."""

_WIDTH = re.compile(r"\d{6,}")


def _too_large(operator: str, left: Any, right: Any) -> bool:
    if operator == "%":
        return isinstance(left, str) and _WIDTH.search(left) is not None
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() * abs(right) if operator == "**" else left.bit_length() + right.bit_length()
        return bits > MOST_BITS
    times, value = (left, right) if isinstance(left, int) else (right, left)
    return isinstance(times, int) and isinstance(value, Sized) and len(value) * times > LONGEST
