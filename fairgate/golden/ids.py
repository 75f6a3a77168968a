"""What a question is called: after its case, with a digest of its fields, so that no answer to an older text fits."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_ESCAPES = str.maketrans({character: f"%{ord(character):02X}" for character in "%|=#"})


def escaped(text: str) -> str:
    """Text as part of an id: the signs that structure it percent-encoded."""
    return text.translate(_ESCAPES)


def digest(fields: Mapping[str, Any]) -> str:
    """Twelve hexadecimal signs over the fields of a question."""
    canonical = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]
