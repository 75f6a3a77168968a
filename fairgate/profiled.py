"""What a report says of its profile: which part of the file it is about, and how many cases of how many."""

from fairgate.config.model import HarnessSuite, RagSuite
from fairgate.config.project import Project
from fairgate.config.scope import Suite
from fairgate.config.section import Where
from fairgate.golden.cases import read_cases
from fairgate.report import ProfileInfo
from fairgate.results import Remark, SuiteResult
from fairgate.wording import sentence


def profile_info(project: Project) -> ProfileInfo | None:
    """The profile of a run; None where there is none and nothing is left out for want of it."""
    scope = project.scope
    if scope.profile is None and not scope.left_out:
        return None
    rules = {suite: list(ids) for suite, ids in scope.left_out.items() if suite not in scope.suites_left_out}
    message = sentence("profile", profile=scope.profile, suites=scope.suites_left_out, rules=rules)
    left_out = {suite: list(ids) for suite, ids in scope.left_out.items()}
    return ProfileInfo(name=scope.profile, tags=list(scope.tags), left_out=left_out, message=message)


def in_run(result: SuiteResult, suite: Suite, project: Project, where: Where, *, skipped: bool) -> SuiteResult:
    """The result of a suite as a part of its run: whether it was skipped, and how many cases of its golden file it is
    about when a profile's tags chose them.

    :param where: the suite's place in the configuration
    :param skipped: nothing was asked for want of a secret, and that is not to fail the job
    """
    if skipped:
        result = result.model_copy(update={"skipped": "missing_secret"})
    scope = project.scope
    if not scope.tags or not asks(suite):
        return result
    of = cases_in_file(suite, project, where)
    message = sentence("tagged_subset", cases=result.counts.cases, of=of, tags=scope.tags, profile=scope.profile)
    counts = result.counts.model_copy(update={"of": of})
    warnings = [Remark(code="tagged_subset", message=message), *result.warnings]
    return result.model_copy(update={"counts": counts, "warnings": warnings})


def asks(suite: Suite) -> bool:
    """Whether tags say something about the suite: its cases are put to a system or to judges, one by one."""
    return isinstance(suite, HarnessSuite | RagSuite)


def cases_in_file(suite: Suite, project: Project, where: Where) -> int:
    """Cases of a golden file, whatever their tags.

    :raises FairgateError: the golden file cannot be used
    """
    if isinstance(suite, RagSuite):
        from fairgate.triad.suite import read_file  # noqa: PLC0415 - only where a suite asks for it

        return len(read_file(suite, project, where))
    assert isinstance(suite, HarnessSuite)  # noqa: S101 - the caller asked
    return len(read_cases(project.resolve(suite.cases, (*where, "cases"))))
