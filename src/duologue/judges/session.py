"""One session of a judge: files read, calls planned, and what came of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from duologue.core.errors import UsageError
from duologue.endpoints.caller import ChatCaller
from duologue.judges.calls import drawn, make_calls
from duologue.judges.judge_texts import load_texts
from duologue.judges.pairs import PairsReport, pairs_calls, pairs_of
from duologue.judges.points import PointsReport, points_calls, points_of
from duologue.judges.prompt import JudgePrompt
from duologue.judges.results import read_systems
from duologue.ratings.protocol import find_protocol

if TYPE_CHECKING:
    from duologue.core.protocols import Progress, Task, World
    from duologue.judges.calls import JudgeCall
    from duologue.judges.items import JudgedItem
    from duologue.judges.recipe import JudgeRecipe
    from duologue.judges.results import JudgedFiles
    from duologue.ratings.judgement import Preference, Rating
    from duologue.ratings.protocol import RatingProtocol

Kind = Literal["points", "pairs"]


class Judged(NamedTuple):
    """What came of a session."""

    ratings: tuple[Rating, ...]
    preferences: tuple[Preference, ...]
    report: PointsReport | PairsReport
    usage: dict[str, Any]
    """Calls, tokens, cost, latency, and as `unparsable` the answers of which something could not be read."""


class JudgeSession:
    """A judge with all that it is to judge; nothing is asked until `run`."""

    def __init__(
        self,
        task: Task,
        files: JudgedFiles,
        recipe: JudgeRecipe,
        protocol: RatingProtocol | None = None,
        *,
        kind: Kind = "points",
        n: int = 0,
        world: World | None = None,
        seed: int = 1,
    ) -> None:
        """Read all files and plan all calls; of more than `n` items so many are drawn by lot (0: all).

        The protocol is that of the task's texts where none is given. Raises `UsageError` for a task that is not judged
        and files that do not go together; else as `read_systems`, `find_protocol` and `ChatCaller`.
        """
        texts = load_texts(task).texts
        if kind == "pairs" and len(files.results) != 2:
            raise UsageError(f"--pairs compares two result files: expected two RESULTs, found {len(files.results)}")
        self.kind, self.recipe, self.seed = kind, recipe, seed
        self.protocol = protocol or find_protocol(texts.protocol)
        self.prompt = JudgePrompt(
            task,
            self.protocol,
            "dialogue" if files.whole else texts.unit,
            recipe.language,
            turns=recipe.turns,
            facts=recipe.facts,
        )
        self.prompt.prepare({} if world is None else {world.name: world})
        found = read_systems(task, files, self.prompt.unit)
        self.missing = {name: one.missing for name, one in found.items()}
        """By system: answers that are not there, and are not judged."""
        self.systems = _chosen({name: one.items for name, one in found.items()}, kind, n, seed)
        self._caller = ChatCaller(recipe)
        self.calls = self._planned()
        """All questions, in the order of systems and items."""

    def forecast(self) -> dict[str, float]:
        """Return what the session would take: calls, those kept from before, tokens, cost."""
        return self._caller.forecast([call.request(self.seed) for call in self.calls])

    def run(self, progress: Progress | None = None) -> Judged:
        """Ask all and return what was said. Raises as `make_calls`."""
        words = make_calls(self._caller, self.calls, self.seed, self.recipe.workers, progress)
        words.account.note(unparsable=sum(not self._is_read(text) for text in words.texts))
        usage = words.account.summary(self._caller.caps)
        if self.kind == "points":
            points = points_of(self.prompt, self.calls, words.texts, self.recipe)
            return Judged(points.ratings, (), points.report, usage)
        (a, one), (b, other) = self.systems.items()
        pairs = pairs_of(self.prompt, self.calls, words.texts, self.recipe, (a, b), (one, other))
        return Judged((), pairs.preferences, pairs.report, usage)

    def _is_read(self, text: str) -> bool:
        if self.kind == "pairs":
            return self.prompt.read_better(text) is not None
        return len(self.prompt.read_points(text)) == len(self.protocol.criterion)

    def _planned(self) -> list[JudgeCall]:
        if self.kind == "points":
            return points_calls(self.prompt, self.systems, self.recipe, self.seed)
        one, other = self.systems.values()
        return pairs_calls(self.prompt, one, other, self.recipe, self.seed)


def _chosen(
    systems: dict[str, dict[str, JudgedItem]], kind: Kind, n: int, seed: int
) -> dict[str, dict[str, JudgedItem]]:
    """Return the items that are judged: of pairs those that both systems have, and by lot at most `n`."""
    shared = set.intersection(*(set(items) for items in systems.values()))
    if not shared:
        raise UsageError("the result files have no item in common; are they of the same data?")
    names = shared if kind == "pairs" else {name for items in systems.values() for name in items}
    if n:
        pool = sorted(shared if len(shared) >= n else names)
        names = {name for _, name in drawn([("", name) for name in pool], n, seed, "items")}
    return {system: {name: item for name, item in items.items() if name in names} for system, items in systems.items()}
