"""A parsed text: tokens with their tags and their places in a dependency tree.

The labels are those of spaCy's English models: tags of the Penn Treebank, dependencies of ClearNLP.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Token:
    """A word or a punctuation mark of a text.

    `at` and `head` count the tokens of the text from 0; the head of a root is the root itself.
    `start` counts characters; `entity` is the type of the entity that it belongs to, or "".
    """

    at: int
    start: int
    text: str
    space: str
    norm: str
    lemma: str
    tag: str
    pos: str
    dep: str
    head: int
    entity: str

    @property
    def end(self) -> int:
        """Return the position of the first character after it."""
        return self.start + len(self.text)


@dataclass(frozen=True)
class Sentence:
    """Consecutive tokens of a text that form one tree."""

    tokens: tuple[Token, ...]

    @property
    def root(self) -> Token:
        """Return the token that all others depend on."""
        return next(token for token in self.tokens if token.head == token.at)

    @property
    def text(self) -> str:
        """Return the text of the sentence."""
        return "".join(token.text + token.space for token in self.tokens).strip()

    @cached_property
    def _children(self) -> dict[int, tuple[Token, ...]]:
        found: dict[int, list[Token]] = {token.at: [] for token in self.tokens}
        for token in self.tokens:
            if token.head != token.at:
                found[token.head].append(token)
        return {at: tuple(children) for at, children in found.items()}

    def at(self, position: int) -> Token:
        """Return the token at a position of the text."""
        return self.tokens[position - self.tokens[0].at]

    def children(self, token: Token, *deps: str) -> tuple[Token, ...]:
        """Return the tokens that depend on a token, all or those with the given dependencies."""
        return tuple(child for child in self._children[token.at] if not deps or child.dep in deps)

    def child(self, token: Token, *deps: str) -> Token | None:
        """Return the first child with one of the dependencies, or None."""
        return next(iter(self.children(token, *deps)), None)

    def subtree(self, token: Token, without: Sequence[str] = ()) -> tuple[Token, ...]:
        """Return a token and all below it in order, leaving out branches with some dependencies."""
        return tuple(sorted(self._below(token, without), key=lambda each: each.at))

    def _below(self, token: Token, without: Sequence[str]) -> Iterator[Token]:
        yield token
        for child in self._children[token.at]:
            if child.dep not in without:
                yield from self._below(child, without)


Parse = Callable[[Sequence[str]], list[tuple[Sentence, ...]]]
"""Parses texts, each into its sentences."""
