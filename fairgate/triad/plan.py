"""How many calls a rag suite takes, before any is made."""

from math import ceil

from fairgate.config.model import Config
from fairgate.config.triad import LexicalJudge, Metric, OpenAIEmbeddings, RagSuite
from fairgate.golden.rag import Sample
from fairgate.models.embeddings import BATCH
from fairgate.results import Asked, Calls
from fairgate.triad.evidence import OF_ANSWERS, QUESTIONS, Evidence
from fairgate.triad.scores import expected_of


def calls(evidence: Evidence, config: Config) -> list[Calls]:
    """The calls of a suite: its system, then judge, panel and embeddings. Who makes no call is left out.

    :param evidence: the cases, nothing asked
    """
    suite, cases = evidence.suite, len(evidence.samples)
    found = [_calls(suite, "system", suite.system, cases, cases)] if suite.system is not None else []
    found += [
        _calls(suite, "judge" if name == suite.judge else "panel", name, *_of_judge(name, evidence))
        for name in suite.judge_names
        if not isinstance(config.judges[name], LexicalJudge)
    ]
    if "answer_relevance" in suite.metrics and isinstance(config.embeddings, OpenAIEmbeddings):
        least, most = (ceil(texts / BATCH) for texts in _texts(evidence))
        found.append(_calls(suite, "embeddings", config.embeddings.model, least, most))
    return [one for one in found if one.most]


def _calls(suite: RagSuite, kind: Asked, name: str, least: int, most: int) -> Calls:
    return Calls(suite=suite.name, kind=kind, name=name, least=least, most=most)


def _of_judge(name: str, evidence: Evidence) -> tuple[int, int]:
    """The judge lists the claims once and scores every case; another one of the panel scores what is borderline."""
    suite = evidence.suite
    most = sum(len(_scored(metric, evidence, abstaining=False)) for metric in suite.metrics)
    if name != suite.judge:
        always = sum(len(_scored(metric, evidence, abstaining=True)) for metric in suite.metrics)
        return always if suite.arbitrate == "always" else 0, most
    listed = len(_answered(evidence)) if set(suite.metrics) & set(OF_ANSWERS) else 0
    return listed + sum(len(_scored(metric, evidence, abstaining=True)) for metric in suite.metrics), listed + most


def _scored(metric: Metric, evidence: Evidence, *, abstaining: bool) -> list[Sample]:
    """Cases that are scored; with ``abstaining`` those that ought to decline do, and need no score."""
    if metric not in OF_ANSWERS:
        return expected_of(metric, evidence)
    return [sample for sample in _answered(evidence) if not (abstaining and sample.abstain)]


def _answered(evidence: Evidence) -> list[Sample]:
    """Cases with an answer, as far as that is known before a system is asked."""
    return [sample for sample in evidence.samples if sample.answer is None or sample.answer.strip()]


def _texts(evidence: Evidence) -> tuple[int, int]:
    """Texts to embed: each question, and those asked back by the judge, or by everybody."""
    questions = len({sample.query for sample in evidence.samples})
    least = QUESTIONS * len(_scored("answer_relevance", evidence, abstaining=True))
    most = QUESTIONS * len(_scored("answer_relevance", evidence, abstaining=False)) * len(evidence.suite.judge_names)
    return questions + least, questions + most
