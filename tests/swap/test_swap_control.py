"""The control as it is asked: the draw, ids, order, cache and journal, what is listed and recorded, configuration."""

import json
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from fairgate.cli import main
from fairgate.config.project import load
from fairgate.errors import ConfigError
from fairgate.fingerprint import fingerprint
from fairgate.golden.cases import Case
from fairgate.parties import questions
from fairgate.plan.build import make_plan
from fairgate.swap.control import cell_asked_again, draw, with_control
from fairgate.swap.variants import CasePlan, Variant
from fairgate.validation import validate
from fairgate.world import World

CONFIG = """\
systems:
  loan:
    type: chat
    model: {type: openai, model: m, base_url: "BASE", concurrency: 4, retries: 0}
    params: {temperature: 0}
    messages: [{role: user, file: prompt.j2}]
swap:
  name: screen
  system: loan
  cases: golden.csv
  axes:
    gender: {male: {ten: Hùng}, female: {ten: Lan}}
    region: {hn: {que: Hà Nội}, st: {que: Sóc Trăng}}
  outcome: {positive: [DUYỆT], negative: [XEM LẠI]}
  control: 1
  rules:
    - {id: beyond, max_excess_flip_rate: 0.05}
    - {id: by-gender, max_excess_flip_rate: 0.1, attribute: gender}
"""
CASES = 60


class Screener:
    """A loopback chat server: answers by a function of the prompt and of how often it was asked already."""

    def __init__(self, decide: Any) -> None:
        self.decide, self.asked, self.prompts = decide, Counter[str](), list[str]()
        self.lock = threading.Lock()

    def answer(self, prompt: str) -> str:
        with self.lock:
            self.asked[prompt] += 1
            self.prompts.append(prompt)
            return "DUYỆT" if self.decide(prompt, self.asked[prompt]) else "XEM LẠI"


@contextmanager
def serving(screener: Screener) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            text = screener.answer(body["messages"][-1]["content"])
            reply = {"model": "m", "choices": [{"message": {"content": text}, "finish_reason": "stop"}]}
            payload = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

        def log_message(self, *arguments: Any) -> None:
            """Quiet."""

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}/v1"
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


def project(folder: Path, base: str = "http://127.0.0.1:9/v1", config: str = CONFIG, cases: int = CASES) -> Path:
    (folder / ".git").mkdir(exist_ok=True)
    (folder / "fairgate.yaml").write_text(config.replace("BASE", base), encoding="utf-8")
    (folder / "prompt.j2").write_text("{{ ten }}, {{ que }}: {{ income }}", encoding="utf-8")
    (folder / "golden.csv").write_text("id,income\n" + "".join(f"c{i},{i}\n" for i in range(cases)), encoding="utf-8")
    return folder / "fairgate.yaml"


def run(folder: Path, *options: str) -> dict[str, Any]:
    out = folder / "out"
    main(["run", str(folder / "fairgate.yaml"), "--out", str(out), *options], World(environ={"NO_PROXY": "*"}))
    found = out / ("case/report.json" if "--case" in options else "report.json")
    report: dict[str, Any] = json.loads(found.read_text("utf-8"))
    return report


def by_income(prompt: str, time: int) -> bool:
    return int(prompt.rpartition(" ")[2]) % 3 > 0


# --- the draw --------------------------------------------------------------------------------------------------------


def case_plan(name: str, variants: int = 4) -> CasePlan:
    grid = tuple(Variant(f"{name}|v={n}#abc", name, {"v": str(n)}, {"f": n}, {"f": n}) for n in range(variants))
    changed = Variant(f"{name}|v=0|must_respond_to=1#d", name, {"v": "0"}, {"f": 9}, {"f": 9}, 0)
    return CasePlan(Case(name, {"f": 0}, 1), grid, (changed,))


def test_every_variant_is_drawn_as_often_as_any_other_and_always_the_same_one() -> None:
    plans = with_control([case_plan(f"c{n}") for n in range(4000)], "suite", 1)
    drawn = Counter(map(cell_asked_again, plans))
    assert drawn == Counter(map(cell_asked_again, with_control([case_plan(f"c{n}") for n in range(4000)], "suite", 1)))
    assert all(abs(count - 1000) < 4 * (1000 * 0.75) ** 0.5 for count in drawn.values())
    assert draw(4, "suite", "c1", "variant") == 3  # fixed for good: reports of different versions stay comparable
    other = Counter(map(cell_asked_again, with_control([case_plan(f"c{n}") for n in range(4000)], "other", 1)))
    assert other != drawn


def test_repeats_ask_the_same_under_ids_of_their_own() -> None:
    (plan,) = with_control([case_plan("c1")], "suite", 2)
    drawn = plan.grid[cell_asked_again(plan)]
    assert [one.id for one in plan.control] == [f"c1|v={drawn.fields['f']}|control={n}#abc" for n in (1, 2)]
    assert all((one.fields, one.group) == (drawn.fields, drawn.group) for one in plan.control)
    assert len({one.id for one in plan.variants}) == len(plan.variants) == 7


def test_repeats_stand_anywhere_among_the_questions_of_their_case() -> None:
    plans = with_control([case_plan(f"c{n}") for n in range(2000)], "suite", 1)
    places = Counter(plan.variants.index(plan.control[0]) for plan in plans)
    assert set(places) == {0, 1, 2, 3, 4}
    assert all(abs(count - 400) < 4 * (400 * 0.8) ** 0.5 for count in places.values())
    assert all(plan.variants[-1] is plan.changed[0] for plan in plans)
    assert [one for one in plans[0].variants if one not in plans[0].control] == [*plans[0].grid, *plans[0].changed]


def test_without_a_control_nothing_changes() -> None:
    assert with_control([case_plan("c1")], "suite", 0) == [case_plan("c1")]


# --- asked, listed, recorded -----------------------------------------------------------------------------------------


def test_a_steady_system_passes_and_the_report_says_what_was_asked(tmp_path: Path) -> None:
    screener = Screener(by_income)
    with serving(screener) as base:
        project(tmp_path, base)
        report = run(tmp_path)
    (suite,) = report["suites"]
    assert [(rule["id"], rule["verdict"]) for rule in suite["rules"]] == [("beyond", "PASS"), ("by-gender", "PASS")]
    assert (suite["counts"]["expected"], report["evidence"]["calls"]) == (5 * CASES, 5 * CASES)
    control = suite["flips"]["control"]
    assert (control["repeats"], control["asked"], control["answered"], control["differed"]) == (1, CASES, CASES, 0)
    assert sorted(screener.asked.values()) == [1] * 3 * CASES + [2] * CASES
    # not all at the end: the second call to a prompt is near the first
    again = [place for place, prompt in enumerate(screener.prompts) if prompt in screener.prompts[:place]]
    assert min(again) < 12
    comment = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert "300 answers expected (60 of them asked again unchanged)" in comment
    assert "Identical calls differed in none of 60 cases. Of pairs of identical calls 0 % differ" in comment


def noisy(prompt: str, time: int) -> bool:
    """Every other prompt answers differently when it is asked again."""
    return by_income(prompt, time) if time == 1 or len(prompt) % 2 else not by_income(prompt, time)


def test_noise_at_temperature_zero_is_told_with_its_likely_cause(tmp_path: Path) -> None:
    with serving(Screener(noisy)) as base:
        project(tmp_path, base)
        report = run(tmp_path)
    (suite,) = report["suites"]
    assert suite["flips"]["control"]["differed"] > 10
    (remark,) = [one for one in suite["warnings"] if one["code"] == "noisy_system"]
    assert "Ask it with concurrency: 1, or set a seed" in remark["message"]


def test_recorded_answers_hold_the_control(tmp_path: Path) -> None:
    config = CONFIG.partition("systems:")[0] + "systems:\n  loan: {type: recorded, answers: answers.jsonl}\n"
    file = project(tmp_path, config=config + "swap:" + CONFIG.partition("swap:")[2])
    main(["variants", str(file), "--out", str(tmp_path / "questions.jsonl")])
    lines = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text("utf-8").splitlines()]
    assert sum("|control=1#" in line["id"] for line in lines) == CASES
    answered = [
        {"id": line["id"], "answer": "DUYỆT" if int(line["fields"]["income"]) > 9 else "XEM LẠI"} for line in lines
    ]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in answered), encoding="utf-8")
    assert run(tmp_path)["verdict"] == "PASS"
    without = [line for line in answered if "|control=1#" not in line["id"]]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in without), encoding="utf-8")
    report = run(tmp_path)
    assert report["verdict"] == "INSUFFICIENT_EVIDENCE"
    assert report["suites"][0]["counts"]["missing_reasons"] == {"no_answer": CASES}


def test_plan_and_questions_count_the_control(tmp_path: Path) -> None:
    checked = load(project(tmp_path))
    assert len(questions(checked)) == 5 * CASES
    plan = make_plan(checked, World(environ={}))
    assert plan.totals.calls == (5 * CASES, 5 * CASES)
    beyond, by_gender = plan.rules
    assert beyond.message == (
        "60 cases; passes with none in which the swap divides the answers, where no identical calls differ, "
        f"fails from {beyond.fail_from} on, undecided between"
    )
    assert (by_gender.metric, by_gender.cases, by_gender.can_pass) == ("excess_flip_rate", CASES, True)


def test_one_case_is_shown_with_its_control(tmp_path: Path) -> None:
    with serving(Screener(by_income)) as base:
        project(tmp_path, base)
        report = run(tmp_path, "--case", "c7")
    assert report["suites"][0]["counts"]["expected"] == 5
    assert report["suites"][0]["flips"]["control"]["asked"] == 1


def test_a_control_is_part_of_what_a_suite_rests_on(tmp_path: Path) -> None:
    one = fingerprint(load(project(tmp_path)), [])
    assert one != fingerprint(load(project(tmp_path, config=CONFIG.replace("control: 1", "control: 2"))), [])


# --- cache and journal -----------------------------------------------------------------------------------------------


def test_no_call_of_a_suite_with_a_control_is_answered_from_the_cache(tmp_path: Path) -> None:
    screener = Screener(by_income)
    with serving(screener) as base:
        project(tmp_path, base)
        for _ in range(2):
            report = run(tmp_path, "--cache", str(tmp_path / "cache"))
            assert (report["evidence"]["calls"], report["evidence"]["cached"]) == (5 * CASES, 0)
        project(tmp_path, base, CONFIG.replace("control: 1", "control: 0").replace("max_excess_", "max_").replace(
            ", attribute: gender", ""))  # fmt: skip
        for cached in (0, 4 * CASES):
            assert run(tmp_path, "--cache", str(tmp_path / "cache"))["evidence"]["cached"] == cached


class Killed(BaseException):
    """As if the process had ended here."""


def test_an_interrupted_run_goes_on_without_asking_anything_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(7)
    screener = Screener(lambda prompt, time: chance.random() < 0.5)
    with serving(screener) as base:
        project(tmp_path, base)
        journal = tmp_path / "out" / "evidence" / "journal.jsonl"
        seen: list[str] = []

        def dies(self: Any, question: Any, answer: Any) -> None:
            seen.append(question.id)
            if len(seen) == 150:
                raise Killed

        with monkeypatch.context() as patched:
            patched.setattr("fairgate.progress.Progress.on_answer", dies)
            with pytest.raises(Killed):
                run(tmp_path)
        first = {
            line["question"]: line["reply"]["text"]
            for line in map(json.loads, journal.read_text("utf-8").splitlines())
            if "reply" in line
        }
        report = run(tmp_path)
    assert len(first) >= 150
    assert sum(screener.asked.values()) <= 5 * CASES + 4  # those that were under way when it was killed
    evidence = next((tmp_path / "out" / "evidence").glob("*screen*")).read_text("utf-8")
    kept = {line["id"]: line["answer"] for line in map(json.loads, evidence.splitlines())}
    assert len(kept) == 5 * CASES
    assert all(kept[question] == text for question, text in first.items())
    assert report["suites"][0]["flips"]["control"]["answered"] == CASES


# --- configuration ---------------------------------------------------------------------------------------------------

DECISIONS = """\
swap:
  name: d
  decisions: d.csv
  base: base
  axes: {gender: [m, f]}
  outcome: {column: decision, positive: ["1"], negative: ["0"]}
  rules: [{id: beyond, max_excess_flip_rate: 0.05}]
"""


@pytest.mark.parametrize(
    ("config", "about"),
    [
        (CONFIG.replace("  control: 1\n", ""), "max_excess_flip_rate needs the same variant asked again, to know "
         "the system's own noise: write control: 1 in the suite"),
        (CONFIG.replace("control: 1", "control: 0"), "write control: 1 in the suite"),
        (CONFIG.replace("control: 1", "control: 10"), "control"),
        (CONFIG.replace("control: 1", "control: 1.5"), "expected a whole number"),
        (CONFIG.replace("control: 1", "control: -1"), "control"),
        (CONFIG.replace("attribute: gender", "attribute: [gender, region]"),
         "found a crossing of gender, region, and max_excess_flip_rate takes one axis, or none for all"),
        (CONFIG.replace("attribute: gender", "attribute: age"), "attribute 'age' is not declared"),
        (CONFIG.replace("attribute: gender", "rate: selection"), "remove rate"),
        (CONFIG.replace("max_excess_flip_rate: 0.05", "max_excess_flip_rate: 0.05, max_flip_rate: 0.1"),
         "expected exactly one of max_flip_rate, max_excess_flip_rate"),
        (DECISIONS, "max_excess_flip_rate needs the same variant asked again, and decisions made elsewhere "
         "hold no such repeats; use max_flip_rate"),
        (DECISIONS.replace("max_excess_", "max_").replace("  base:", "  control: 1\n  base:"),
         "decisions made elsewhere cannot be asked again"),
    ],
)  # fmt: skip
def test_refusals(tmp_path: Path, config: str, about: str) -> None:
    with pytest.raises(ConfigError) as error:
        load(project(tmp_path, config=config))
    assert about in str(error.value)


@pytest.mark.parametrize(
    ("cases", "limit", "severity", "about"),
    [
        (56, "0.05", "error", "rule beyond: With 56 cases a limit of 5 % on flips beyond noise does not pass"),
        (57, "0.05", None, ""),
        (57, "1", "remark", "max_excess_flip_rate: 1 holds whatever happens"),
    ],
)
def test_validate(tmp_path: Path, cases: int, limit: str, severity: str | None, about: str) -> None:
    config = CONFIG.replace("flip_rate: 0.05", f"flip_rate: {limit}").replace("flip_rate: 0.1", "flip_rate: 0.2")
    found = validate(load(project(tmp_path, config=config, cases=cases)), World(environ={}))
    assert [one.severity for one in found] == ([severity] if severity else [])
    assert not found or found[0].message.startswith(about) or about in found[0].message
