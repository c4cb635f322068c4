"""Totals of the paper's tables: a changed digit in results/paper is noticed without remem.tex.

Each line states how many numbers a table prints, their sum, and the sum of the widths of their
intervals, as computed when test_latex.py found every number equal to the paper's LaTeX source.
"""

from decimal import Decimal

from paper_audit import read_paper

from remem.paper.layout import paper_folder, read_tables

TABLES = read_tables(paper_folder())
TOTALS = {
    "datasets": (12, "147935", "0"),
    "recollection": (51, "1938.5", "162.0"),
    "reasoning": (38, "2885.2", "140.4"),
    "ablation": (42, "2700.6", "0"),
    "refusal": (12, "1819.3", "0"),
    "human": (10, "5.9", "0"),
    "examples": (6, "3", "0"),
    "locomo_1": (90, "3639.1", "0"),
    "locomo_2": (90, "4153.9", "0"),
    "realtalk": (96, "2743.2", "0"),
    "complex_tr": (90, "6824.4", "0"),
    "test_of_time": (99, "7749.2", "0"),
    "semantic_memory": (27, "815.3", "0"),
    "ablation_locomo": (48, "2498.7", "0"),
    "ablation_complex_tr": (36, "2896.6", "0"),
    "temporal_categories": (8, "1986", "0"),
    "temporal_scores": (40, "6405.2", "0"),
    "time_and_memory": (6, "4003.7", "0"),
    "tokens": (16, "51000013.3", "0"),
    "graphs": (38, "260497.2", "0"),
}


def test_every_table_of_numbers_has_its_totals_here() -> None:
    assert TABLES.keys() == TOTALS.keys()


def test_the_numbers_of_a_table_add_up_to_the_papers() -> None:
    for name, (count, values, intervals) in TOTALS.items():
        numbers = [cell.number for cell in TABLES[name].cells.values()]
        widths = sum((number.minus or 0) + (number.plus or 0) for number in numbers)
        total = sum(number.value for number in numbers)
        assert (len(numbers), total, widths) == (count, Decimal(values), Decimal(intervals))


def test_each_kind_of_number_has_the_score_convention_that_explains_it() -> None:
    made_with = read_paper(paper_folder()).made_with
    assert {name: dict(one.score) for name, one in made_with.items() if one.score} == {
        # Its code scores LoCoMo with stems and cuts answers at the first comma. In category 5 it
        # looks for LoCoMo's two phrases, and an empty answer holds neither.
        "locomo_f1": {"f1": "released_comma_cut", "refusal_detection": "locomo_phrases"},
        "locomo_refused": {
            "f1": "released_comma_cut",
            "refusal_detection": "locomo_phrases",
            "refusal_gold": "by_category",
        },
        "hipporag_f1": {"f1": "hipporag2"},
        "sentence_bleu_1": {"bleu": "evaluate"},
        "tot_em": {"multi_answer_gold": "joined"},
        # 252 right ones of 344 give 73.3 and of 444 give 56.8, as printed.
        "refusals_of_444": {
            "refusal_detection": "phrase_or_empty",
            "refusal_gold": "by_missing_answer",
        },
    }
