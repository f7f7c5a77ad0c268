from __future__ import annotations

import json
import stat
import tomllib
import zipfile
from typing import TYPE_CHECKING

from click.testing import CliRunner

from duologue.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def call(*words: object) -> Result:
    return CliRunner().invoke(cli, ["data", "import", "calls", *map(str, words)])


def test_transcripts_become_one_file_for_its_owner_alone_and_a_report(tmp_path: Path) -> None:
    text, table, out = tmp_path / "a.txt", tmp_path / "b.csv", tmp_path / "calls.json"
    text.write_text("客服: 您好\n用户: 我的号码是13812345678\n", encoding="utf-8")
    table.write_text("call,speaker,text\n1,坐席,您好\n1,用户,喂\n", encoding="utf-8")
    done = call(text, table, "--out", out)
    assert (done.exit_code, done.exception) == (0, None), done.output
    assert f"2 calls with 2 turns in {out}\n" in done.stdout
    assert "personal data: 1 replaced in 1 of 4 texts" in done.stdout
    assert len(json.loads(out.read_bytes())) == 2
    report = tmp_path / "calls.personal-data.toml"
    assert tomllib.loads(report.read_text("utf-8"))["files"] == ["a.txt", "b.csv"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in (out, report)} == {0o600}
    report.unlink()
    kept = call(text, "--keep-personal-data", "--out", out, "--force")
    assert "personal data was kept" in kept.stdout
    assert not report.exists()
    assert "13812345678" in out.read_text("utf-8")


def test_what_came_of_it_is_one_object_for_programs(tmp_path: Path) -> None:
    text, out = tmp_path / "a.txt", tmp_path / "calls.json"
    text.write_text("客服: 您好\n用户: 我的号码是13812345678\n", encoding="utf-8")
    told = json.loads(call(text, "--out", out, "--json").stdout)
    assert told.pop("personal_data")["counts"] == {"PHONE": 1}
    assert told == {"file": str(out), "calls": 1, "turns": 1}
    assert (tmp_path / "calls.personal-data.toml").exists()
    assert (
        json.loads(call(text, "--out", out, "--json", "--keep-personal-data", "--force").stdout)["personal_data"]
        is None
    )


def test_tables_of_chinese_programs_are_read_in_their_encoding(tmp_path: Path) -> None:
    table, out = tmp_path / "a.csv", tmp_path / "calls.json"
    table.write_bytes("通话编号,角色,内容\n1,坐席,您好\n1,客户,喂\n".encode("gb18030"))
    assert "say --encoding gb18030" in str(call(table, "--out", out).exception)
    assert call(table, "--encoding", "gb18030", "--out", out).exit_code == 0
    assert json.loads(out.read_bytes())[0]["content"] == [{"[SPEAKER 1]": "您好", "[SPEAKER 2]": "喂"}]
    assert "no encoding of texts 'klingon'" in str(
        call(table, "--encoding", "klingon", "--out", out, "--force").exception
    )


def test_it_stands_beside_the_imports_of_another_challenge() -> None:
    listed = CliRunner().invoke(cli, ["data", "import", "--help"]).stdout
    assert "\n  calls " in listed
    assert "\n  twcs " in listed


def test_a_folder_of_subtitles_is_a_call_for_each(tmp_path: Path) -> None:
    cue = "1\n00:00:01,000 --> 00:00:02,000\n客服: 您好 {}\n\n2\n00:00:03,000 --> 00:00:04,000\n用户: 喂\n"
    (tmp_path / "calls" / "march").mkdir(parents=True)
    for number, name in enumerate(("a.srt", "march/a.srt", "march/b.srt")):
        (tmp_path / "calls" / name).write_text(cue.format(number), encoding="utf-8")
    done = call(tmp_path / "calls", "--quiet", "--out", tmp_path / "calls.json")
    assert (done.exit_code, done.exception) == (0, None), done.output
    said = [row["content"][0]["[SPEAKER 1]"] for row in json.loads((tmp_path / "calls.json").read_bytes())]
    assert said == ["您好 0", "您好 1", "您好 2"]
    assert "choose an --out elsewhere" in str(call(tmp_path / "calls", "--out", tmp_path / "calls" / "x").exception)


def test_the_transcripts_of_an_archive_are_named_with_it(tmp_path: Path) -> None:
    archive, out = tmp_path / "march.zip", tmp_path / "calls.json"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("a.txt", "客服: 您好\n用户: 我的号码是13812345678\n")
        packed.writestr("b/b.csv", "call,speaker,text\n1,坐席,您好\n1,用户,喂\n")
    done = call(archive, "--quiet", "--out", out)
    assert (done.exit_code, done.exception) == (0, None), done.output
    assert len(json.loads(out.read_bytes())) == 2
    assert tomllib.loads((tmp_path / "calls.personal-data.toml").read_text("utf-8"))["files"] == ["march.zip"]
    with zipfile.ZipFile(archive, "a") as packed:
        packed.writestr("c.txt", "甲: 您好\n乙: 喂\n")
    assert f"{archive}/c.txt" in str(call(archive, "--quiet", "--out", out, "--force").exception)
