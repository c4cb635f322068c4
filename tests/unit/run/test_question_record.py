"""What a record says about how it was made: whose prompts, and the usage of each stage."""

from remem.errors import UnusableReplyError
from remem.run.experiment import answer_question
from remem.run.question_record import ProposedFirst, Recorder
from remem.types import Answer, Evidence, Gist, Gold, Query, Question, Usage

QUESTION = Question(Query("q1", "h", 0, "Who?"), Gold(("Ann",), "1"))
OURS = Recorder("some-model", "own")
RECALLED, READ = Usage(3, 3000, 90), Usage(1, 1200, 20)


class Memory:
    def index(self, history):
        pass

    def recall(self, query):
        gist = Gist("g1", "Ann ran off.", None, "s", ("m1",))
        return Evidence(gists=(gist,), proposed_answer="Ann", usage=RECALLED)


class Reader:
    def __init__(self):
        self.asked = 0

    def read(self, query, evidence):
        self.asked += 1
        return Answer("Anna", 8, READ)


def test_a_record_says_what_recall_and_reading_spent_and_whose_prompts_were_used():
    record, _ = answer_question(Memory(), Reader(), QUESTION, OURS)
    assert (record.answer, record.recall_usage, record.read_usage) == ("Anna", RECALLED, READ)
    assert (record.llm, record.prompts, record.context_tokens) == ("some-model", "own", 8)


def test_a_reader_is_not_asked_where_the_planner_has_the_last_word():
    reader = Reader()
    record, _ = answer_question(Memory(), ProposedFirst(reader), QUESTION, OURS)
    assert (record.answer, record.read_usage, reader.asked) == ("Ann", Usage(), 0)
    assert record.context_tokens == 3  # "Ann ran off." has 12 characters, four a token


class Failing:
    """A memory and a reader, both of which raise the given error."""

    def __init__(self, error):
        self.error = error

    def recall(self, query):
        raise self.error

    def read(self, query, evidence):
        raise self.error


def test_what_was_taken_before_an_error_counts_where_it_was_taken():
    error = UnusableReplyError("no answer in any reply")
    error.usage = READ
    record, _ = answer_question(Memory(), Failing(error), QUESTION, OURS)
    assert (record.status, record.recall_usage, record.read_usage) == ("error", RECALLED, READ)
    record, _ = answer_question(Failing(error), Reader(), QUESTION, OURS)
    assert (record.status, record.recall_usage, record.read_usage) == ("error", READ, Usage())
