"""A frozen track: accounts dealt to training, development and evaluation, with ids, blind file, sealed truth and proof.

Parts are of whole accounts, and a dialogue with a post of evaluation (or development) is in no other part. Texts are
made from the ids that are written, by the very extraction that participants run, so that they get the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from duologue.challenges.conversation.extraction.twitter import extractor, forest, overlap, sources
from duologue.challenges.conversation.extraction.twitter.rules import SYSTEM, USER
from duologue.challenges.conversation.formats import posts
from duologue.challenges.conversation.formats.posts import TurnIds
from duologue.core import disk
from duologue.core.amounts import amount
from duologue.core.disk import Source
from duologue.core.errors import UsageError
from duologue.core.fingerprints import of_several, of_text
from duologue.core.lines import Lines, sha256
from duologue.core.locks import writing_folder
from duologue.core.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from duologue.challenges.conversation.extraction.twitter.overlap import PartOverlap
    from duologue.challenges.conversation.formats.posts import Store

TRAIN, DEV, EVALUATION = "train", "dev", "evaluation"
OPEN, SEALED = "participants", "sealed"
_MANIFEST, _PROOF = "track.json", "overlap.json"
_SHARE = 10
"""One account in so many is of development, and one of evaluation, where no number is given."""


class TrackPlan(Record, frozen=True, kw_only=True):
    """How a track is to be frozen."""

    development: int | None = None
    """Accounts; `None`: a tenth."""
    evaluation: int | None = None
    samples: int = 500
    seed: int = 1
    settings: extractor.Settings = extractor.Settings()


class Frozen(Record, frozen=True, kw_only=True):
    """What was frozen; written as `track.json` for participants, with the hash of the sealed truth as its seal."""

    seed: int
    accounts: dict[str, int]
    dialogues: dict[str, int]
    samples: int
    settings: extractor.Settings
    files: dict[str, str]
    """SHA-256 of every file by its name below the folder, of sealed ones too."""


class _Dealt(NamedTuple):
    """The accounts of a part, and the dialogues of each that are in no part above it."""

    accounts: list[str]
    limits: dict[str, dict[str, int]]
    """Account -> last post of a dialogue -> its first."""
    posts: set[int]


def freeze(store: Path, out: Path, plan: TrackPlan) -> tuple[Frozen, list[PartOverlap]]:
    """Write a track of a store into a new folder, and return what was frozen with what each two parts have in common.

    The seed and the ids alone decide. Raises `UsageError` for a folder that holds something, and where there are too
    few accounts or dialogues; then nothing is written. What reading stores raises is raised too.
    """
    with writing_folder(out):
        if out.exists() and any(one.name != ".locks" and not one.name.startswith(".") for one in out.iterdir()):
            raise UsageError(f"{out} holds something already; a frozen track goes into a folder of its own")
        names = [one.account for one in sources.read(store)]
        dealt = _deal(names, plan)
        parts: dict[str, _Dealt] = {}
        taken: set[int] = set()
        for part in (EVALUATION, DEV, TRAIN):
            parts[part] = _limits(store, dealt[part], taken)
            taken = taken | parts[part].posts
        with disk.temporary_folder(beside=out / "parts") as folder:  # `out` may be a disk of its own
            return _write(store, folder, out, plan, parts)


def _deal(names: Sequence[str], plan: TrackPlan) -> dict[str, list[str]]:
    """Return the accounts of each part, in the order of their names."""
    tenth = max(len(names) // _SHARE, 1)
    wanted = {
        EVALUATION: tenth if plan.evaluation is None else plan.evaluation,
        DEV: tenth if plan.development is None else plan.development,
    }
    if sum(wanted.values()) >= len(names):
        raise UsageError(
            f"the store has {amount(len(names), 'account')}; with {wanted[EVALUATION]:,} for evaluation and "
            f"{wanted[DEV]:,} for development none is left for training"
        )
    drawn = sorted(names, key=lambda name: (_drawn(plan.seed, name.lower()), name))
    first, second = wanted[EVALUATION], sum(wanted.values())
    return {EVALUATION: sorted(drawn[:first]), DEV: sorted(drawn[first:second]), TRAIN: sorted(drawn[second:])}


def _drawn(seed: int, *names: object) -> str:
    return hashlib.sha256(
        "\n".join(["track", str(seed), *map(str, names)]).encode("utf-8", "surrogatepass")
    ).hexdigest()


def _limits(store: Path, accounts: list[str], taken: AbstractSet[int]) -> _Dealt:
    limits: dict[str, dict[str, int]] = {}
    found: set[int] = set()
    for one in sources.read(store, accounts):
        kept = [said for said in one.dialogues.values() if not any(post.id in taken for post in said)]
        limits[one.account] = {str(said[-1].id): said[0].id for said in kept}
        found.update(post.id for said in kept for post in said)
    return _Dealt(accounts, limits, found)


def _write(
    store: Path, made: Path, out: Path, plan: TrackPlan, parts: dict[str, _Dealt]
) -> tuple[Frozen, list[PartOverlap]]:
    """Write all into `made`, then move it to `out`: participants' files, sealed files, proof, and the list of both."""
    public, sealed = made / OPEN, made / SEALED
    public.mkdir()
    sealed.mkdir(mode=0o700)
    dialogues: dict[str, int] = {}
    for part in (TRAIN, DEV):
        disk.write_text(public / f"{part}_accounts.txt", "".join(f"{name}\n" for name in parts[part].accounts))
        disk.write_text(public / f"{part}_begin_end_ids.json", json.dumps(parts[part].limits, indent=1) + "\n")
        dialogues[part] = _extract(store, public / f"{part}.txt", part, parts, plan).dialogues
    names = "".join(f"{name}\n" for name in parts[EVALUATION].accounts)
    disk.write_text(sealed / "evaluation_accounts.txt", names, private=True)
    _evaluate(store, public, sealed, plan, parts[EVALUATION])
    dialogues[EVALUATION] = plan.samples
    proof = _prove(made, parts)
    disk.write_text(made / _PROOF, json.dumps([msgspec.to_builtins(one) for one in proof], indent=1) + "\n")
    files = sorted(path for path in made.rglob("*") if path.is_file())
    frozen = Frozen(
        seed=plan.seed,
        accounts={part: len(one.accounts) for part, one in sorted(parts.items())},
        dialogues=dialogues,
        samples=plan.samples,
        settings=plan.settings,
        files={path.relative_to(made).as_posix(): sha256(Source(path)) for path in files},
    )
    disk.write_text(public / _MANIFEST, json.dumps(msgspec.to_builtins(frozen), indent=1) + "\n")
    with disk.guarded("write", out):
        out.mkdir(parents=True, exist_ok=True)
        for path in (sealed, public, made / _PROOF):
            path.rename(out / path.name)
    return frozen, proof


def _extract(store: Path, out: Path, part: str, parts: dict[str, _Dealt], plan: TrackPlan) -> extractor.Extracted:
    limits = {account: {int(end): begin for end, begin in one.items()} for account, one in parts[part].limits.items()}
    return extractor.from_accounts(store, out, plan.settings, accounts=parts[part].accounts, limits=limits)


def _evaluate(store: Path, public: Path, sealed: Path, plan: TrackPlan, dealt: _Dealt) -> None:
    """Write blind samples and the sealed truth: whole dialogues up to their last reply, which is hidden."""
    known = {one for part in (TRAIN, DEV) for one in _printed(public / f"{part}.txt")}
    chosen = _draw(store, sealed / "evaluation.txt", plan, dealt, known)
    if len(chosen) < plan.samples:
        raise UsageError(
            f"the {len(dealt.accounts):,} accounts of evaluation have {len(chosen):,} dialogues with a reply that are "
            f"in no other part, {plan.samples:,} are to be drawn; ask for fewer --samples or more --evaluation accounts"
        )
    posts.write_ids(chosen, sealed / "evaluation_ids+refs.json")
    (sealed / "evaluation_ids+refs.json").chmod(0o600)
    blind = [(*turns[:-1], TurnIds(speaker=turns[-1].speaker, ids=())) for turns in chosen]
    posts.write_ids(blind, public / "evaluation_ids.json")
    extractor.from_ids(store, blind, public / "evaluation.txt", plan.settings)


def _draw(
    store: Path, truth: Path, plan: TrackPlan, dealt: _Dealt, known: AbstractSet[int]
) -> list[tuple[TurnIds, ...]]:
    """Draw dialogues and write their text; each text once, none of them known, no post in two of them."""
    found = {turns: None for one in sources.read(store, dealt.accounts) for turns in _dialogues(one, plan.settings)}
    drawn = sorted(found, key=lambda turns: _drawn(plan.seed, *(number for turn in turns for number in turn.ids)))
    extractor.from_ids(store, drawn, truth, plan.settings)
    chosen: list[tuple[TurnIds, ...]] = []
    texts, used = set(known), set[int]()
    for turns, print_ in zip(drawn, _printed(truth), strict=True):
        ids = {number for turn in turns for number in turn.ids}
        if print_ in texts or ids & used or len(chosen) == plan.samples:
            continue
        texts.add(print_)
        used |= ids
        chosen.append(turns)
    extractor.from_ids(store, chosen, truth, plan.settings)
    truth.chmod(0o600)
    return chosen


def _dialogues(store: Store, settings: extractor.Settings) -> Iterator[tuple[TurnIds, ...]]:
    """Yield the turns of the dialogues of a store up to the company's last, of those with something before it."""
    for path in forest.paths(forest.grow(store.dialogues)):
        if not forest.is_dialogue(path, settings.max_turns):
            continue
        said = [(post.screen_name.lower() == store.account.lower(), post.id) for post in forest.in_order(path)]
        turns = [
            TurnIds(speaker=SYSTEM if own else USER, ids=tuple(number for _, number in group))
            for own, group in groupby(said, key=lambda one: one[0])
        ]
        while turns and turns[-1].speaker != SYSTEM:
            turns.pop()
        if len(turns) > 1:
            yield tuple(turns)


def _printed(path: Path) -> list[int]:
    """Return a fingerprint of each dialogue of a text: what is said, in no case and punctuation."""
    found, said = [], list[str]()
    for line in (*Lines(Source(path), unmarked=True), ""):
        if line.strip():
            said.append(line[2:])
        elif said:
            found.append(of_several([of_text(text).print for text in said]))
            said = []
    return found


def _prove(made: Path, parts: dict[str, _Dealt]) -> list[PartOverlap]:
    """Compare each two parts: accounts, posts, dialogues, utterances, runs of words."""
    texts = {
        TRAIN: made / OPEN / "train.txt",
        DEV: made / OPEN / "dev.txt",
        EVALUATION: made / SEALED / "evaluation.txt",
    }
    with disk.temporary_folder() as folder:
        read = [
            overlap.PartContents(
                part,
                accounts={name.lower() for name in parts[part].accounts},
                posts=parts[part].posts,
                words=overlap.read_text(texts[part], folder / part),
            )
            for part in (TRAIN, DEV, EVALUATION)
        ]
        return overlap.compare(read)


def leaks(proof: Iterable[PartOverlap]) -> list[PartOverlap]:
    """Return the pairs of parts that are not apart: an account or post in both, or a dialogue of the evaluation."""
    return [
        one for one in proof if one.accounts or one.posts or (EVALUATION in {one.first, one.second} and one.dialogues)
    ]
