import json

import pytest

from remem.benchmarks.complex_tr.release import ComplexTRRelease


def a_fact(number):
    return f"Ann studied at School {number:02d} from January 1990 to May 1994."


def a_record(number):
    return {
        "id": f"L2_Q{number % 3}_P69_{number}",
        "question": f"Where was Ann educated in May 199{number % 5}?",
        "fact_context": a_fact(number),
        "text_answers": {"text": [f"School {number:02d}", "X"]},
        "date": "n/a",
        "passages": [],
    }


@pytest.fixture
def data(tmp_path):
    (tmp_path / "complex_tr").mkdir()
    lines = [json.dumps(a_record(number)) for number in range(20)]
    (tmp_path / "complex_tr/test_gold.json").write_text("\n".join(lines) + "\n")
    return str(tmp_path)


def load(data, sample=5, seed=3):
    return ComplexTRRelease(
        data=data, file="test_gold.json", sample=sample, seed=seed, answer_separator="semicolons"
    )


def numbers_of(benchmark):
    questions = benchmark.questions("complex-tr")
    return [int(question.query.id.split("_")[-1]) for question in questions]


def test_a_sample_is_drawn_without_repetition_in_the_order_of_the_file(data):
    numbers = numbers_of(load(data))
    assert len(numbers) == 5
    assert numbers == sorted(set(numbers))
    assert numbers_of(load(data, sample=20)) == list(range(20))


def test_the_seed_decides_what_is_drawn(data):
    assert numbers_of(load(data)) == numbers_of(load(data))
    assert len({tuple(numbers_of(load(data, seed=seed))) for seed in range(4)}) == 4


def test_the_history_holds_the_facts_of_the_sampled_questions_only(data):
    benchmark = load(data)
    [history] = benchmark.histories()
    assert [message.text for message in history.messages()] == [
        a_fact(number) for number in numbers_of(benchmark)
    ]


def test_the_answers_and_evidence_are_read_from_the_release(data):
    benchmark = load(data, sample=20)
    gold = benchmark.questions("complex-tr")[7].gold
    assert gold.answers == ("School 07; X",)
    assert gold.evidence == ("s0008",)
    assert gold.group == "Q1"


def test_the_file_is_named_as_a_sample_of_our_own(data):
    [file] = load(data).files()
    assert file.name == (
        "complex_tr/test_gold.json (5 questions drawn with seed 3, not the paper's sample)"
    )


@pytest.mark.parametrize("sample", [0, 21])
def test_a_sample_larger_than_the_file_or_empty_is_refused(data, sample):
    with pytest.raises(ValueError, match=f"sample is {sample}, but .*test_gold.json has 20"):
        load(data, sample=sample)


def test_a_broken_line_is_named(data, tmp_path):
    with (tmp_path / "complex_tr/test_gold.json").open("a") as file:
        file.write('{"id": \n')
    with pytest.raises(ValueError, match=r"complex_tr/test_gold\.json:2[12] is not JSON"):
        load(data)


def test_line_ends_of_windows_and_blank_lines_are_read(data, tmp_path):
    path = tmp_path / "complex_tr/test_gold.json"
    plain = numbers_of(load(data))
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n\r\n"))
    assert numbers_of(load(data)) == plain
