"""A site's workspace that commands are tried on: a track, a campaign, talks, annotation and people, made by commands.

Ids are drawn by the site; each stands in a file below `w/ids`, and a command line names it as `$w/ids/campaign`.
"""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_TRACK = """name = "booking"
title = "Restaurant booking"
title_zh = "餐厅预订"
task = "restaurant"
zone = "Asia/Shanghai"
rules = "Rank the candidates."
agreement = "For research alone."

[limits]
upload = "1M"
seconds = 20
memory = "2G"

[[phases]]
name = "test"
title = "Test"
opens = 2026-01-01T00:00:00
closes = 2036-12-01T00:00:00
gold = ["truth.json"]
input = ["data.json"]
quota = { day = 3, total = 30 }
visible = "all"

[[phases]]
name = "final"
title = "Final"
kind = "human"
opens = 2036-12-08T00:00:00
closes = 2037-01-08T00:00:00
top = 2
select = 1
protocol = "restaurant"
visible = "organiser"
"""
_GRAPH = "".join(
    f"{name}\t{relation}\t{value}{name if relation == '简介' else ''}\n"
    for kind, names in (("电影", ("海边的车站", "山里的灯", "雨后的桥")), ("明星", ("林小舟", "周远")))
    for name in names
    for relation, value in (
        ("领域", kind), ("类型", "剧情"), ("国家", "中国"), ("语言", "国语"), ("口碑", "不错"), ("简介", "说说"),
        ("评论", "值得一看"),
    )
) + "海边的车站\t导演\t林小舟\n山里的灯\t导演\t林小舟\n雨后的桥\t主演\t周远\n海边的车站\t主演\t周远\n"  # fmt: skip
_COMMANDS = (
    "site init",
    "track new w/track/track.toml",
    "track team booking TeamA --agree",
    "submit r/answers.json --track booking --team TeamA",
    "track work --once",
    "site open-link --track booking --limit 3",
    "talk open restaurant --title Booking",
    "talk pair proactive --goals p/sessions.txt --n 2",
    "annotate new mobilecs/extraction calls",
    "annotate import calls b/raw.json",
    "annotate suggest calls b/extraction.answers.json",
    "annotate assign calls --to Anna --to 王五 --adjudicator Cleo",
    "site backup --out w/backup.zip",
)


def make(folder: Path, run: Callable[..., str]) -> None:
    """Lay a workspace beside the other material; `run` runs a command in that folder and returns what it said."""
    for name in ("truth", "data"):
        (folder / "w/track").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / f"r/{name}.json", folder / f"w/track/{name}.json")
    (folder / "w/track/track.toml").write_text(_TRACK, encoding="utf-8")
    (folder / "w/gold.txt").write_text("U: hi\nS: hello\n\nU: a train ?\nS: it leaves now\n", encoding="utf-8")
    (folder / "w/a.txt").write_text("sorry\nyes\n", encoding="utf-8")
    (folder / "w/b.txt").write_text("no\nit leaves\n", encoding="utf-8")
    rated = [f"{item},{system},{item + number}" for item in (1, 2) for number, system in enumerate("ab", 1)]
    (folder / "w/judge.csv").write_text("\n".join(("item,system,rating", *rated, "")), encoding="utf-8")
    (folder / "w/graph.tsv").write_text(_GRAPH, encoding="utf-8")
    run(folder, "data", "exam", "s/kg.json", "--n", "2", "--seed", "1", "--out", "w/exam")
    run(folder, "run", "spoken", "w/exam/test.json", "--system", "reader", "--kg", "s/kg.json", "--out", "w/exam.json")
    place = ("--workspace", "w/site")
    (folder / "w/ids").mkdir(exist_ok=True)
    systems = "--systems a=w/a.txt --systems b=w/b.txt --gold w/gold.txt --n 2 --volunteers 2"
    started = run(folder, "campaign", "start", "conversation", *systems.split(), *place, "--json")
    _keep(folder, "campaign", started, lambda told: told["id"])
    for words in _COMMANDS:
        run(folder, *words.split(), *place)
    for name, words, chosen in (
        ("entry", "submit --track booking --team TeamA --status", lambda told: told["entries"][0]["id"]),
        ("room", "talk status", lambda told: told["rooms"][0]["id"]),
        ("pairing", "talk status", lambda told: told["pairs"][0]["id"]),
        ("person", "site people list --role annotator", lambda told: told["people"][0]["id"]),
    ):
        _keep(folder, name, run(folder, *words.split(), *place, "--json"), chosen)


def _keep(folder: Path, name: str, said: str, chosen: Callable[[Any], str]) -> None:
    if said:
        (folder / "w/ids" / name).write_text(chosen(json.loads(said)), encoding="utf-8")
