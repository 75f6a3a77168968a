"""The run that a job is compared with, as its inputs say: a report in the repository, or an artifact of the base."""

from fairgate.baseline.load import Baseline, NoBaseline, load_baseline, no_baseline
from fairgate.github.artifacts import Absent, newest_report
from fairgate.github.client import Client
from fairgate.github.event import base_branch, read_payload
from fairgate.github.settings import Settings, artifact_name
from fairgate.world import World


def earlier_run(settings: Settings, world: World) -> Baseline | NoBaseline | None:
    """The baseline that the workflow names; None when it names none and the configuration has its say.

    Whatever is wrong with it is a value: the run is made all the same and says so.
    """
    inputs, job = settings.inputs, settings.job
    if not inputs.baseline:
        return None
    name = artifact_name(inputs.baseline)
    if name is None:
        return load_baseline(settings.directory / inputs.baseline, inputs.baseline)
    branch = base_branch(job.event, read_payload(job.event_path), job.ref)
    source = f"artifact {name}" if branch is None else f"artifact {name} of {branch}"
    if branch is None:
        return no_baseline("no_base_branch", source)
    found = newest_report(Client(job.api_url, inputs.token, world), job.repository, branch, name)
    if isinstance(found, Absent):
        return NoBaseline(source, f"artifact_{found.reason}", found.message)
    return _of_its_commit(load_baseline(found.content, source, commit=found.commit, when=found.when), found.commit)


def _of_its_commit(found: Baseline | NoBaseline, commit: str) -> Baseline | NoBaseline:
    """A report that says it judged another commit than the run that left it was about is not taken for it."""
    if isinstance(found, NoBaseline) or found.report.git is None or found.report.git.commit == commit:
        return found
    return no_baseline("baseline_other_commit", found.source, f"{found.report.git.commit[:7]}, not {commit[:7]}")
