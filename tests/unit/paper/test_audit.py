"""What the audit of the paper must find, and what it must not."""

import pytest
from paper_audit import audit_paper, read_paper, show
from paper_checks.check import Check
from paper_checks.claims import claims_follow
from rich.console import Console

from remem.paper.claims import Claim, Claims, MeasuredValue
from remem.paper.layout import paper_folder

PAPER = read_paper(paper_folder())
CHECKS = audit_paper(PAPER)


def found(kind: str, *words: str) -> Check:
    """Return the one check of a kind whose place has all words."""
    matching = [
        check
        for check in CHECKS
        if check.kind == kind and all(word in check.place for word in words)
    ]
    assert len(matching) == 1, (kind, words, matching)
    return matching[0]


def test_what_does_not_add_up_is_found() -> None:
    cases = [
        ("average of columns", ["complex_tr | REMem-I w/ TISER | avg f1"], "90.6", "90.489"),
        ("average of columns", ["complex_tr | REMem-I w/ TISER | avg bleu_1"], "86.0", "85.592"),
        ("repeated count", ["temporal_scores | Temporal |"], "900", "716"),
        ("repeated count", ["temporal_scores | Non-temporal |"], "1086", "1,270"),
        ("triples of a graph", ["graphs | # of triples | tot"], "275.4", "223.07"),
        ("claim", ["C.3: REMem-S over REMem-I"], "-6.0", "-7"),
        ("claim", ["F.3: input tokens of REMem-S over"], "1.0", "1.538"),
        ("claim", ["C.4: EM of REMem-I with GPT-5-chat"], "99.0", "no row of any table"),
        ("interval of a share", ["reasoning | HippoRAG 2 | tot"], "-1.7 +1.7", "±7.3 (n = 160)"),
        ("share of questions", ["Full-Context | adversarial llm_j"], "55.0", "245/446 = 54.933"),
    ]
    for kind, words, printed, follows in cases:
        check = found(kind, *words)
        assert (check.holds, check.printed, check.follows) == (False, printed, follows)


def test_what_adds_up_is_let_be() -> None:
    cases = [
        ("average of columns", ["complex_tr | REMem-I w/ TISER | avg llm_j"]),
        ("claim", ["5.2: REMem-I over REMem-S, LLM-J"]),
        ("claim", ["5.2: REMem-I over Full-Context, EM"]),
        ("claim", ["6.2: F1 of the refusals of REMem"]),
        ("claim", ["questions of LoCoMo that need several sessions"]),
        ("claim", ["input tokens of a question of LoCoMo, REMem-I"]),
        ("cost of tokens", ["REMem-I"]),
        ("judge and person", ["accepted by one alone"]),
        ("correlation", ["pearson"]),
        ("degree of nodes", ["phrase nodes | complex_tr"]),
    ]
    for kind, words in cases:
        assert found(kind, *words).holds


def test_the_refusals_follow_from_counts_under_444_and_not_446() -> None:
    for row in ["Graphiti", "Mem0", "REMem"]:
        checks = [check for check in CHECKS if check.place == f"refusal | {row}"]
        told = [(check.holds, check.follows.rsplit(", ")[-1]) for check in checks]
        assert told == [(False, "446 unanswerable"), (True, "444 unanswerable")]


def test_the_recollection_gain_comes_from_the_f1_of_locomo_not_from_the_figure() -> None:
    figure = found("headline gain", "recollection", "the figure")
    assert not figure.holds
    # (76.2 + 63.7) / 2 - (73.0 + 59.5) / 2
    assert "REMem-I - NV-Embed-v2 (7B) = 3.7;" in figure.follows
    anything = found("headline gain", "recollection", "any columns")
    assert anything.follows.startswith("locomo f1: REMem-I - HippoRAG 2 = 3.4;")
    assert "mean of locomo llm_j and realtalk llm_j" in anything.note


def test_the_reasoning_gain_comes_from_exact_match_over_full_context_alone() -> None:
    assert not found("headline gain", "reasoning", "the figure").holds
    anything = found("headline gain", "reasoning", "any columns")
    assert anything.follows == "tot: REMem-I - Full-Context = 13.4"
    assert anything.note.startswith("only over what the paper does not count as a memory")


def test_a_claim_that_names_no_cell_is_refused() -> None:
    claim = Claim(id="x", place="1", about="", printed="1.0", rule="same", of=("human | F1 | no",))
    with pytest.raises(ValueError, match=r"no number at 'human \| F1 \| no'"):
        list(claims_follow(PAPER.tables, Claims(results=(claim,), settings=())))


def test_a_comparison_in_words_holds_where_the_numbers_rise() -> None:
    up = ("human | BLEU-1 | sample mean", "human | F1 | sample mean")
    claims = [
        Claim(id=name, place="1", about="", rule="below", of=of)
        for name, of in (("up", up), ("down", up[::-1]))
    ]
    checks = claims_follow(PAPER.tables, Claims(results=tuple(claims), settings=()))
    assert [check.holds for check in checks] == [True, False]


def test_the_report_shows_findings_measurements_and_the_verdict() -> None:
    checks = (
        Check("sum", "t | good | a", "1", "1", "0", True),
        Check("sum", "t | bad | a", "1", "2", "0", False, "a note"),
    )
    measured = MeasuredValue(value=None, of="a run")
    claim = Claim(id="x", place="5.1", about="a share", printed="3%", measured=measured)
    console = Console(width=200)
    with console.capture() as captured:
        show(checks, Claims(results=(claim,), settings=()), console)
    said = captured.get()
    assert "bad" in said and "a note" in said and "good" not in said
    assert "5.1: a share" in said and "not yet" in said
    assert said.splitlines()[-1] == "2 checks, 1 findings"
