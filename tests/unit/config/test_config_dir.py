"""A folder of `--config-dir` must not configure Hydra, which builds objects before we check."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.config.compositions import by_hydra
from remem.config.config_dir import check_folder, hydra_arguments, named_folders, strangers_folders
from remem.errors import UsageError

EVIL = "{_target_: os.system, command: touch was_here}"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("dataset/mine.yaml", f"# @package _global_\nhydra:\n  callbacks:\n    x: {EVIL}\n"),
        ("dataset/mine.yml", f'# @package _global_\n"hy\\x64ra": {{launcher: {EVIL}}}\n'),
        ("dataset/mine.yaml", f"#@package hydra.callbacks\nx: {EVIL}\n"),
        ("dataset/mine.yaml", "defaults:\n  - /reader@hydra.job_logging: mine\n"),
        ("hydra/launcher/mine.yaml", EVIL),
        ("a/b/hydra/callbacks/mine.yaml", EVIL),
        ("dataset/mine.yaml", "[" * 5000),
    ],
)
def test_what_configures_hydra_is_refused(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=name.rpartition("/")[2]):
        check_folder(tmp_path)


def test_a_link_out_of_a_folder_is_refused_unless_it_is_to_a_file_and_trusted(
    tmp_path: Path,
) -> None:
    (tmp_path / "conf/method").mkdir(parents=True)
    (tmp_path / "mine.yaml").write_text("label: Mine\n")
    (tmp_path / "conf/method/mine.yaml").symlink_to(tmp_path / "mine.yaml")
    check_folder(tmp_path / "conf", trusted=True)
    with pytest.raises(UsageError, match=r"mine\.yaml leads out of"):
        check_folder(tmp_path / "conf")
    (tmp_path / "outside").mkdir()
    (tmp_path / "conf/dataset").symlink_to(tmp_path / "outside")
    with pytest.raises(UsageError, match="is a link to another folder"):
        check_folder(tmp_path / "conf")


def test_a_folder_of_groups_passes_and_one_that_repeats_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dataset").mkdir()
    file = tmp_path / "dataset/mine.yaml"
    file.write_text("defaults: [base]\nname: mine\nbuild: {_target_: mine.Data, top_k: 3}\n")
    check_folder(tmp_path)
    layers = ["a0: &a0 [x, x]"] + [f"a{n + 1}: &a{n + 1} [{f'*a{n}, ' * 9}]" for n in range(40)]
    (tmp_path / "dataset/laughs.yaml").write_text("\n".join(layers))
    with pytest.raises(UsageError, match="a part that is repeated counts"):
        check_folder(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "folders"),
    [
        (["--config-dir", "a", "x=1"], ["a"]),
        (["--config-dir=a", "-m", "x=1,2"], ["a"]),
        (["--config-d", "a"], ["a"]),
        (["hydra.searchpath=[file://a,pkg://b,file://c]"], ["a", "c"]),
    ],
)
def test_every_way_to_name_a_folder_is_known(arguments: list[str], folders: list[str]) -> None:
    assert named_folders(arguments) == [Path(folder) for folder in folders]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"a: 1\n---\nb: 2\n", "has 2 YAML documents, expected one"),
        ("a: 1\n".encode("utf-16"), "is not plain YAML"),
        (b"a: 1\na: 2\n", "found duplicate key a"),
        (b"# @package _global_\n5\n", "is 5, expected settings"),
    ],
)
def test_what_hydra_would_not_read_is_refused_by_the_name_of_its_file(
    tmp_path: Path, content: bytes, told: str
) -> None:
    (tmp_path / "reader").mkdir()
    (tmp_path / "reader" / "mine.yaml").write_bytes(content)
    with pytest.raises(UsageError, match=rf"mine\.yaml.* {told}"):
        check_folder(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        (
            "dataset/mine.yaml",
            "build: {log: /etc/passwd}\n",
            r"dataset/mine\.yaml: dataset\.build\.log .*'/etc/passwd'.*--trust-config \S+",
        ),
        ("a.yaml", "# @package run\npackages: [x]\n", r"packages sets a package .*run\.packages="),
        ("reader/a.yaml", "a: '${oc.env:HOME}'\n", r"reader\.a sets a value .*write the value"),
        ("table/a.yaml", "# @package paths\nblocks: x\n", r"paths sets where or how"),
        ("convention/a.yaml", "defaults: [paper, ../../evil]\n", "sets a folder or a file"),
        ("reader/a.yaml", "defaults: [{/../evil: a}]\n", "sets a folder or a file"),
        ("reader/a.yaml", "defaults: [/llm/vllm]\n", r"llm sets a model .*'vllm'"),
        ("reader/a.yaml", "defaults: [{/reader@method: direct}]\n", "reader@method sets a group"),
        ("runner/a.yaml", "workers: 4\n# @package aaa\n", "runner sets where or how"),
        ("reader/a.yaml", "#\u2003@package\u00a0 _global_\nx: 1\n", "in plain ASCII"),
        ("reader/a.yaml", "# x\u2028# @package _global_ \u00a0\nx: 1\n", "in plain ASCII"),
    ],
)
def test_a_refusal_names_the_file_the_key_and_what_grants_it(
    tmp_path: Path, name: str, content: str, told: str
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(content)
    with pytest.raises(UsageError, match=told):
        check_folder(tmp_path)


def test_a_trusted_folder_goes_on_the_search_path_and_others_stay(tmp_path: Path) -> None:
    (tmp_path / "it's").mkdir()
    (tmp_path / "other").mkdir()
    line = ["reader=x", f"hydra.searchpath=[{tmp_path}/other,pkg://mine]"]
    assert hydra_arguments([*line, "--trust-config", f"{tmp_path}/it's"]) == [
        "reader=x",
        f"hydra.searchpath=['pkg://mine','checked://{tmp_path}/other','trusted://{tmp_path}/it\\'s']",
    ]
    (tmp_path / "a file").touch()
    for name in ("none", "a file"):
        with pytest.raises(UsageError, match=f"--config-dir {tmp_path}/{name} is not a folder"):
            hydra_arguments(["--config-dir", f"{tmp_path}/{name}"])
    for wrong in (["--trust-config", f"{tmp_path}/none"], ["--trust-config"]):
        with pytest.raises(UsageError, match="--trust-config"):
            hydra_arguments(wrong)


def test_trust_in_one_folder_is_none_in_another(tmp_path: Path) -> None:
    for name in ("mine", "other"):
        (tmp_path / name / "llm").mkdir(parents=True)
        (tmp_path / name / "llm/a.yaml").write_text("build: {endpoint: {base_url: 'http://x/v1'}}")
    mine, other = str(tmp_path / "mine"), str(tmp_path / "other")
    trusted = hydra_arguments(["--config-dir", mine, "--trust-config", mine])
    assert trusted == [f"hydra.searchpath=['trusted://{mine}']"]
    with pytest.raises(UsageError, match=f"{other}/llm/a.yaml"):
        hydra_arguments(["--config-dir", other, "--trust-config", mine])
    assert strangers_folders(["--config-dir", other, "--trust-config", mine]) == [Path(other)]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--config-path", "a"], "would replace the settings of remem"),
        (["hydra.searchpath=[trusted://a]"], "use --trust-config"),
    ],
)
def test_no_folder_comes_without_its_check(arguments: list[str], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        hydra_arguments(arguments)


def test_a_package_header_is_read_where_it_was_checked(tmp_path: Path) -> None:
    (tmp_path / "experiment").mkdir()
    padding = f"# @padding {'x' * 481}\n"
    header = f"{padding}# @package _global_.zzz\n"
    assert header[:512].endswith("_global_")  # Hydra's own reader reads no further
    (tmp_path / "experiment/mine.yaml").write_text(f"{header}runner: {{workers: 1000}}\n")
    arguments = [*hydra_arguments(["--config-dir", str(tmp_path)]), "experiment=mine"]
    assert by_hydra(arguments).runner.workers == 1


def test_a_file_that_is_replaced_after_its_check_is_checked_again(tmp_path: Path) -> None:
    (tmp_path / "reader").mkdir()
    file = tmp_path / "reader/mine.yaml"
    file.write_text("name: mine\n")
    arguments = [*hydra_arguments(["--config-dir", str(tmp_path)]), "reader=mine"]
    assert by_hydra(arguments).reader.name == "mine"
    file.write_text(f"# @package _global_\nhydra: {{callbacks: {{x: {EVIL}}}}}\n")
    with pytest.raises(UsageError, match=r"mine\.yaml configures Hydra itself"):
        by_hydra(arguments)


def test_a_folder_that_may_be_searched_but_not_listed_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "method").mkdir()
    listed = Path.iterdir

    def listed_as_permitted(folder: Path) -> Iterator[Path]:
        if folder.name == "method":
            raise PermissionError(errno.EACCES, "Permission denied", str(folder))
        return listed(folder)

    monkeypatch.setattr(Path, "iterdir", listed_as_permitted)
    with pytest.raises(PermissionError, match="method"):
        check_folder(tmp_path)
