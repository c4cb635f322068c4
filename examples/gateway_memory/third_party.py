"""Somebody else's memory: it knows nothing of remem, only OpenAI's library and its variables."""

import json
import sys

from openai import OpenAI

CLIENT = OpenAI()  # OPENAI_BASE_URL says where


def noted(text: str) -> str:
    """Say in a sentence what a message tells."""
    asked = [{"role": "user", "content": f"Say in one sentence what this tells.\n\n{text}"}]
    reply = CLIENT.chat.completions.create(model="gpt-4o-mini", messages=asked, temperature=0.7)
    return f"{text}\nNote: {reply.choices[0].message.content}"


def embedded(texts: list[str]) -> list[list[float]]:
    """Embed texts."""
    reply = CLIENT.embeddings.create(model="text-embedding-3-small", input=texts)
    return [item.embedding for item in reply.data]


def main() -> None:
    """Read a task, and write the notes it makes or finds."""
    task = json.load(sys.stdin)
    if "told" in task:
        texts = [noted(item["text"]) for item in task["told"]]
        notes = zip(task["told"], texts, embedded(texts), strict=True)
        found = [{"id": one["id"], "text": text, "at": at} for one, text, at in notes]
    else:
        (asked,) = embedded([task["question"]])
        alike = {id(item): sum(map(float.__mul__, item["at"], asked)) for item in task["notes"]}
        best = sorted(task["notes"], key=lambda one: -alike[id(one)])
        found = best[: task["top_k"]]
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
