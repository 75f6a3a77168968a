"""The command line: thin commands, exit codes by the verdict.

Nothing heavy is imported before a command needs it, so that ``fairgate --help`` answers at once.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from fairgate import __version__
from fairgate.errors import FairgateError, UsageError
from fairgate.streams import readers_may_leave
from fairgate.verdict import ERROR_EXIT_CODE

if TYPE_CHECKING:
    from fairgate.gate import Run
    from fairgate.world import World

CONFIG = "fairgate.yaml"
EPILOG = """exit codes:
  0  PASS
  1  FAIL
  2  usage, configuration or unreadable input
  3  INSUFFICIENT_EVIDENCE
  4  MANUAL_REVIEW
"""


def main(arguments: Sequence[str] | None = None, world: World | None = None) -> int:
    """Run one command; returns the exit code.

    :param arguments: words of the command line, the program's own name left out
    :param world: what a run may touch; the real one by default
    """
    with readers_may_leave():
        return _main(arguments, world)


def _main(arguments: Sequence[str] | None, world: World | None) -> int:
    options = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot write a letter is no reason to stop
    try:
        status = int(options.command(options, world))
        sys.stdout.flush()  # a full disk is an error of this command, and none of Python's when it ends
        return status
    except FairgateError as error:
        _say_error(str(error))
        return ERROR_EXIT_CODE
    except (RecursionError, MemoryError) as error:
        print(f"fairgate: a file or an answer is nested too deeply or too large to read ({error})", file=sys.stderr)
        return ERROR_EXIT_CODE
    except KeyboardInterrupt:
        print("fairgate: stopped", file=sys.stderr)
        return 130
    except Exception:  # noqa: BLE001 - Python's own exit code for an exception is 1, which would read FAIL
        traceback.print_exc()
        print("fairgate: internal error, no verdict; please report the lines above", file=sys.stderr)
        return ERROR_EXIT_CODE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="fairgate",
        description="Stops a change when an AI system starts to treat people differently.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"fairgate {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    _add_run(commands)
    fairness = commands.add_parser("fairness", help="judge the parity of decided cases")
    fairness.add_argument("config", type=Path, metavar="FAIRNESS.YAML", help="a file with a fairness block")
    fairness.add_argument("--policy", type=Path, metavar="RELEASE.YAML", help="what the release demands; wins")
    _add_json(fairness)
    fairness.set_defaults(command=_fairness)

    compare = commands.add_parser("compare", help="put reports of the same suites side by side, against the first")
    compare.add_argument("reports", type=Path, nargs="+", metavar="REPORT.JSON", help="two or more")
    compare.add_argument("--format", choices=("text", "md"), default="text", help="for a terminal, or Markdown")
    compare.add_argument("--json", action="store_true", help="print the table as JSON and nothing else")
    compare.set_defaults(command=_compare)

    validate = commands.add_parser("validate", help="check configuration and files without calling anything")
    _add_config(validate)
    _add_profile(validate)
    validate.set_defaults(command=_validate)

    variants = commands.add_parser("variants", help="write what is to be answered, as JSON lines")
    _add_config(variants)
    variants.add_argument("--suite", metavar="NAME", help="only this suite")
    _add_profile(variants)
    variants.add_argument("--out", type=Path, metavar="FILE", help="file to write (standard output)")
    variants.add_argument("--show", action="store_true", help="show what is asked about one case, for people")
    variants.add_argument("--case", metavar="ID", help="with --show: this case (the first)")
    variants.set_defaults(command=_variants)

    _add_packs(commands)
    plan = commands.add_parser("plan", help="calls, tokens, cost and time of a run, and what its rules can decide")
    _add_config(plan)
    _add_profile(plan)
    plan.add_argument("--report", type=Path, metavar="FILE", help="an earlier report.json, to measure by")
    plan.add_argument("--json", action="store_true", help="print the plan as JSON and nothing else")
    plan.set_defaults(command=_plan)

    status = commands.add_parser("status", help="say of every suite how old its last verdict is and what changed since")
    _add_config(status)
    status.add_argument(
        "--report",
        type=Path,
        default=Path("fairgate-report/report.json"),
        metavar="FILE",
        help="the last report (fairgate-report/report.json)",
    )
    status.add_argument("--json", action="store_true", help="print the list as JSON and nothing else")
    status.set_defaults(command=_status)

    schema = commands.add_parser("schema", help="print the JSON Schema of fairgate.yaml")
    schema.set_defaults(command=_schema)
    return parser


def _add_config(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "config", type=Path, nargs="?", default=Path(CONFIG), metavar="CONFIG", help=f"configuration ({CONFIG})"
    )


def _add_profile(command: argparse.ArgumentParser) -> None:
    command.add_argument("--profile", metavar="P", help="a name under profiles: its cases, rules, judges and budgets")


def _add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    run = commands.add_parser("run", help="judge every suite of a configuration and write the report")
    _add_config(run)
    run.add_argument(
        "--out", type=Path, default=Path("fairgate-report"), metavar="DIR", help="report folder (fairgate-report)"
    )
    run.add_argument("--suite", metavar="NAME", help="only this suite")
    run.add_argument("--case", metavar="ID", help="only this case, with everything shown; writes to DIR/case")
    run.add_argument("--base", metavar="COMMIT", help="say whether the bar is lower than in this commit or branch")
    run.add_argument(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="earlier report.json to compare with, in place of the file's own",
    )
    _add_profile(run)
    run.add_argument(
        "--cache", type=Path, metavar="DIR", help="keep answers of models here and use those that are here"
    )
    run.add_argument("--no-cache", action="store_true", help="ask everything, whatever was kept or interrupted")
    _add_json(run)
    run.set_defaults(command=_run)


def _add_packs(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    packs = commands.add_parser("packs", help="list the people that are shipped for axes, with their sources")
    packs.add_argument(
        "pack", nargs="?", metavar="PACK", help="show the people of this one, or list those that begin so (vietnam)"
    )
    packs.set_defaults(command=_packs)


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print the report as JSON and nothing else")


def _say_error(text: str) -> None:
    """One line for each problem; what a file or a name holds can start no line that a runner would obey."""
    from fairgate.render.escape import log_line  # noqa: PLC0415 - the way without an error needs no rendering

    print("\n".join(map(log_line, f"fairgate: {text}".split("\n"))), file=sys.stderr)


def _run(options: argparse.Namespace, world: World | None) -> int:
    from rich.console import Console  # noqa: PLC0415

    from fairgate import gate, output  # noqa: PLC0415 - each command imports what it needs
    from fairgate.bar.base import Base  # noqa: PLC0415
    from fairgate.baseline.load import load_baseline  # noqa: PLC0415
    from fairgate.config import load  # noqa: PLC0415
    from fairgate.github import masks  # noqa: PLC0415
    from fairgate.models.engine import Keeping  # noqa: PLC0415
    from fairgate.models.stop import Stop, on_signals  # noqa: PLC0415
    from fairgate.progress import Progress  # noqa: PLC0415
    from fairgate.world import World  # noqa: PLC0415

    if options.case is not None:
        return _run_case(options, world)
    output.prepare(options.out)
    project, world = load(options.config, options.profile), world or World()
    masks.emit(masks.values(project.config, world.environ), world.environ, sys.stderr)
    base = Base(options.base) if options.base is not None else None
    if options.baseline is not None and not options.baseline.is_file():
        raise UsageError(f"--baseline {options.baseline}: there is no such file; expected the report.json of a run")
    baseline = load_baseline(options.baseline, str(options.baseline)) if options.baseline else None
    keeping = Keeping(output.journal_path(options.out), options.cache, fresh=options.no_cache)
    stop = Stop()
    with Progress(Console(stderr=True)) as watch, on_signals(stop, _note):
        done = gate.run(
            project,
            world,
            only=options.suite,
            watch=watch,
            keeping=keeping,
            stop=stop,
            base=base,
            baseline=baseline,
        )
    path = output.write(done, options.out)
    _show(done, as_json=options.json)
    print(f"report: {path}", file=sys.stderr)
    return done.report.exit_code


def _run_case(options: argparse.Namespace, world: World | None) -> int:
    from rich.console import Console  # noqa: PLC0415

    from fairgate import gate, output  # noqa: PLC0415
    from fairgate.config import load  # noqa: PLC0415
    from fairgate.progress import Progress  # noqa: PLC0415
    from fairgate.render.single import print_case  # noqa: PLC0415
    from fairgate.world import World  # noqa: PLC0415

    if options.base is not None:
        raise UsageError("--case runs one case and compares nothing: leave out --base")
    out = options.out / "case"  # the report of the whole run stays as it is
    output.prepare(out)
    project = load(options.config)
    with Progress(Console(stderr=True)) as watch:
        done = gate.run_case(project, world or World(), options.case, only=options.suite, watch=watch)
    path = output.write(done, out)
    if not options.json:
        print_case(done.report, done.evidence, done.asked, Console())
    _show(done, as_json=options.json)
    print(f"report: {path}", file=sys.stderr)
    return done.report.exit_code


def _note(text: str) -> None:
    print(f"fairgate: {text}", file=sys.stderr, flush=True)


def _fairness(options: argparse.Namespace, world: World | None) -> int:
    from fairgate import gate  # noqa: PLC0415
    from fairgate.config import load, with_policy  # noqa: PLC0415
    from fairgate.world import World  # noqa: PLC0415

    project = load(options.config)
    if options.policy is not None:
        project = with_policy(project, options.policy)
    if not project.config.fairness:
        raise UsageError(f"{options.config}: has no fairness block; its other suites are judged by: fairgate run")
    fairness = project.config.model_copy(update={"swap": [], "rag": []})
    done = gate.run(replace(project, config=fairness), world or World())
    _show(done, as_json=options.json)
    return done.report.exit_code


def _compare(options: argparse.Namespace, world: World | None) -> int:
    from rich.console import Console  # noqa: PLC0415

    from fairgate.baseline.load import read_reports  # noqa: PLC0415
    from fairgate.baseline.table import table  # noqa: PLC0415
    from fairgate.render import comparison  # noqa: PLC0415

    found = table(read_reports(options.reports))
    if options.json:
        _print(found.model_dump_json(by_alias=True, indent=2) + "\n")
    elif options.format == "md":
        _print(comparison.markdown(found))
    else:
        comparison.print_table(found, Console())
    return 0


def _validate(options: argparse.Namespace, world: World | None) -> int:
    from fairgate.config.project import load, load_each  # noqa: PLC0415
    from fairgate.parties import chosen, questions  # noqa: PLC0415
    from fairgate.render.escape import log_line  # noqa: PLC0415
    from fairgate.validation import validate_each  # noqa: PLC0415
    from fairgate.wording import sentence  # noqa: PLC0415
    from fairgate.world import World  # noqa: PLC0415

    projects = [load(options.config, options.profile)] if options.profile else list(load_each(options.config))
    found = validate_each(projects, world or World())
    for finding in found:
        print(log_line(finding.text), file=sys.stderr if finding.severity == "error" else sys.stdout)
    errors = sum(finding.severity == "error" for finding in found)
    widest = projects[0]
    facts = {"suites": len(chosen(widest, None)), "questions": len(questions(widest)), "errors": errors}
    print(sentence("validated", file=options.config.name, **facts))
    return ERROR_EXIT_CODE if errors else 0


def _variants(options: argparse.Namespace, world: World | None) -> int:
    from fairgate import output  # noqa: PLC0415
    from fairgate.config import load  # noqa: PLC0415
    from fairgate.parties import questions  # noqa: PLC0415

    if options.show:
        from fairgate.parties import shown_bases  # noqa: PLC0415
        from fairgate.render.variants import as_text  # noqa: PLC0415
        from fairgate.world import World  # noqa: PLC0415

        project = load(options.config, options.profile)
        _print(as_text(shown_bases(project, options.suite, options.case, world or World())))
        return 0
    lines = [
        json.dumps({"id": question.id, "fields": dict(question.fields)}, ensure_ascii=False) + "\n"
        for question in questions(load(options.config, options.profile), options.suite)
    ]
    if options.out is None:
        _print("".join(lines))
    else:
        output.write_text(options.out, "".join(lines))
        print(f"{len(lines)} variants: {options.out}", file=sys.stderr)
    return 0


def _packs(options: argparse.Namespace, _: World | None) -> int:
    from fairgate.render.packs import as_text  # noqa: PLC0415

    _print(as_text(options.pack))
    return 0


def _plan(options: argparse.Namespace, world: World | None) -> int:
    from fairgate.config import load  # noqa: PLC0415
    from fairgate.plan.build import make_plan  # noqa: PLC0415
    from fairgate.plan.measured import NOTHING, read_measured  # noqa: PLC0415
    from fairgate.world import World  # noqa: PLC0415

    measured = NOTHING if options.report is None else read_measured(options.report)
    plan = make_plan(load(options.config, options.profile), world or World(), measured)
    if options.json:
        _print(plan.to_json())
        return 0
    from rich.console import Console  # noqa: PLC0415

    from fairgate.render.plan import print_plan  # noqa: PLC0415

    print_plan(plan, Console())
    return 0


def _status(options: argparse.Namespace, world: World | None) -> int:
    from fairgate import gate, output  # noqa: PLC0415
    from fairgate.config import load  # noqa: PLC0415
    from fairgate.render.standing import as_json, as_text  # noqa: PLC0415
    from fairgate.world import World  # noqa: PLC0415

    project = load(options.config)
    found = gate.status(project, world or World(), output.last_report(options.report))
    _print((as_json if options.json else as_text)(found))
    return 0


def _schema(options: argparse.Namespace, world: World | None) -> int:
    from fairgate.config import json_schema  # noqa: PLC0415

    _print(json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n")
    return 0


def _show(done: Run, *, as_json: bool) -> None:
    if as_json:
        _print(done.report.to_json())
        return
    from rich.console import Console  # noqa: PLC0415

    from fairgate.render.terminal import print_report  # noqa: PLC0415

    print_report(done.report, Console())


def _print(text: str) -> None:
    """Write JSON: UTF-8, whatever the terminal speaks."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(text)
