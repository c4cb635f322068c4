"""The example modules in the package `evaluate`, without a network (extra `hf`)."""

import importlib.util
from pathlib import Path

import pytest

from remem.metrics.bleu import bleu1
from remem.metrics.qa import exact_match, token_f1

MODULES = Path(__file__).parents[2] / "examples" / "evaluate_modules"
ANSWERS = ["a red car", "bus", "", "7 May, 2023"]
GOLDS = [["the red car", "bus"], ["car"], ["no information available"], ["May 7"]]

pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(
        importlib.util.find_spec("evaluate") is None,
        reason="evaluate is not installed: pip install '.[hf]'",
    ),
]


@pytest.fixture(autouse=True)
def offline(monkeypatch, tmp_path):
    """Disable the hub and use an own cache; `evaluate` reads these variables on import."""
    for name in ("HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE", "HF_DATASETS_OFFLINE"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_MODULES_CACHE", str(tmp_path / "modules"))


@pytest.mark.parametrize(
    ("name", "key", "score", "expected"),
    [
        ("remem_f1", "f1", token_f1, (1 + 0 + 0 + 4 / 5) / 4),
        ("remem_em", "em", exact_match, 1 / 4),
        # red car of three words, no penalty; May and 7 of 7 May , 2023
        ("remem_bleu1", "bleu1", bleu1, (2 / 3 + 0 + 0 + 2 / 4) / 4),
    ],
)
def test_a_module_loads_from_its_folder_and_gives_the_mean_of_our_scores(
    name, key, score, expected, tmp_path
):
    import evaluate

    module = evaluate.load(str(MODULES / name), cache_dir=str(tmp_path))
    result = module.compute(predictions=ANSWERS, references=GOLDS)
    assert result == {key: pytest.approx(expected)}
    ours = [score(answer, golds) for answer, golds in zip(ANSWERS, GOLDS, strict=True)]
    assert result[key] == pytest.approx(sum(ours) / len(ours))
