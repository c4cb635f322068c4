"""Escape texts for LaTeX, so that labels are shown literally and cannot run commands."""

from remem.files.plain_text import printable

_ESCAPED = str.maketrans(
    {
        **{char: f"\\{char}" for char in "&%_#${}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)
AFTER_LINE_BREAK = ("[", "*")
r"""Characters that LaTeX would read as an argument of the `\\` at the end of the previous row."""


def in_latex(text: str) -> str:
    r"""Escape a text for a cell of a table.

    >>> in_latex("a_b\\input{x}\n100 %")
    'a\\_b\\textbackslash{}input\\{x\\} 100 \\%'
    """
    return printable(text).translate(_ESCAPED)


def as_row_label(text: str) -> str:
    """Escape a text for the first cell of a row."""
    label = in_latex(text)
    return f"{{{label[0]}}}{label[1:]}" if label.startswith(AFTER_LINE_BREAK) else label


def as_comment(text: str) -> str:
    """Return a text as a comment of one line."""
    return f"% {printable(text)}"
