"""The fast preprocessing of tweets against the plain rules: the same text on 100,000 lines, and how fast it is.

    python benchmarks/preprocess.py FOLDER [--lines 100000]

FOLDER holds `twitter_care/stored_data`, `twcs_dialogs` and `sgd_text`. Lines are real ones, and real ones in which
pieces were put, left out or turned around (seed 1). For both tokenizers it prints texts per CPU second: of the plain
rules, of a new cleaner on the real lines and on all lines, and of one that has seen the lines before. Then the trial
extraction of one store of 100,000 posts. Exits with 1 where a text differs, or where the new cleaner is less than five
times as fast as the official function (2,805 texts a second with the tokenizer of 2017, 2,061 with that of today).
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from duologue.challenges.conversation.extraction.twitter import extractor
from duologue.challenges.conversation.extraction.twitter.cleaner import Cleaner
from duologue.challenges.conversation.extraction.twitter.rules import SYSTEM, USER, Speech, preprocess
from duologue.challenges.conversation.extraction.twitter.tokenizer import CHALLENGE, CURRENT
from duologue.challenges.conversation.formats import posts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Line = tuple[str, Speech]

OFFICIAL = {CHALLENGE: 2_805, CURRENT: 2_061}
"""Texts a second of the official function with each tokenizer, on its faster Python."""
OFFICIAL_EXTRACTION = 2_530
MUST = 5.0
SPEECHES = (Speech(USER), Speech(SYSTEM, "jo_99", "Jo"), Speech(SYSTEM, "cust_00073", ""))
PIECES = (
    "&amp;", "&lt;3", "</3", "&#x80;", "&xi;", "&x41;", "&foo;", "&#xD7FF;", "...", ". .", " .\n. ",
    "800 555 0199", "(800) 555-0199", "+1 800*555*0199", "1920*1080", "8PM", "18DEC", ":)", ">:-(",
    "http://a.b/(c(d)e)f", "http://(x)", "https:(y)(z)", "HTTP://X.co/Q!", "https://t.co/Ab1",
    "foo.bar/baz.", "a@b.co", "x+y@z.co.uk.", "@abc ", "#a-b", "#x'", "rock'n'roll", "don't",
    "ok.thanks", "_", "--", "<--", "->", "<b>", "👍🏽", "👨‍👩‍👧", "🇺🇸", "é", "e\u0301", "½", "ſ", "ı", "İ",
    "‿", "\u200d", "\ufe0f", "Ⓐ", "हिन्दी", "１２３", "\x1c", "\x85", "\xa0", "\n", "\t", "((", "))", "[",
    "]", "Σ", "“", "’", "–", "%", "3.5", "2017-09-12", "10:30+", "-5", "$", "1/2", "(1/2)", " ^JK",
    " - Kim.", " ~Amy", " thx ", "! Jenny", ", cheers", "Jo", "@jo_99", "@jo_992", "…", "aaaa", "!!!!",
    "1111111", "12345678901", "AB123 456", "www.x.com/", "a.b.c",
)  # fmt: skip


def real_lines(folder: Path) -> list[str]:
    """Return the texts of real tweets, then those of service dialogues."""
    lines = [
        post.text
        for path in sorted((folder / "twitter_care" / "stored_data").glob("*.json.gz"))
        for dialogue in posts.read_store(path).dialogues.values()
        for post in dialogue
    ]
    for path in (*sorted((folder / "twcs_dialogs").glob("*.jsonl.gz")), *sorted((folder / "sgd_text").glob("d*.gz"))):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            turns = [turn for row in file for turn in json.loads(row)["turns"]]
        lines += [turn["text"] if isinstance(turn, dict) else turn[1] for turn in turns]
    return lines


def mutated(lines: Sequence[str], chance: Random) -> str:
    """Return a line in which pieces were put, left out, turned around or changed to the other case."""
    text = chance.choice(lines)
    for _ in range(chance.randint(1, 4)):
        place, kind = chance.randint(0, len(text)), chance.random()
        if kind < 0.6:
            text = text[:place] + "".join(chance.choices(PIECES, k=chance.randint(1, 3))) + text[place:]
        elif kind < 0.75:
            text = text[: max(0, place - chance.randint(1, 5))] + text[place:]
        elif kind < 0.9:
            text = text[:place] + chance.choice(lines)[: chance.randint(0, 30)] + text[place:]
        else:
            text = text[:place] + text[place : place + 5].swapcase() + text[place + 5 :]
    return text


def rate(work: Callable[[str, Speech], str], lines: Sequence[Line]) -> tuple[float, list[str]]:
    """Return texts per CPU second, and the texts."""
    start = time.process_time()
    made = [work(text, speech) for text, speech in lines]
    return len(lines) / (time.process_time() - start), made


def compare(generation: str, real: Sequence[Line], lines: Sequence[Line]) -> bool:
    """Print the figures of a tokenizer; return whether all is as it must be."""
    plain, wanted = rate(lambda text, speech: preprocess(text, speech, generation), lines)
    fresh_real, _ = rate(Cleaner(generation).clean, real)
    cleaner = Cleaner(generation)
    fresh, made = rate(cleaner.clean, lines)
    again, _ = rate(cleaner.clean, real)
    differing = [line for line, one, other in zip(lines, wanted, made, strict=True) if one != other]
    official = OFFICIAL[generation]
    print(f"{generation}: {len(lines):,} lines, {len(differing)} differ")
    for name, found in (
        ("plain rules", plain),
        ("new cleaner, real lines", fresh_real),
        ("new cleaner, all lines", fresh),
        ("lines seen before", again),
    ):
        print(f"  {name:24} {found:9,.0f} texts/s  {found / official:5.1f} x official")
    for line in differing[:5]:
        print(f"  differs: {line!r}")
    return not differing and fresh >= MUST * official


def extraction(lines: Sequence[str], size: int) -> None:
    """Print how long the trial extraction of one store takes, reading it included."""
    with tempfile.TemporaryDirectory() as scratch:
        store, out = Path(scratch) / "Shop.json", Path(scratch) / "out.txt"
        rows = {}
        for first in range(1, size, 4):
            dialogue = [_post(number, lines[number % len(lines)], number > first) for number in range(first, first + 4)]
            rows[str(first + 3)] = dialogue
        store.write_text(json.dumps(rows, indent=2), encoding="utf-8")
        megabytes = store.stat().st_size / 1e6
        start = time.process_time()
        made = extractor.from_accounts(store, out)
        seconds = time.process_time() - start
    print(
        f"trial extraction: {len(rows):,} dialogues, {size:,} posts, {megabytes:.0f} MB: {seconds:.1f} CPU s, "
        f"{size / seconds:,.0f} posts/s, {size / seconds / OFFICIAL_EXTRACTION:.1f} x official; kept {made.dialogues:,}"
    )


def _post(number: int, text: str, answers: bool) -> dict[str, object]:  # noqa: FBT001  # read once, just above
    shop = number % 2 == 0
    user = {"id": 1, "screen_name": "Shop", "name": "Shop"}
    if not shop:
        user = {"id": 2, "screen_name": "jo_99", "name": "Joan Doe"}
    return {
        "id": number, "id_str": str(number), "created_at": "Tue Sep 12 08:01:00 +0000 2017", "text": text,
        "truncated": False, "lang": "en", "in_reply_to_status_id": number - 1 if answers else None, "user": user,
    }  # fmt: skip


def main(arguments: Sequence[str]) -> int:
    """Print all figures; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lines", type=int, default=100_000)
    given = parser.parse_args(arguments)
    found = real_lines(given.folder)
    chance = Random(1)
    texts = found[: given.lines // 2]
    real = [(text, SPEECHES[number % 3]) for number, text in enumerate(texts)]
    spoiled = [mutated(found, chance) for _ in range(given.lines - len(real))]
    lines = [*real, *((text, chance.choice(SPEECHES)) for text in spoiled)]
    results = [compare(generation, real, lines) for generation in OFFICIAL]
    extraction([text for text, _ in lines], given.lines)
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
