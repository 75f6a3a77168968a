"""What the tests of judges share: questions of each task, and the replies of scripted servers."""

import json
from collections.abc import Callable
from typing import Any

from fairgate.models.protocol import CallFailed, Question, System
from tests.models.models_helpers import Step, answer

Judge = Callable[..., System]

CLAIMS = ["Bảo hành 24 tháng.", "Đổi trả trong 7 ngày."]
CONTEXTS = ["Sản phẩm được bảo hành 24 tháng.", "Cửa hàng mở cửa lúc 9 giờ."]

LIST = {"task": "list_claims", "question": "Bảo hành bao lâu?", "answer": "Bảo hành 24 tháng. Đổi trả trong 7 ngày."}
CHECK = {"task": "check_claims", "claims": CLAIMS, "contexts": CONTEXTS}
RANK = {"task": "judge_contexts", "question": "Bảo hành bao lâu?", "expected": "24 tháng", "contexts": CONTEXTS}
BACK = {"task": "ask_back", "answer": "Bảo hành 24 tháng.", "count": 3}


def verdict(id: int, supported: bool = True, quote: str = "bảo hành 24 tháng") -> dict[str, Any]:
    return {"id": id, "quote": quote, "supported": supported}


def checked(*verdicts: dict[str, Any]) -> str:
    return json.dumps({"verdicts": list(verdicts)}, ensure_ascii=False)


GOOD = {"verdicts": [verdict(1), verdict(2, False, "")]}
WHOLE = json.dumps(GOOD, ensure_ascii=False)


def said(text: str | None, finish: str = "stop", **message: Any) -> Step:
    """A chat completion."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    return answer(200, {"model": "m-2026", "choices": [choice], "usage": usage})


def refuses(message: str, status: int = 400, **error: Any) -> Step:
    """A refusal in the shape of OpenAI's."""
    return answer(status, {"error": {"message": message, "type": "invalid_request_error", **error}})


def question(fields: dict[str, Any]) -> Question:
    return Question("case-1/judge", fields)


def ask(judge: System, fields: dict[str, Any]) -> Any:
    """The value in the reply."""
    return json.loads(judge.send(question(fields)).text)


def fails(judge: System, fields: dict[str, Any]) -> CallFailed:
    """The failure of a call that has to fail."""
    try:
        reply = judge.send(question(fields))
    except CallFailed as failure:
        return failure
    raise AssertionError(f"answered {reply.text}")
