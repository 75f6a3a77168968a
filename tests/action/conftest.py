from collections.abc import Iterator

import pytest

from tests.github.github_double import GitHubDouble


@pytest.fixture
def github() -> Iterator[GitHubDouble]:
    """A GitHub on loopback; a request or a response that GitHub's description does not allow fails the test."""
    with GitHubDouble().serve() as double:
        yield double
    assert double.problems == []
