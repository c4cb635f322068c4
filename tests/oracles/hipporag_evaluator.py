"""HippoRAG's exact match and F1, written from its description and independent of our code.

Normal form: lower case; each of the 32 ASCII punctuation characters deleted; the words "a", "an"
and "the" replaced by a blank; runs of white space reduced to one. F1 = 2 P R / (P + R) over the
words of the normal forms as multisets, 0 if they share none. The best gold counts.
"""

PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"
ARTICLES = ("a", "an", "the")


def normal_form(text):
    kept = "".join(character for character in text.lower() if character not in PUNCTUATION)
    pieces, word = [], ""
    for character in f"{kept} ":
        if character.isalnum() or character == "_":  # what a regular expression calls a word
            word += character
        else:
            pieces.append(" " if word in ARTICLES else word)
            pieces.append(character)
            word = ""
    return " ".join("".join(pieces).split())


def exact_match(golds, answer):
    return max(1.0 if normal_form(gold) == normal_form(answer) else 0.0 for gold in golds)


def f1(golds, answer):
    return max(one_f1(normal_form(gold).split(), normal_form(answer).split()) for gold in golds)


def one_f1(gold_words, answer_words):
    left = list(gold_words)
    shared = 0
    for word in answer_words:
        if word in left:
            left.remove(word)
            shared += 1
    if shared == 0:
        return 0.0
    precision, recall = shared / len(answer_words), shared / len(gold_words)
    return 2 * precision * recall / (precision + recall)
