"""A server to download from, and Python files with the same structure as the released ones.

Every word in them is ours.
"""

import hashlib
import shutil
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

SYSTEM = '''\
shouted = """List the {what} of a talk.
Write JSON, {{"{key}": [...]}}.
"""

prompt_template = [
    {{"role": "system", "content": shouted}},
    {{"role": "user", "content": "${{prompt_user}}"}},
]
'''
SELECTOR = '''\
import nosuchmodule
from nosuch.tools import Tool

class ToolSelector(nosuchmodule.Base):
    def __init__(self, client, use_demo=True):
        self.use_demo = use_demo

    def _llm_select_tool_with_params(self, context, tools):
        tools_info = [str(one) for one in tools]
        previous_steps_section = ""
        if context.previous_steps:
            previous_steps_section = "Before:\\n"
            previous_steps_section += str(context.previous_steps)
        graph_stats_info = ""
        if self.count():
            graph_stats_info = f"Size: {self.count()}"
        demo_section = ""
        if self.use_demo:
            demo_section = """

Shown once: {{"function": "output_answer"}}"""
        developer_prompt = f"""Choose one tool.
Reply: {{
  "function": "its name"
}}{demo_section}"""
        user_prompt = f"""{graph_stats_info}

Asked: {context.query}
{f"On: {context.meta['date']}" if context.meta and 'date' in context.meta else ""}
On offer:
{(chr(10) + chr(10)).join(tools_info)}

{previous_steps_section}"""
        return nosuchmodule.ask(developer_prompt, user_prompt)
'''
TISER = '''\
tiser_developer = """Think, then write <answer>{so}</answer>."""

tiser_user = """Asked: {question}
Known: {temporal_context}"""


def create_tiser_messages(question, temporal_context):
    return [tiser_user.format(question=question, temporal_context=temporal_context)]
'''
NER = '''\
shown = "Pick the names."
one_shot_ner_paragraph = """Ida sails the Heron."""
one_shot_ner_output = """{"named_entities": ["Ida", "Heron"]}
"""
prompt_template = [
    {"role": "system", "content": shown},
    {"role": "user", "content": one_shot_ner_paragraph},
    {"role": "assistant", "content": one_shot_ner_output},
    {"role": "user", "content": "${passage}"},
]
'''
TRIPLES = '''\
from .ner import one_shot_ner_output, one_shot_ner_paragraph
from nosuch import convert

ner_conditioned_re_system = """Write {triples}.
"""
ner_conditioned_re_frame = """Text:
{passage}

{named_entity_json}
"""
ner_conditioned_re_input = ner_conditioned_re_frame.format(
    passage=one_shot_ner_paragraph, named_entity_json=one_shot_ner_output
)
ner_conditioned_re_output = """{"triples": [["Ida", "sails", "Heron"]]}
"""
prompt_template = [convert(ner_conditioned_re_frame)]
'''
FILTER = """\
best_dspy_prompt = {
    "prog": {
        "lm": None,
        "traces": [],
        "demos": [
            {
                "augmented": True,
                "question": "Who sails?",
                "fact_before_filter": '{"fact": [["a", "b", "c"]]}',
                "fact_after_filter": '{"fact": []}',
            },
            {
                "augmented": True,
                "question": "Who rows {it}?",
                "fact_before_filter": '{"fact": []}',
                "fact_after_filter": '{"fact": []}',
            },
        ],
        "signature": {"instructions": "Unused."},
        "system": "Keep what helps: {fact}.",
    },
    "metadata": {"n": 1},
}
"""
RERANK = '''\
from pydantic import BaseModel
from .prompts.filter_default_prompt import best_dspy_prompt

class DSPyFilter:
    def __init__(self, hipporag):
        path = hipporag.path
        self.one_input_template = """[[ ## question ## ]]
{question}
[[ ## fact_before_filter ## ]]
{fact_before_filter}"""
        self.one_output_template = """[[ ## fact_after_filter ## ]]\\n{fact_after_filter}"""
        self.template = self.make(path)
'''
WORDING = {
    "episodic_gist_extraction_locomo.py": SYSTEM.format(what="points", key="gists"),
    "episodic_fact_extraction_locomo.py": SYSTEM.format(what="links", key="facts"),
    "episodic_gist_extraction_wikipedia.py": SYSTEM.format(what="notes", key="gists"),
    "episodic_fact_extraction_wikipedia.py": SYSTEM.format(what="ties", key="facts"),
    "temporal_extraction.py": SYSTEM.format(what="dates", key="facts"),
    "rag_qa_unified.py": SYSTEM.format(what="reasons", key="none"),
    "tool_selector.py": SELECTOR,
    "tiser.py": TISER,
    "ner.py": NER,
    "triple_extraction.py": TRIPLES,
    "filter_default_prompt.py": FILTER,
    "rerank.py": RERANK,
}


def sha(text: str) -> str:
    """Return the SHA-256 of a file with this text."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class ReleasedFiles:
    """Files structured like the released ones, to be written as a fetch leaves them."""

    results: Path
    texts: Mapping[str, str]

    @property
    def unpinned(self) -> str:
        """An override that unpins the files, as our checksums differ from the released ones."""
        return "prompts.source.sums={" + ", ".join(f"{text}: UNPINNED" for text in self.texts) + "}"

    def lay_down(self, name: str = "released", **changed: str) -> Path:
        """Write the files, some with changed text; if `name` differs, only the changed ones."""
        folder = self.results / "prompts" / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        files = {f"{stem}.py": text for stem, text in changed.items()}
        files = {**(self.texts if name == "released" else {}), **files}
        for file, text in files.items():
            (folder / file).write_text(text)
        sums = "".join(f"{sha(text)}  {file}\n" for file, text in sorted(files.items()))
        (folder / "SHA256SUMS.local").write_text(sums)
        return folder


@pytest.fixture
def released(tmp_path: Path) -> ReleasedFiles:
    """The files that prompts=released reads, in our own words."""
    return ReleasedFiles(tmp_path, WORDING)


@dataclass
class Site:
    """The server's files and its misbehaviour; `asked` lists the requested paths and ranges."""

    port: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    cut_after: list[int] = field(default_factory=list)
    ignores_range: bool = False
    says_length: bool = True
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def url(self, name: str = "toy.json") -> str:
        return f"{self.address}/{name}"


class Handler(BaseHTTPRequestHandler):
    site: Site

    def do_GET(self) -> None:
        asked = self.headers.get("Range")
        self.site.asked.append((self.path, asked))
        content = self.site.files.get(self.path.lstrip("/"))
        if content is None:
            self.send_error(404)
            return
        start = 0 if asked is None or self.site.ignores_range else int(asked[6:-1])
        if asked is not None and start >= len(content):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        if self.site.says_length:
            self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        end = start + self.site.cut_after.pop(0) if self.site.cut_after else None
        self.wfile.write(content[start:end])

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A loopback server without files."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    site = Site()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Handler,), {"site": site}))
    site.port = server.server_address[1]
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.01))
    thread.start()
    yield site
    server.shutdown()
    server.server_close()
    thread.join()
