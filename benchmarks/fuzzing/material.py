"""Files that are mutated: the golden files, and small stores, models, reports, archives and notes made here.

`make` lays them below one folder; commands name them by their place there, and each input gets copies at the same
places. What cannot be made (an extra that is not installed) is left out, and so are the commands that need it.
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from fuzzing import site_material

_PLACES = {
    f"{name}_{rating}_river_bank": {
        "location": place, "price": price, "rating": str(rating), "phone": f"{name}_river_bank_phone",
        "cuisine": cuisine, "atmosphere": mood, "restrictions": diet, "number": number,
        "address": f"{name}_river_bank_address",
    }
    for rating, (name, place, price, cuisine, mood, diet, number) in enumerate(
        itertools.product(
            ("old_blue", "big_red"), ("rome", "paris"), ("cheap", "moderate"), ("french", "italian"),
            ("casual", "business"), ("vegan",), ("two", "four"),
        )
    )
}  # fmt: skip
GOLDEN = Path(__file__).resolve().parents[2] / "tests" / "golden"
PLUGINS = (GOLDEN / "proactive" / "plugin", GOLDEN / "spoken" / "plugin")
"""Small systems that are found as any plug-in is: they are put on the import path."""

_TRAINING = {
    "m/ranker": "restaurant --system ranker --set dialogues=12 --set held_out=4 --set epochs=1 --set batch=4",
    "m/retriever": "conversation --system retriever --train c/train.txt",
    "m/lstm": "conversation --system lstm --train c/train.txt --set epochs=1 --set hidden=8 --set embedding=8",
    "m/copy": "conversation --system copy --train c/train.txt --set epochs=1 --set width=8 --set heads=2 --set inner=8 "
    "--set layers=1",
    "m/matcher": "proactive --system matcher --train p/leading.txt --set size=tiny --set epochs=1",
    "m/postks": "proactive --system postks --train p/leading.txt --set words=8 --set hidden=8 --set epochs=1 "
    "--set bow_epochs=1 --set held_out=0.3",
    "m/planner": "proactive --system planner --train p/leading.txt",
    "m/pipeline": "spoken --system pipeline --train s/contract.json --kg s/tiny-kg.json",
    "m/grounded": "spoken --system grounded --train s/contract.json --kg s/tiny-kg.json --set members=1 --set epochs=1",
    "m/reader": "spoken --system reader --train s/contract.json --kg s/tiny-kg.json",
    "m/agent": "mobilecs/dialogue --system agent --train b/calls/track2/train.json --set members=1 --set epochs=1 "
    "--set width=8 --set hidden=8 --set rare=1 --set common=1 --set held_out=0.3",
    "m/agent-baseline": "mobilecs/dialogue --system agent-baseline --train b/calls/track2/train.json --set width=16 "
    "--set heads=2 --set inner=16 --set layers=1 --set epochs=1 --set held_out=0.3 --set names=4 --set user_intent=8 "
    "--set reply=8",
    "m/extractor": "mobilecs/extraction --system extractor --train b/calls/labelled/train.json --set tagger.width=8 "
    "--set tagger.embedding=8 --set tagger.epochs=1 --set tagger.least_steps=0 --set links.hidden=8 "
    "--set links.epochs=1 --set beam=2 --set held_out=0.3",
    "m/extractor-pipeline": "mobilecs/extraction --system extractor-pipeline --train b/calls/labelled/train.json "
    "--set tagger.embedding=8 --set tagger.width=8 --set tagger.epochs=1 --set tagger.least_steps=0 "
    "--set coreference.hidden=8 --set coreference.epochs=1 --set alignment.hidden=8 --set alignment.epochs=1 "
    "--set held_out=0.3",
}
"""Models by their place: small ones of every system that learns."""


def make(folder: Path, *, models: bool = True, jobs: int = 1) -> None:
    """Lay all material below a folder; `models` says whether systems are trained for it, `jobs` at a time."""
    for made in (_restaurant, _conversation, _proactive, _spoken, _mobilecs, _posts, _subtitles, _recipes, _ratings):
        made(folder)
    _results(folder)
    site_material.make(folder, _duologue)
    if models:
        with ThreadPoolExecutor(jobs) as threads:
            trained = [
                threads.submit(_duologue, folder, "train", *words.split(), "--quiet", "--out", place)
                for place, words in _TRAINING.items()
            ]
        for one in trained:
            one.result()


def _duologue(folder: Path, *words: str) -> str:
    """Run the command and return what it says; what it cannot make here is missing afterwards, and nothing more."""
    paths = os.pathsep.join(map(str, PLUGINS))
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "HOME": str(folder)}
    program = Path(sys.executable).with_name("duologue")
    done = subprocess.run(
        [program, *words], cwd=folder, env=environment, capture_output=True, check=False, timeout=600, encoding="utf-8"
    )
    return done.stdout


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), encoding="utf-8")


def _copy(folder: Path, places: dict[str, str]) -> None:
    for place, golden in places.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(GOLDEN / golden, folder / place)


def _rows(rows: list[Any]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _ratings(folder: Path) -> None:
    """People's ratings, a judge's, pairwise judgements, a protocol of one's own, and automatic scores."""
    answers = [(f"d{item}", system, item) for item in range(12) for system in ("planner", "matcher", "规划")]
    people = [
        f"{item},{system},r{rater},{(number + rater) % 4},{(number * rater) % 3}"
        for item, system, number in answers[:24]
        for rater in range(3)
    ]
    _write(folder / "h/people.csv", "\n".join(["item,system,rater,coherence,goal-completion", *people, ""]))
    judged = [
        {"item": item, "system": system, "coherence": number / 4, "goal-completion": number % 3}
        for item, system, number in answers
    ]
    _write(folder / "h/judge.jsonl", _rows(judged))
    pairs = [
        f"{item},planner,{other},r{item % 4},{('a', 'b', 'tie', 'planner')[item % 4]}"
        for item in range(12)
        for other in ("matcher", "规划")
    ]
    _write(folder / "h/pairs.csv", "\n".join(["item,system_a,system_b,rater,winner", *pairs, ""]))
    _write(folder / "h/scores.csv", "system,score\nplanner,1.5\nmatcher,2\n规划,0.5\n")
    _write(
        folder / "h/protocol.toml",
        '[[protocol]]\nname = "own"\nabout = "ours"\nsource = "ours"\nrule = "sum"\nautomatic_share = 0.5\n'
        'automatic_most = 5.0\n[[protocol.criterion]]\nname = "coherence"\nhigh = 3\n'
        'anchors = ["none", "some", "most", "all"]\n[[protocol.criterion]]\nname = "goal-completion"\nhigh = 2\n',
    )


def _restaurant(folder: Path) -> None:
    _copy(folder, {"r/data.json": "restaurant/small-data.json", "r/kb.txt": "restaurant/small-kb.txt"})
    _write(folder / "r/full-kb.txt", "".join(f"1 {name} R_{field}\t{value}\n" for name, facts in _PLACES.items()
                                             for field, value in facts.items()))  # fmt: skip
    rows = json.loads((folder / "r/data.json").read_text("utf-8"))
    rows[1]["answer"] = rows[1]["candidates"][0]
    _write(
        folder / "r/lessons.json", [{**row, "dialog_id": f"{row['dialog_id']}-{at}"} for at in range(8) for row in rows]
    )
    ranked = [
        {
            "dialog_id": row["dialog_id"],
            "lst_candidate_id": [
                {"candidate_id": one["candidate_id"], "rank": rank} for rank, one in enumerate(row["candidates"], 1)
            ],
        }
        for row in rows
    ]
    _write(folder / "r/answers.json", ranked)
    _write(folder / "r/truth.json", [{**row, "lst_candidate_id": row["lst_candidate_id"][:1]} for row in ranked])
    _write(folder / "r/b.json", [{**row, "lst_candidate_id": row["lst_candidate_id"][::-1]} for row in ranked])
    for name in ("answers", "b"):
        shutil.copyfile(folder / f"r/{name}.json", _made(folder / f"r/board/{name}.answers.json"))
    (folder / "r/data.json.gz").write_bytes(gzip.compress((folder / "r/data.json").read_bytes(), mtime=0))


def _made(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _conversation(folder: Path) -> None:
    _copy(
        folder,
        {
            "c/dialogues.txt": "conversation/small-dialogues.txt",
            "c/evaluation.txt": "conversation/small-evaluation.txt",
            "c/output.txt": "conversation/small-output.txt",
            "c/train.txt": "conversation/contract/evaluation.txt",
            "c/vectors.txt": "conversation/official/toy_vectors.txt",
            "c/v1.txt": "conversation/official/v1.txt",
        },
    )
    _write(folder / "c/refs.txt", "sorry to hear that\nwe see\nit leaves at <NUMBERS>\n")
    _write(folder / "c/hyps.txt", "sorry for that\nwe do\nit leaves now\n")


def _proactive(folder: Path) -> None:
    _copy(
        folder,
        {
            "p/samples.txt": "proactive/small-samples.txt",
            "p/sessions.txt": "proactive/small-sessions.txt",
            "p/predictions.txt": "proactive/small-predictions.txt",
            "p/leading.txt": "proactive/contract/leading.txt",
        },
    )
    for form in ("model-text", "topics"):
        _duologue(
            folder,
            "data",
            "convert",
            "proactive",
            "--from",
            "sample",
            "--to",
            form,
            "p/samples.txt",
            "--out",
            f"p/{form}.txt",
        )
    _write(folder / "p/generated.txt", "你 看 <topic_a> 吗 ？\n《 <topic_b> 》 不错 。\n导演 是 林 小 舟 。\n")
    _duologue(
        folder,
        "data",
        "convert",
        "proactive",
        "--from",
        "session",
        "--to",
        "sample",
        "p/sessions.txt",
        "--out",
        "p/full.txt",
    )
    rows = (folder / "p/full.txt").read_text("utf-8").splitlines()
    _write(folder / "p/full.predictions.txt", "导演 是 林 小 舟 。\n" * len(rows))
    pairs = "".join(f"你 看 {place} 吗 ？\t你 看 电影 吗 ？\n" for place in range(len(rows)))
    _write(folder / "p/pairs.txt", pairs)


def _spoken(folder: Path) -> None:
    _copy(
        folder,
        {
            "s/valid.json": "spoken/small-valid.json",
            "s/test.json": "spoken/small-test.json",
            "s/result.json": "spoken/small-result.json",
            "s/kg.json": "spoken/small-kg.json",
            "s/tiny-kg.json": "spoken/tiny-kg.json",
            "s/contract.json": "spoken/contract/valid.json",
        },
    )
    _duologue(
        folder,
        "data",
        "convert",
        "spoken",
        "--from",
        "dialogues",
        "--to",
        "gold",
        "s/valid.json",
        "--out",
        "s/gold.json",
    )
    _duologue(
        folder, "data", "convert", "spoken", "--from", "graph", "--to", "sqlite", "s/kg.json", "--out", "s/kg.sqlite"
    )


def _mobilecs(folder: Path) -> None:
    _copy(
        folder,
        {
            "b/raw.json": "mobilecs/small-dialogues.json",
            "b/dialogue.json": "mobilecs/small-dialogue.json",
            "b/dialogue.answers.json": "mobilecs/small-dialogue.answers.json",
            "b/extraction.answers.json": "mobilecs/small-extraction.answers.json",
            "b/annotated.json": "mobilecs/dialogue/contract/dialogues.json",
            "b/contract-raw.json": "mobilecs/extraction/contract/raw.json",
        },
    )
    rows = json.loads((folder / "b/annotated.json").read_text("utf-8"))
    said = ("用户意图", "客服意图", "客服")
    for row in rows:
        row["content"] = [{**turn, **{f"{name}-生成": turn[name] for name in said}} for turn in row["content"]]
    _write(folder / "b/track2.json", rows)
    cases = json.loads((GOLDEN / "mobilecs/official/track1.json").read_text("utf-8"))
    _write(folder / "b/track1-gold.json", cases[0]["gold"])
    _write(folder / "b/track1.json", cases[0]["submission"])
    _duologue(folder, "generate", "mobilecs", "--n", "30", "--set", "argument_rate=0.4", "--out", "b/calls")
    _write(
        folder / "b/calls.txt", "客服: 您好，张先生\n客户: 我的号码13812345678，流量用完了\n\n客户: 喂\n客服: 请讲\n"
    )
    _write(folder / "b/calls.csv", "call,speaker,text\n1,客服,您好\n1,客户,我想查流量\n2,客户,喂\n")
    _write(folder / "b/calls.jsonl", _rows([{"id": "a", "turns": [["客服", "您好"], ["客户", "多少钱"]]}]))


def _tweet(number: int, name: str, answers: int | None, text: str) -> dict[str, Any]:
    return {
        "created_at": "Tue Sep 12 08:01:00 +0000 2017", "id": number, "id_str": str(number), "text": text, "lang": "en",
        "truncated": False, "in_reply_to_status_id": answers,
        "user": {"id": len(name), "id_str": str(len(name)), "name": name.title(), "screen_name": name},
    }  # fmt: skip


def _posts(folder: Path) -> None:
    talk = [
        _tweet(10, "anna_b", None, "@Shop hi 13812345678"),
        _tweet(11, "Shop", 10, "@anna_b Hi Anna! http://x.co/1"),
    ]
    _write(folder / "t/files/Shop.json", {"11": talk})
    _write(folder / "t/begin_end_ids.json", {"Shop": {"11": 10}})
    _write(folder / "t/testset_ids.json", [[{"speaker": "U", "ids": [10]}, {"speaker": "S", "ids": []}]])
    _write(folder / "t/names.txt", "Shop\n# a remark\n")
    _write(folder / "t/ids.txt", "10\n11\n")
    _write(folder / "t/stream.jsonl", _rows([*talk, {"delete": {"status": {"id": 5, "id_str": "5"}}}]))
    _write(
        folder / "t/twcs.csv",
        "tweet_id,author_id,inbound,created_at,text,response_tweet_id,in_response_to_tweet_id\n"
        '9,AirCare,False,Tue Oct 10 15:16:08 +0000 2017,"@7 in a minute",8,12\n'
        '12,7,True,Tue Oct 10 15:10:00 +0000 2017,"@AirCare where\nis it, ""please""?",9,\n'
        "8,7,True,Tue Oct 10 15:20:00 +0000 2017,@AirCare thanks,3,9\n",
    )
    _write(
        folder / "t/chats.jsonl",
        _rows(
            [
                {"id": "a", "turns": [["U", "hello, 415.555.0132"], ["S", "how can i help ?"], ["U", "never mind"]]},
                {"id": "b", "turns": [{"speaker": "U", "text": "手机13812345678谢谢"}, {"speaker": "S", "text": "hi"}]},
            ]
        ),
    )
    _write(
        folder / "t/care.json",
        [
            {
                "dialog_id": 4, "company": "AirCare",
                "messages": [
                    {"client": "where is my bag ?", "time": "2019-05-03T10:00:00"},
                    {"agent": "which flight ?", "time": "2019-05-03T12:00:00+02:00"},
                ],
                "last_agent_message": "see http://x.co", "time_to_last_message": "1-02:00:30.0",
            }
        ],
    )  # fmt: skip
    archive = folder / "t/archive/data"
    _write(archive / "account.js", 'window.YTD.account.part0 = [{"account": {"username": "Shop", "accountId": "4"}}]')
    own = {
        "tweet": {**_tweet(11, "Shop", 10, "@anna_b Hi"), "full_text": "@anna_b Hi", "in_reply_to_status_id_str": "10"}
    }
    _write(archive / "tweets.js", "window.YTD.tweets.part0 = " + json.dumps([own]))
    _duologue(folder, "data", "import", "dialogues", "t/chats.jsonl", "--account", "Help", "--store", "t/store")
    _duologue(folder, "data", "import", "tweets", "t/stream.jsonl", "--account", "Shop", "--store", "t/store")


def _subtitles(folder: Path) -> None:
    def xml(number: int) -> str:
        words = ["the", "you", "i", "it", "and", "that", "what", "we"]
        lines = ['<?xml version="1.0" encoding="utf-8"?>\n<document id="7">\n']
        for s in range(1, 5):
            said = "".join(f'    <w id="{s}.{k}">{words[(s * number + k) % 8]}</w>\n' for k in range(1, 6))
            lines.append(f'  <s id="{s}">\n    <time id="T{s}S" value="00:00:01,000" />\n{said}  </s>\n')
        return "".join(lines) + "</document>\n"

    root = folder / "u/en"
    for number in range(4):
        path = _made(root / str(1990 + number % 2) / str(1000 + number // 2) / f"{70000 + number}.xml.gz")
        path.write_bytes(gzip.compress(xml(number).encode(), mtime=0))
    paths = sorted(root.rglob("*.xml.gz"))
    with tarfile.open(folder / "u/en.tar.gz", "w:gz") as tar:
        for path in paths:
            tar.add(path, f"OpenSubtitles2016/xml/en/{path.relative_to(root)}")
    with zipfile.ZipFile(folder / "u/en.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            name = f"OpenSubtitles/xml/en/{path.relative_to(root).with_suffix('')}"
            archive.writestr(name, gzip.decompress(path.read_bytes()))


def _recipes(folder: Path) -> None:
    _write(
        folder / "x/generate.toml",
        'release = "a"\nn = 2\ngiven_most = 4\ncut_weights = {hello = 0.3}\nkb1 = "generated"\n',
    )
    _write(folder / "x/ranker.toml", 'regime = "closed"\nepochs = 1\ndialogues = 8\n')


def _results(folder: Path) -> None:
    """Make results with their notes, and reports over them, by the command itself."""
    made = {
        "restaurant": ("r/data.json", "r/truth.json", "r/tfidf.json", "tfidf", ("--kb", "r/kb.txt")),
        "proactive": ("p/full.txt", "p/full.txt", "p/leader.txt", "leader", ()),
    }
    for task, (data, truth, out, system, more) in made.items():
        _duologue(folder, "run", task, data, "--system", system, *more, "--quiet", "--out", out)
        report = f"{out.partition('.')[0]}.report.json"
        _duologue(folder, "score", task, out, "--gold", truth, "--out", report)
    other = {
        "restaurant": (("r/b.json", "--gold", "r/truth.json"), "r/b.report.json"),
        "spoken": (("s/result.json", "--gold", "s/valid.json", "--partial"), "s/a.report.json"),
        "conversation": (("c/v1.txt",), "c/a.report.json"),
        "proactive": (("p/pairs.txt",), "p/pairs.report.json"),
        "mobilecs/dialogue": (("b/track2.json", "--gold", "b/annotated.json"), "b/d.report.json"),
        "mobilecs/extraction": (("b/extraction.answers.json", "--gold", "b/raw.json"), "b/e.report.json"),
    }
    for task, (words, out) in other.items():
        _duologue(folder, "score", task, *words, "--out", out)
