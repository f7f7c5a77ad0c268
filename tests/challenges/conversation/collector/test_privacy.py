from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING

import pytest
from tests.growth import LINEAR, growth

from duologue.challenges.conversation.collector.privacy import REPORT, PostAnonymiser, Pseudonyms, write_report
from duologue.core.disk import Source
from duologue.core.errors import FormatError, StorageError
from duologue.store.posts import NAME, PostBase
from duologue.text.anonymiser import Anonymiser

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from duologue.text.anonymiser import Anonymised
    from duologue.text.personal.spans import PersonalSpan


def test_a_damaged_key_of_the_pseudonyms_is_told_and_not_replaced(tmp_path: Path) -> None:
    """With another key the same person would get another name."""
    with PostBase(tmp_path / NAME) as base:
        base.setting("pseudonyms", "no key")
    with pytest.raises(FormatError, match="'pseudonyms' is 'no key'; expected hexadecimal digits"):
        Pseudonyms.exported(tmp_path)


@pytest.mark.parametrize(
    "damage", ["imports = [[1]]", "imports = 3", "imports = [", "[imports]", "imports = " + "9" * 5000]
)
def test_a_damaged_report_of_replaced_data_is_set_aside_and_a_new_one_begun(tmp_path: Path, damage: str) -> None:
    path = tmp_path / REPORT
    path.write_text(damage, "utf-8")
    assert write_report(tmp_path, "calls.json", None) == path
    assert tomllib.loads(path.read_text("utf-8")) == {"imports": [{"file": "calls.json", "kept": True}]}
    assert path.with_suffix(".damaged").read_text("utf-8") == damage


def test_a_pipe_in_place_of_the_report_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / REPORT)
    with pytest.raises(StorageError, match="it is a pipe"):
        write_report(tmp_path, "a.json", None)


def said(number: int, parent: int | None) -> dict[str, Any]:
    user = {"id": number, "screen_name": f"u{number}", "name": ""}
    return {"id": number, "in_reply_to_status_id": parent, "user": user, "text": f"call me +1 555 {number:03} 2345"}


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Callable[[], PostAnonymiser]]:
    """Anonymisers of imports into an empty store."""
    (tmp_path / "posts.json").write_bytes(b"")
    with PostBase(tmp_path / NAME) as base:
        yield lambda: PostAnonymiser(base, Source(tmp_path / "posts.json"), [])


def test_a_thread_goes_on_as_the_thread_of_its_beginning_once_that_is_known(
    fresh: Callable[[], PostAnonymiser],
) -> None:
    one = fresh()
    rows = [said(3, 2), said(4, 3), said(2, 1), said(5, 4), said(1, None), said(6, 5)]
    told = [one.post(row)["text"] for row in rows]
    assert told == [f"call me <PHONE_{number}>" for number in (1, 2, 1, 2, 3, 4)]


class Asking(Anonymiser):
    """Replaces nothing and asks for the thread of each text: all else that takes time is left out."""

    def text(
        self,
        text: str,
        dialogue: Callable[[], Anonymised],
        names: Collection[str] = (),
        also: Sequence[PersonalSpan] = (),
    ) -> str:
        dialogue()
        return text


@pytest.mark.parametrize("ring", [False, True])
def test_a_thread_of_very_many_posts_is_gone_through_once(fresh: Callable[[], PostAnonymiser], *, ring: bool) -> None:
    """Each post with something to replace went up to the first of its thread by itself."""

    def rows(n: int) -> list[dict[str, Any]]:
        return [said(number, number - 1 or (n if ring else None)) for number in range(1, n + 1)]

    def import_all(posts: list[dict[str, Any]]) -> None:
        one = fresh()
        one.anonymiser = Asking()
        for post in posts:
            one.post(post)

    assert growth(rows, import_all, 500) < LINEAR
