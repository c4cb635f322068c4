"""Texts and drawings on pages have enough contrast with the background, in light and dark mode."""

import re
from pathlib import Path

import pytest

from remem.reports.html import page

TEMPLATES = Path(page.__file__).with_name("templates")
TEXTS = {"ink", "soft", "accent", "right", "wrong", "partly", "refused"}
DRAWINGS = {"index", "recall", "read", "judge", "one", "other"}
LINES = {"accent", *(f"line-{at}" for at in range(1, 8))}


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_texts_have_a_contrast_of_4_5_and_drawings_of_3(scheme: int) -> None:
    colours: dict[str, str] = {}
    for sheet in ("style.css", "charts.css"):
        roots = re.findall(r":root \{(.*?)\}", (TEMPLATES / sheet).read_text(), re.DOTALL)
        colours |= re.findall(r"--([\w-]+): (#\w{6})", roots[scheme])
    assert len({colours[name] for name in LINES}) == len(LINES)
    for ground in ("paper", "ground", "tint"):
        assert min(contrast(colours[name], colours[ground]) for name in TEXTS) >= 4.5
        assert min(contrast(colours[name], colours[ground]) for name in DRAWINGS) >= 3
    for ground in ("paper", "ground"):  # of a chart, and of a legend below it
        assert min(contrast(colours[name], colours[ground]) for name in LINES) >= 3


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours as WCAG 2.2 defines it."""
    dark, light = sorted(map(luminance, (one, other)))
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
