from __future__ import annotations

import bz2
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from duologue.challenges.conversation.collector.importers.dumps import import_archive, import_stream
from duologue.challenges.conversation.formats import stores
from duologue.core.errors import FormatError, StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from duologue.challenges.conversation.collector.importers.insertion import ImportResult


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


def streamed(folder: Path, *parts: bytes, accounts: tuple[str, ...] = ("aircare",)) -> ImportResult:
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
    assert list(stores.stores_in(tmp_path / "store")) == []


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


NOTICES = [
    {"delete": {"status": {"id": 2, "id_str": "2"}}},
    {"data": {"delete": {"tweet": {"id": "2", "author_id": "7"}, "event_at": "2024-01-01"}}},
    {"data": {"post_delete": {"post": {"id": "2"}}}},
    {"id": "2", "action": "delete", "created_at": "2024-01-01T00:00:00Z", "reason": "deleted"},
    {"user_delete": {"id": 7}},
    {"data": {"user_delete": {"user": {"id": "7"}}}},
]


@pytest.mark.parametrize("notice", NOTICES)
@pytest.mark.parametrize("more", [{}, {"keep_personal_data": True}], ids=["anonymous", "kept"])
def test_a_deleted_post_goes_from_store_and_account_files_and_never_returns(
    tmp_path: Path, notice: dict[str, Any], more: dict[str, bool]
) -> None:
    rows = [tweet(1, "anna"), tweet(2, "AirCare", 1), tweet(3, "anna", 2), tweet(4, "AirCare", 3)]
    folder = tmp_path / "store"
    source, deletions = tmp_path / "stream.json", tmp_path / "deletions.json"
    source.write_bytes(lines(rows))
    deletions.write_bytes(lines([notice]))
    with stores.open_base(folder) as base:
        import_stream(base, [source], ["AirCare"], **more)
        stores.export_account(base, folder, "AirCare")
        assert "post 2" in (folder / "AirCare.json").read_text()
        import_stream(base, [deletions], [], **more)
    # The process is killed here: the next one brings the account file up to date.
    with stores.open_base(folder) as base:
        left = {} if "user_delete" in str(notice) else {"4": [3, 4]}
        exported = json.loads((folder / "AirCare.json").read_text())
        assert {key: [post["id"] for post in posts] for key, posts in exported.items()} == left
        import_stream(base, [source], ["AirCare"], **more)
        assert 2 not in {row["id"] for row in base.posts()}
    assert all("post 2" not in path.read_text() for path in stores.export(folder, tmp_path / "out"))


def test_an_export_elsewhere_loses_what_was_deleted_since(tmp_path: Path) -> None:
    streamed(tmp_path, lines(STREAM))
    (path,) = stores.export(tmp_path / "store", tmp_path / "out")
    assert "a long text" in path.read_text()
    streamed(tmp_path, lines([{"delete": {"status": {"id": 2}}}]))
    assert stores.export(tmp_path / "store", tmp_path / "out") == []
    assert path.read_text() == "{}"


def test_a_notice_before_its_post_keeps_it_from_ever_being_stored(tmp_path: Path) -> None:
    streamed(tmp_path, lines([{"delete": {"status": {"id": 2}}}]))
    streamed(tmp_path, lines(STREAM))
    assert list(stores.stores_in(tmp_path / "store")) == []
    assert b"a long text" not in (tmp_path / "store" / "posts.sqlite").read_bytes()


SECRETS = ("13812345678", "jo_99@mail.com", "4111 1111 1111 1111", "Jo Smith", "jo_smith", "other_one", "Jo ")


def private_stream() -> list[dict[str, Any]]:
    jo = {"id": 424242, "screen_name": "jo_smith", "name": "Jo Smith"}
    mentions = {"user_mentions": [{"screen_name": "jo_smith", "name": "Jo Smith", "id": 424242}]}
    return [
        tweet(1, "jo_smith", user=jo, text="@AirCare call 13812345678 or mail jo_99@mail.com @other_one"),
        tweet(2, "AirCare", 1, text="@jo_smith Hi Jo , did you say 138-1234-5678 ?", entities=mentions),
        tweet(3, "jo_smith", 2, user=jo, text="@AirCare yes, card 4111 1111 1111 1111, Jo Smith"),
        tweet(4, "AirCare", 3, text="@jo_smith thanks Jo !"),
    ]


def test_people_and_their_data_are_gone_before_anything_is_stored(tmp_path: Path) -> None:
    done = streamed(tmp_path, lines(private_stream()))
    (store,) = stores.stores_in(tmp_path / "store")
    texts = [post.text for post in store.dialogues["4"]]
    person = store.dialogues["4"][0].screen_name
    other = texts[0].rsplit("@", 1)[1]
    assert texts == [
        f"@AirCare call <PHONE_1> or mail <EMAIL_1> @{other}",
        f"@{person} Hi <NAME_1> , did you say <PHONE_1> ?",
        "@AirCare yes, card <CARD_1>, <NAME_2>",
        f"@{person} thanks <NAME_1> !",
    ]
    assert [post.screen_name for post in store.dialogues["4"]] == [person, "AirCare", person, "AirCare"]
    assert store.dialogues["4"][0].author != 424242
    assert store.dialogues["4"][1].name == "Aircare"
    kept = b"".join(file.read_bytes() for file in (tmp_path / "store").rglob("*") if file.is_file())
    for secret in (*SECRETS, "424242"):
        assert secret.encode() not in kept
    assert done.replaced is not None
    assert done.replaced.counts == {"EMAIL": 1, "HANDLE": 3, "PHONE": 2, "CARD": 1, "NAME": 3}


def test_the_same_file_gives_the_same_store_and_another_file_other_names(tmp_path: Path) -> None:
    names = []
    for folder in ("a", "b", "c"):
        (tmp_path / folder).mkdir()
        more = [tweet(9, "zed")] if folder == "c" else []
        streamed(tmp_path / folder, lines([*private_stream(), *more]))
        (store,) = stores.stores_in(tmp_path / folder / "store")
        names.append(store.dialogues["4"][0].screen_name)
    assert names[0] == names[1] != names[2]
    streamed(tmp_path / "a", lines([tweet(10, "jo_smith", 4), tweet(11, "AirCare", 10)]))
    (store,) = stores.stores_in(tmp_path / "a" / "store")
    assert {post.screen_name for post in store.dialogues["11"]} == {names[0], "AirCare"}


def test_personal_data_is_kept_only_by_an_explicit_word(tmp_path: Path) -> None:
    path = tmp_path / "stream.json"
    path.write_bytes(lines(private_stream()))
    with stores.open_base(tmp_path / "store") as base:
        done = import_stream(base, [path], ["AirCare"], keep_personal_data=True)
    (store,) = stores.stores_in(tmp_path / "store")
    assert [post.text for post in store.dialogues["4"]] == [row["text"] for row in private_stream()]
    assert done.replaced is None


def test_an_archive_is_anonymous_but_for_its_owner(tmp_path: Path) -> None:
    rows = [tweet(1, "x", full_text="hi @jo_smith 13812345678"), tweet(2, "x", 1, full_text="and again 138 1234 5678")]
    (tmp_path / "tweets.js").write_text(f"window.YTD.tweets.part0 = {json.dumps(rows)}")
    with stores.open_base(tmp_path / "store") as base:
        import_archive(base, tmp_path / "tweets.js", "Mine")
        texts = [row["text"] for row in base.posts()]
    assert texts[0].endswith(" <PHONE_1>")
    assert "jo_smith" not in texts[0]
    assert texts[1] == "and again <PHONE_1>"


def test_a_file_of_something_else_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nothing of it was imported, and that was a success."""
    only_notices = lines([{"delete": {"status": {"id": 5}}}])
    assert streamed(tmp_path, b"", lines([[1], {"a": 1}]), only_notices, lines([tweet(1, "anna")])).posts == 1
    told = [one.getMessage() for one in caplog.records]
    assert [one.partition(";")[0] for one in told] == [
        f"{tmp_path / name} holds no post" for name in ("part0.json", "part1.json")
    ]
