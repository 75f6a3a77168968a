"""What to do when GitHub refuses: a sentence with the permission to add, and the case of forks named."""

from fairgate.github.client import GitHubError
from fairgate.github.event import Origin
from fairgate.wording import sentence


def on_comment(error: GitHubError, origin: Origin) -> str:
    """Why there is no comment, and what would change that.

    :param origin: where the pull request comes from
    """
    return sentence("github_no_comment", error=str(error), kind=_kind(error.status), origin=origin)


def _kind(status: int | None) -> str:
    if status == 401:
        return "token"
    return "permission" if status in (403, 404) else "other"
