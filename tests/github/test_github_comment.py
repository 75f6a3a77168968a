"""One comment for each comment-id: the decision as a table, then the loop against GitHub's double."""

import threading
from collections.abc import Callable

import pytest

from fairgate.github.client import Client, GitHubError
from fairgate.github.comment import Conversation, Create, Done, Merge, Ours, Stamp, next_step, publish, read_stamp
from fairgate.world import World
from tests.github.github_double import Account, GitHubDouble, Reply

HEAD = "a" * 40


def stamp(run: int = 5, attempt: int = 1, comment_id: str = "fairgate") -> Stamp:
    return Stamp(comment_id, HEAD, run, attempt)


def send(
    github: GitHubDouble,
    text: str,
    who: Stamp,
    *,
    token: str = "job-token",
    create: bool = True,
    sleep: Callable[[float], None] = lambda _: None,
) -> Done:
    client = Client(github.url, token, World(environ={}, sleep=lambda _: None, chance=lambda: 0.0))
    return publish(Conversation(client, "octo/repo", 7), who, text, create=create, sleep=sleep)


# --- the marker ------------------------------------------------------------------------------------------------------


def test_a_stamp_survives_its_marker() -> None:
    for comment_id in ("fairgate", "a.b_c-d", "x" * 64, "--"):
        written = Stamp(comment_id, "0123456789abcdef" * 4, 12345678901, 3)
        assert read_stamp(written.sign("**text**")) == written
        assert len(written.sign("")) + written.room == 65_536


@pytest.mark.parametrize(
    "body",
    [
        "",
        "text",
        f"> {stamp().marker}\n",
        f" {stamp().marker}",
        f"text\n{stamp().marker}",
        "<!-- fairgate id= head=" + HEAD + " run=1 attempt=1 -->",
        "<!-- fairgate id=a b head=" + HEAD + " run=1 attempt=1 -->",
        "<!-- fairgate id=a head=abc run=1 attempt=1 -->",
        "<!-- fairgate id=a head=" + HEAD + " run=-1 attempt=1 -->",
        "<!-- fairgate id=a head=" + HEAD + " run=1 -->",
    ],
)
def test_no_stamp(body: str) -> None:
    assert read_stamp(body) is None


# --- the decision ----------------------------------------------------------------------------------------------------


def at(number: int, run: int, attempt: int = 1) -> Ours:
    return Ours(number, f"url{number}", stamp(run, attempt), f"body of {number}")


MINE = "my body"


@pytest.mark.parametrize(
    ("found", "create", "written", "step"),
    [
        # nothing there
        ([], True, False, Create()),
        ([], False, False, Done()),
        ([], True, True, Done()),  # the list lags behind what was just created: never twice
        # one of an older run: updated, whether or not one would be created
        ([at(1, 4)], True, False, Merge(1, MINE, ())),
        ([at(1, 4)], False, False, Merge(1, MINE, ())),
        ([at(1, 5, 0)], True, False, Merge(1, MINE, ())),
        # an older run came after us and overwrote what we had written: again
        ([at(1, 4)], True, True, Merge(1, MINE, ())),
        # ours
        ([at(1, 5)], True, True, Done("url1")),
        ([at(1, 5)], True, False, Merge(1, MINE, ())),  # of an earlier step of this run
        # a newer run has spoken
        ([at(1, 6)], True, False, Done("url1", superseded=True)),
        ([at(1, 5, 2)], True, False, Done("url1", superseded=True)),
        ([at(1, 6)], True, True, Done("url1", superseded=True)),
        # several: the oldest stays, the newest content wins
        ([at(1, 5), at(2, 5)], True, True, Merge(1, None, (2,))),
        ([at(2, 5), at(1, 4)], True, True, Merge(1, "body of 2", (2,))),
        ([at(1, 6), at(2, 5)], True, True, Merge(1, None, (2,))),
        ([at(1, 5), at(2, 6)], True, True, Merge(1, "body of 2", (2,))),
        ([at(1, 3), at(2, 4)], True, False, Merge(1, MINE, (2,))),
        ([at(1, 3), at(2, 6), at(3, 4)], True, False, Merge(1, "body of 2", (2, 3))),
    ],
)
def test_next_step(found: list[Ours], create: bool, written: bool, step: Create | Merge | Done) -> None:
    assert next_step(found, stamp(), MINE, create=create, written=written) == step


# --- the loop --------------------------------------------------------------------------------------------------------


def test_first_it_is_created_then_updated(github: GitHubDouble) -> None:
    first = send(github, "one", stamp(1))
    assert github.bodies() == [stamp(1).sign("one")]
    assert first == Done(github.comments[0]["html_url"])
    assert send(github, "two", stamp(2)) == first
    assert send(github, "three", stamp(2, 2)) == first
    assert github.bodies() == [stamp(2, 2).sign("three")]


def test_an_older_run_does_not_overwrite_a_newer_one(github: GitHubDouble) -> None:
    send(github, "new", stamp(9))
    for older in (stamp(8), stamp(8, 7)):
        assert send(github, "old", older).superseded
    assert github.bodies() == [stamp(9).sign("new")]
    assert github.sent("PATCH") == []


def test_each_comment_id_has_its_own(github: GitHubDouble) -> None:
    for comment_id in ("loan", "loan.v2", "Loan"):
        send(github, comment_id, stamp(1, comment_id=comment_id))
    send(github, "again", stamp(2, comment_id="loan"))
    assert github.bodies() == [
        stamp(2, comment_id="loan").sign("again"),
        stamp(1, comment_id="loan.v2").sign("loan.v2"),
        stamp(1, comment_id="Loan").sign("Loan"),
    ]


def test_it_is_found_over_every_page(github: GitHubDouble) -> None:
    for number in range(249):
        github.add(f"chatter {number}", "someone", "User")
    github.add(stamp(1).sign("old"))
    send(github, "new", stamp(2))
    assert len(github.bodies()) == 250
    assert github.bodies()[-1] == stamp(2).sign("new")


@pytest.mark.parametrize("run", [1, 99])
def test_the_forged_marker_of_a_person_is_nothing(github: GitHubDouble, run: int) -> None:
    forged = stamp(run).sign("PASS, really")
    github.add(forged, "mallory", "User")
    send(github, "FAIL", stamp(5))
    assert github.bodies() == [forged, stamp(5).sign("FAIL")]


def test_a_quoted_marker_is_nothing(github: GitHubDouble) -> None:
    quoted = f"> {stamp(1).sign('x')}"
    github.add(quoted)
    send(github, "FAIL", stamp(5))
    assert github.bodies() == [quoted, stamp(5).sign("FAIL")]


def test_with_a_token_of_a_person_only_comments_of_that_person_are_ours(github: GitHubDouble) -> None:
    github.accounts["pat"] = Account("release-bot-of-ours", "User")
    bots = stamp(1).sign("by a bot")
    github.add(bots)
    github.add(stamp(1).sign("old"), "release-bot-of-ours", "User")
    send(github, "new", stamp(2), token="pat")
    assert github.bodies() == [bots, stamp(2).sign("new")]


def test_a_comment_without_a_body_or_an_author(github: GitHubDouble) -> None:
    github.add(stamp(1).sign("ghost"))["user"] = None
    send(github, "new", stamp(2))
    assert len(github.bodies()) == 2


def test_an_answer_lost_on_the_way_back_leaves_one_comment(github: GitHubDouble) -> None:
    github.script = [Reply(502, {"message": "bad gateway"}, method="POST", done_first=True)]
    github.accounts["job-token"] = Account()
    client = Client(github.url, "job-token", World(environ={}, sleep=lambda _: None, chance=lambda: 0.0))
    thread = Conversation(client, "octo/repo", 7)
    github.script.insert(0, Reply(403, {"message": "no", "documentation_url": "x"}, method="GET"))  # GET /user
    publish(thread, stamp(1), "once", create=True, sleep=lambda _: None)
    assert len(github.sent("POST")) == 2
    assert github.bodies() == [stamp(1).sign("once")]


@pytest.mark.parametrize("runs", [(1, 2), (2, 1), (3, 3)])
def test_two_runs_at_once_come_to_one_comment(github: GitHubDouble, runs: tuple[int, int]) -> None:
    """Both see an empty thread before either writes."""
    both_looked = threading.Barrier(2, timeout=5)
    waited = threading.local()

    def hold(method: str, _: str) -> None:
        if method == "POST" and not getattr(waited, "once", False):
            waited.once = True
            both_looked.wait()

    github.before = hold
    _together(*(lambda run=run: send(github, f"of {run}", stamp(run)) for run in runs))
    assert len(github.sent("POST")) == 2
    assert github.bodies() == [stamp(max(runs)).sign(f"of {max(runs)}")]


def test_an_update_that_comes_late_does_not_win(github: GitHubDouble) -> None:
    """The older run looks, the newer one looks and writes, then the older one writes: the newer writes again."""
    github.add(stamp(1).sign("first"))
    newer_wrote, older_wrote = threading.Event(), threading.Event()
    older_is_in = threading.Event()

    def newer() -> None:
        older_is_in.wait(5)
        send(github, "newer", stamp(3), sleep=lambda _: (newer_wrote.set(), older_wrote.wait(5))[0])

    def older() -> None:
        def hold(method: str, _: str) -> None:
            if method == "PATCH" and not older_is_in.is_set():
                older_is_in.set()
                newer_wrote.wait(5)

        github.before = hold
        send(github, "older", stamp(2), sleep=lambda _: older_wrote.set())

    _together(older, newer)
    assert github.bodies() == [stamp(3).sign("newer")]


def test_a_comment_deleted_meanwhile_is_written_anew(github: GitHubDouble) -> None:
    github.add(stamp(1).sign("old"))

    def drop(method: str, _: str) -> None:
        if method == "PATCH":
            github.comments.clear()

    github.before = drop
    assert send(github, "new", stamp(2)).url
    assert github.bodies() == [stamp(2).sign("new")]


def test_runs_that_keep_writing_do_not_hold_the_job_for_ever(github: GitHubDouble) -> None:
    github.add(stamp(1).sign("old"))

    def overwrite(_: float) -> None:
        github.comments[0]["body"] = stamp(1).sign("old")

    with pytest.raises(GitHubError, match="did not settle"):
        send(github, "new", stamp(2), sleep=overwrite)


def test_without_a_comment_none_is_created_when_none_is_wanted(github: GitHubDouble) -> None:
    assert send(github, "PASS", stamp(1), create=False) == Done()
    assert github.bodies() == []
    send(github, "FAIL", stamp(2))
    send(github, "PASS", stamp(3), create=False)
    assert github.bodies() == [stamp(3).sign("PASS")]


@pytest.mark.parametrize("status", [401, 403, 404, 410, 422])
def test_what_github_refuses_is_an_error_with_its_status(github: GitHubDouble, status: int) -> None:
    body = {"message": "no", "documentation_url": "https://docs.github.com/rest"}
    who, thread, refused = Reply(403, body, method="GET"), Reply(200, [], method="GET"), Reply(status, body)
    github.script = [who, thread, refused]
    with pytest.raises(GitHubError) as caught:
        send(github, "x", stamp(1))
    assert caught.value.status == status


def test_a_token_that_is_refused_is_no_bot(github: GitHubDouble) -> None:
    with pytest.raises(GitHubError) as caught:
        send(github, "x", stamp(1), token="expired")
    assert caught.value.status == 401
    assert github.sent("POST") == []


def _together(*runs: Callable[[], object]) -> None:
    failures: list[BaseException] = []

    def guarded(run: Callable[[], object]) -> None:
        try:
            run()
        except BaseException as error:  # noqa: BLE001 - told by the thread that waits for it
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(run,)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert failures == []
