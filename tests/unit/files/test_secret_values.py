"""Keys and passwords that would be written to a manifest are found anywhere, and never repeated."""

import pytest

from remem.errors import UsageError
from remem.files.secret_values import check_secrets, without_secrets

KEY = "sk-canary-7f3a9b2c"
ENVIRONMENT = {"OPENAI_API_KEY": KEY, "HOME": "/home/ann", "SSL_KEY": "/etc/ssl", "A_KEY": "none"}


def test_a_key_or_a_password_is_refused_and_not_repeated() -> None:
    cases = [
        {"a": [{"b": f"x {KEY} y"}]},
        {KEY: 1},
        [f"a={KEY}"],
        {"base_url": "http://ann:canary@models.example/v1"},
        {"base_url": "http://canary@models.example"},
        {"base_url": "https://models.example/v1?api_key=canary"},
        {"build": {"key_variable": "sk-canary"}},
        {"build": {"api_key_variable": "canary of mine"}},
    ]
    for value in cases:
        with pytest.raises(UsageError) as refused:
            check_secrets("it", value, ENVIRONMENT)
        assert "canary" not in str(refused.value)


def test_a_key_is_known_by_many_names_and_may_begin_as_a_path() -> None:
    cases = [
        ("OPENAI_APIKEY", KEY),
        ("OPENAI_API_KEY_2", KEY),
        ("OPENAI_KEY2", KEY),
        ("GITHUB_PAT", KEY),
        ("SLACK_WEBHOOK_URL", "https://hooks.slack.example/services/canary"),
        ("AWS_SECRET_ACCESS_KEY", "/k7Gz+canary9Qw4x"),
        ("A_TOKEN", "./canary/of.mine"),
        ("B_TOKEN", "~canary~of~mine"),
    ]
    for name, key in cases:
        with pytest.raises(UsageError, match=f"contains the value of {name}") as refused:
            check_secrets("it", {"a": f"x {key} y"}, {name: key})
        assert "canary" not in str(refused.value)


def test_a_variable_that_a_configuration_names_holds_a_key_whatever_it_is_called() -> None:
    for key in [KEY, "/tmp", "~/canary"]:
        value = {"build": {"api_key_variable": "MINE"}, "note": f"x {key}12345678"}
        with pytest.raises(UsageError, match=r"it\.note contains the value of MINE"):
            check_secrets("it", value, {"MINE": f"{key}12345678"})


def test_a_key_is_known_by_short_names_and_by_words_without_a_line_between() -> None:
    cases = [
        *("DB_PWD", "MY_JWT", "BEARER", "AZURE_SAS", "AZURE_SAS_2", "JWT_PROD", "PWD_OF_MINE"),
        *("apiKeyProd", "dbPassword", "dbPasswordProd", "myPwd", "MyJWTProd", "hfToken2", "APIKey"),
    ]
    for name in cases:
        with pytest.raises(UsageError, match=f"contains the value of {name}"):
            check_secrets("it", {"a": f"x {KEY} y"}, {name: KEY})


def test_other_variables_are_no_keys() -> None:
    cases = [
        *("PATH", "KEYBOARD", "TOKENIZERS_PARALLELISM", "GIT_AUTHOR_NAME", "PWD", "OLDPWD"),
        *("max_tokens", "MAX_OUTPUT_TOKENS", "token_parameter", "key_variable", "keyword"),
        *("keywordList", "tokenizerName", "bearersOfNews", "SASH", "keyboardLayout", "passage"),
    ]
    for name in cases:
        check_secrets("it", {"a": KEY}, {name: KEY})


def test_what_is_no_secret_passes() -> None:
    cases = [
        {"base_url": "http://127.0.0.1:8000/v1", "key_variable": "OPENAI_API_KEY"},
        {"url": "https://models.example/a@b?page=2", "mail": "ann@models.example"},
        {"home": "/home/ann/x", "certificate": "/etc/ssl/x", "name": "none", "n": 3, "no": None},
        {"api_key_variable": None},
    ]
    for value in cases:
        check_secrets("it", value, ENVIRONMENT)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "it is 'DB_PASSWD=hunter2hunter2', expected a list",
            "it is 'DB_PASSWD=***', expected a list",
        ),
        ("Authorization: Bearer abcdefgh12345678", "Authorization: Bearer ***"),
        ("postgres://ann:hunter2hunter2@db/x", "postgres://ann:***@db/x"),
        ("found AKIAABCDEFGHIJKLMNOP here", "found *** here"),
        ("max_tokens: 12345678", "max_tokens: 12345678"),
        ("full_key: llm.build.endpoint", "full_key: llm.build.endpoint"),
        ("key_variable=OPENAI_API_KEY", "key_variable=OPENAI_API_KEY"),
    ],
)
def test_a_message_shows_no_secret_that_a_file_states(text: str, shown: str) -> None:
    assert without_secrets(text) == shown


def test_a_message_shows_no_secret_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-canary")
    monkeypatch.setenv("EDITOR", "emacs-without-x")
    told = without_secrets("the reply was canary-canary, by emacs-without-x")
    assert told == "the reply was ***, by emacs-without-x"
