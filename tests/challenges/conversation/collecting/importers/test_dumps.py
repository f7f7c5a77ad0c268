from __future__ import annotations

import bz2
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.conversation.collecting import stores
from duologue.challenges.conversation.collecting.importers.dumps import import_archive, import_stream
from duologue.core.errors import FormatError, StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.conversation.collecting.importers.placing import Imported


def tweet(number: int, name: str, answers: int | None = None, **more: Any) -> dict[str, Any]:
    return {
        "created_at": "Tue Sep 12 08:01:00 +0000 2017",
        "id": number,
        "id_str": str(number),
        "text": f"post {number}",
        "source": "web",
        "truncated": False,
        "in_reply_to_status_id": answers,
        "user": {"id": len(name), "id_str": str(len(name)), "name": name.title(), "screen_name": name},
        "lang": "en",
        **more,
    }


STREAM: list[Any] = [
    tweet(1, "anna"),
    {"delete": {"status": {"id": 5, "id_str": "5", "user_id": 1}, "timestamp_ms": "1"}},
    tweet(2, "AirCare", 1, truncated=True, extended_tweet={"full_text": "a long text"}),
    tweet(3, "anna", 2, retweeted_status=tweet(1, "anna")),
    tweet(5, "AirCare", 2),
    tweet(6, "bob"),
    tweet(7, "AirCare", 6),
    {"delete": {"status": {"id": 6}}},
    {"limit": {"track": 7}},
    tweet(8, "anna", None, lang=None),
    [1],
]


def lines(rows: list[Any]) -> bytes:
    return b"\r\n".join(json.dumps(row).encode() for row in rows) + b"\n\n"


def streamed(folder: Path, *parts: bytes, accounts: tuple[str, ...] = ("aircare",)) -> Imported:
    paths = []
    for number, part in enumerate(parts):
        paths.append(folder / f"part{number}.json")
        paths[-1].write_bytes(part)
    with stores.open_base(folder / "store") as base:
        return import_stream(base, paths, accounts)


@pytest.mark.parametrize(
    "pack",
    [bytes, gzip.compress, bz2.compress, lambda data: bz2.compress(data[:100]) + bz2.compress(data[100:])],
    ids=["plain", "gzip", "bzip2", "two bzip2 streams"],
)
def test_a_stream_gives_its_posts_and_the_dialogues_of_accounts(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    done = streamed(tmp_path, pack(lines(STREAM)))
    (store,) = stores.stores_in(tmp_path / "store")
    assert {key: [post.id for post in posts] for key, posts in store.dialogues.items()} == {"2": [1, 2]}
    assert store.dialogues["2"][1].text == "a long text"
    assert not store.dialogues["2"][1].truncated
    found = {post.id: post for post in stores.posts_in(tmp_path / "store")}
    assert sorted(found) == [1, 2, 7, 8]
    assert found[8].lang == "und"
    assert done.skipped == {"delete notices": 2, "retweets": 1, "lines that are no posts": 2}


def test_a_deletion_in_a_later_file_takes_posts_out_of_the_store(tmp_path: Path) -> None:
    streamed(tmp_path, lines(STREAM))
    streamed(tmp_path, lines([{"delete": {"status": {"id": 1}}}]))
    assert list(stores.stores_in(tmp_path / "store")) != []
    assert all(not store.dialogues for store in stores.stores_in(tmp_path / "store"))


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        (b'{"id": 1\nno\n', "stream-json"),
        (bz2.compress(lines(STREAM))[:-20], "bzip2-damaged"),
        (bz2.compress(lines(STREAM))[:60] + b"xxxx" * 20, "bzip2-damaged"),
    ],
)
def test_a_damaged_stream_is_refused(tmp_path: Path, data: bytes, rule: str) -> None:
    with pytest.raises(FormatError) as caught:
        streamed(tmp_path, data)
    assert caught.value.problems[0].rule == rule


def archive(folder: Path, *, with_owner: bool = True) -> Path:
    data = folder / "archive" / "data"
    data.mkdir(parents=True)
    own = [
        {"id_str": "10", "full_text": "where ?", "created_at": "Tue Sep 12 08:01:00 +0000 2017", "lang": "en"},
        {"id_str": "11", "full_text": "RT @b: ad", "created_at": "Tue Sep 12 08:02:00 +0000 2017", "lang": "en"},
        {
            "id_str": "12",
            "full_text": "anyone ?",
            "created_at": "Tue Sep 12 08:03:00 +0000 2017",
            "lang": "en",
            "in_reply_to_status_id_str": "10",
        },
        {"id_str": "13"},
    ]
    for part, rows in (("tweets.js", own[:2]), ("tweets-part1.js", own[2:])):
        script = f"window.YTD.tweets.part0 = {json.dumps([{'tweet': row} for row in rows], indent=1)}"
        (data / part).write_text(script)
    (data / "tweet-headers.js").write_text("window.YTD.x = [1]")
    if with_owner:
        account = [{"account": {"username": "AirCare", "accountId": "77", "accountDisplayName": "Air Care"}}]
        (data / "account.js").write_text(f"window.YTD.account.part0 = {json.dumps(account)};\n")
    return folder / "archive"


def test_an_archive_gives_its_owners_threads(tmp_path: Path) -> None:
    with stores.open_base(tmp_path / "store") as base:
        done = import_archive(base, archive(tmp_path), None)
    assert (done.posts, done.dialogues, done.accounts) == (2, 1, 1)
    assert done.skipped == {"retweets": 1, "entries that are no posts": 1}
    (store,) = stores.stores_in(tmp_path / "store")
    assert store.account == "AirCare"
    assert [(post.id, post.name, post.author) for post in store.dialogues["12"]] == [
        (10, "Air Care", 77),
        (12, "Air Care", 77),
    ]


def test_posts_without_account_file_need_a_name(tmp_path: Path) -> None:
    folder = archive(tmp_path, with_owner=False)
    with stores.open_base(tmp_path / "store") as base:
        with pytest.raises(UsageError, match="--account"):
            import_archive(base, folder, None)
        assert import_archive(base, folder / "data" / "tweets.js", "Mine").posts == 1


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    with stores.open_base(tmp_path / "store") as base:
        with pytest.raises(StorageError, match=r"no tweets\.js"):
            import_archive(base, tmp_path, "a")
        for text in ("nothing", "alert([1])", 'x = {"a": 1}'):
            (tmp_path / "tweets.js").write_text(text)
            with pytest.raises(FormatError):
                import_archive(base, tmp_path / "tweets.js", "a")
        (tmp_path / "tweets.js").write_text("x = []")
        (tmp_path / "account.js").write_text("x = [{}]")
        with pytest.raises(FormatError, match="accountId"):
            import_archive(base, tmp_path / "tweets.js", None)
