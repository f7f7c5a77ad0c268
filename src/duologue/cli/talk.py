"""`duologue talk`: rooms in which people talk with systems on the site, and campaigns of two people who talk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from duologue.cli.lazy_group import LazyGroup
from duologue.cli.site import site_database
from duologue.core.amounts import amount
from duologue.core.errors import UsageError
from duologue.terminal import console, options

if TYPE_CHECKING:
    from pathlib import Path

_COMMANDS = {
    "Commands": {
        "open": ("duologue.cli.talk:open_", "Open a room: people talk with a system that they are not told."),
        "pair": ("duologue.cli.talk:pair", "Start a campaign: two people make a dialogue of a task."),
        "link": ("duologue.cli.talk:link", "Invite volunteers: a link for each."),
        "status": ("duologue.cli.talk:status", "Show rooms and campaigns of pairs, and how far they are."),
        "export": ("duologue.cli.talk:export", "Write what was said: dialogues, or the challenge's official file."),
        "verdict": ("duologue.cli.talk:verdict", "Accept or reject a dialogue of two people by hand."),
        "close": ("duologue.cli.talk:close", "Let nothing begin any more."),
    }
}
SHOWS = ("goal", "knowledge", "trace")
"""What a talk may show beside the words (`arena.talks.sessions`)."""
_TOLD = ("id", "title", "task", "system", "settings", "state")
"""What is told of a room."""


@click.group(cls=LazyGroup, sections=_COMMANDS, prefix="talk.")
def talk() -> None:
    """Let people talk on the site, with systems or in pairs; keep every turn, and write it out.

    \b
    Examples:
      duologue talk open restaurant --title "Book a table"
      duologue talk pair proactive --goals goals.jsonl --n 50
      duologue talk link ID --n 20
      duologue talk export ID --out sessions.jsonl
    """


@click.command(name="open")
@options.task_argument
@click.option("--system", default=None, help="A name, a model's folder, or a chat endpoint's address (URL#MODEL).")
@options.recipe_option
@options.set_option
@options.place_option
@click.option("--title", default=None, help="What people see (default: the task's name).")
@click.option("--show", "shows", multiple=True, type=click.Choice(SHOWS), help="What people see; may be repeated.")
@options.seed_option
@options.workspace_option
@options.database_option
def open_(
    *,
    task: str,
    system: str | None,
    recipe: Path | None,
    overrides: tuple[str, ...],
    place: Path | None,
    title: str | None,
    shows: tuple[str, ...],
    seed: int,
    workspace: Path,
    address: str | None,
) -> None:
    """Open a room of TASK on the site, in which people talk with a system. Each talk draws its goal by the next seed.

    What --recipe and --set say is kept with the room. An endpoint's key stands in the environment variable
    DUOLOGUE_ENDPOINT_KEY of whoever runs `duologue site`; a file that a setting names is looked for from the folder
    where the site runs.

    \b
    Examples:
      duologue talk open restaurant --title "Book a table"
      duologue talk open mobilecs/dialogue --goals track2/test.json --show goal
      duologue talk open proactive --system model --goals goals.jsonl
      duologue talk open conversation --system http://127.0.0.1:8200/v1
      duologue talk open restaurant --system endpoint --set url=http://127.0.0.1:8200/v1 --set model=m
    """
    from duologue.run.partners import conversable, kept_system

    found = kept_system(conversable(task), system, recipe, overrides)
    kept = None if place is None else place.absolute()
    with site_database(workspace, address) as database:
        from duologue.arena.talks.rooms import open_room

        room = database.write(
            lambda connection: open_room(
                connection,
                title=title or task,
                task=task,
                system=found.system,
                settings=found.settings,
                place=kept,
                seed=seed,
                shows=shows,
                now=database.now(),
            )
        )
    console.line(f"Room {room} is open: {title or task}", bold=True)
    console.line(f"Next: duologue talk link {room} --n 3")


@click.command()
@options.task_argument
@click.option(
    "--goals",
    "--graph",
    "place",
    type=options.PATH,
    required=True,
    help="mobilecs/dialogue, proactive: goals with their knowledge; proactive: or a graph that they are drawn from.",
)
@click.option("--n", type=options.CountNumber(min=1), default=50, show_default=True, help="Dialogues to make.")
@click.option("--title", default=None, help="What people see (default: the task's name).")
@click.option(
    "--shortest", type=options.WholeNumber(2, 10_000), default=None, help="Utterances of the shortest dialogue."
)
@click.option(
    "--longest", type=options.WholeNumber(2, 10_000), default=None, help="Utterances of the longest dialogue."
)
@click.option(
    "--turn-seconds", type=options.WholeNumber(10, 604_800), default=300, show_default=True, help="Time for a turn."
)
@options.seed_option
@options.workspace_option
@options.database_option
def pair(
    *,
    task: str,
    place: Path,
    n: int,
    title: str | None,
    shortest: int | None,
    longest: int | None,
    turn_seconds: int,
    seed: int,
    workspace: Path,
    address: str | None,
) -> None:
    """Start a campaign of TASK in which two people make each dialogue.

    proactive: one leads with goal and knowledge, the other talks. mobilecs/dialogue: the customer has the goal and
    begins, the staff have the knowledge base and end the call; --goals is a track 2 file.

    People are paired as they come, and take turns in leading. A dialogue is checked when it ends (length, repetition,
    copies of the knowledge or of another dialogue, the challenge's own rules); one that fails is made again by others.

    \b
    Examples:
      duologue talk pair proactive --goals goals.jsonl --n 50
      duologue talk pair mobilecs/dialogue --goals track2/dev.json --n 30
      duologue talk pair proactive --graph graph.tsv --n 200 --seed 3 --title "Films and people"
    """
    with site_database(workspace, address) as database:
        from duologue.arena.talks.pairs import paired_task, settings_for, start_pairing

        loaded = paired_task(task)
        chosen = {"shortest": shortest, "longest": longest, "turn_seconds": turn_seconds}
        settings = settings_for(loaded, **{key: value for key, value in chosen.items() if value is not None})
        scenes = loaded.pair_scenes(place, n=n, seed=seed)
        made = database.write(
            lambda connection: start_pairing(
                connection, title=title or task, task=task, scenes=scenes, settings=settings, now=database.now()
            )
        )
    console.line(f"Campaign {made} is open: {title or task}, {amount(len(scenes), 'dialogue')} to make", bold=True)
    if len(scenes) < n:
        console.line(f"{n:,} were asked for; {place.name} has no more different goals")
    console.line(f"Next: duologue talk link {made} --n 10")


@click.command()
@click.argument("word", metavar="ID")
@click.option("--n", type=options.WholeNumber(1, 1000), default=1, show_default=True, help="Volunteers to invite.")
@options.days_option(30, "a link")
@options.site_url_option
@options.workspace_option
@options.database_option
@options.json_option
def link(*, word: str, n: int, days: float, url: str, workspace: Path, address: str | None, as_json: bool) -> None:
    """Invite volunteers to the room or campaign ID (or how it begins): each link is one person.

    Nobody is told a link a second time; whoever loses one gets a new one from the site's page of people.

    \b
    Examples:
      duologue talk link 3f2a --n 20
      duologue talk link 3f2a --n 20 --site https://dialogue.example.org
    """
    with site_database(workspace, address) as database:
        from duologue.arena.talks.invitations import find_place, invite

        with database.reading() as connection:
            place = find_place(connection, word)
        found = [
            {"name": one.name, "link": url.rstrip("/") + one.path}
            for one in invite(database, place, n, days=days, by=None)
        ]
    if as_json:
        console.as_json(found)
        return
    console.line("One link for each volunteer (nobody is told them again):")
    for one in found:
        console.line(f"  {one['name']}  {one['link']}")
    console.line("People talk on the site: duologue site")


@click.command()
@options.workspace_option
@options.database_option
@options.json_option
def status(*, workspace: Path, address: str | None, as_json: bool) -> None:
    """Show rooms and campaigns of pairs: talks, and scenes that are free, under way and done.

    \b
    Examples:
      duologue talk status
    """
    with site_database(workspace, address) as database, database.reading() as connection:
        from duologue.arena.talks.pairs import list_pairings, scene_counts
        from duologue.arena.talks.rooms import list_rooms
        from duologue.arena.talks.sessions import count_talks, list_talks

        rooms = [
            (one, {name: getattr(one, name) for name in _TOLD} | count_talks(connection, room=one.id))
            for one in list_rooms(connection)
        ]
        pairings = [
            {"id": one.id, "title": one.title, "task": one.task, "state": one.state} | scene_counts(connection, one.id)
            for one in list_pairings(connection)
        ]
        verdicts = {
            one["id"]: [
                {"id": talk.id, "verdict": talk.verdict, "problems": [told["message"] for told in talk.problems or ()]}
                for talk in list_talks(connection, pairing=str(one["id"]))
                if talk.state == "finished"
            ]
            for one in pairings
        }
    if as_json:
        console.as_json(
            {
                "rooms": [told for _, told in rooms],
                "pairs": [one | {"dialogues": verdicts[one["id"]]} for one in pairings],
            }
        )
        return
    if not rooms and not pairings:
        console.line("Nobody talks yet; `duologue talk open` and `duologue talk pair` begin.")
    for room, told in rooms:
        console.line(f"{room.id}  {room.title}: {room.task} with {room.partner}, {room.state}", bold=True)
        console.line(f"  talks: {told['open']} under way, {told['finished']} finished, {told['abandoned']} broken off")
    for one in pairings:
        console.line(f"{one['id']}  {one['title']}: {one['task']} in pairs, {one['state']}", bold=True)
        console.line(f"  dialogues: {one['done']} done, {one['taken']} under way, {one['free']} to be made")
        for told in verdicts[one["id"]]:
            if told["verdict"] == "rejected":
                console.line(f"  rejected: {told['id']}{': ' if told['problems'] else ''}{'; '.join(told['problems'])}")


@click.command()
@click.argument("word", metavar="ID")
@click.option("--out", type=options.OUT_FILE, required=True, help="The file to write.")
@options.force_option
@click.option("--rejected", is_flag=True, help="Of pairs: rejected dialogues too.")
@click.option(
    "--keep-personal-data",
    is_flag=True,
    help="Write what people typed as it stands; the file is readable by its owner alone.",
)
@options.workspace_option
@options.database_option
def export(
    *, word: str, out: Path, rejected: bool, keep_personal_data: bool, workspace: Path, address: str | None
) -> None:
    """Write what was said in the room or campaign ID: dialogues as JSON lines, or, of pairs, the official file.

    Nobody's id is in it, and personal data that people typed (telephone numbers, addresses, names, ...) become
    placeholders, such as <PHONE_1>. What a talk is about, its goal and knowledge, stays.

    \b
    Examples:
      duologue talk export 3f2a --out talks.jsonl
      duologue talk export 77c1 --out sessions.jsonl
    """
    from duologue.core import disk
    from duologue.text.anonymiser import Anonymiser

    with site_database(workspace, address) as database:
        from duologue.arena.talks.exports import anonymous, dialogue_lines, official_file, room_dialogues
        from duologue.arena.talks.invitations import find_place
        from duologue.arena.talks.pairs import Pairing, accepted_dialogues, paired_task

        with database.reading() as connection:
            place = find_place(connection, word)
            if isinstance(place, Pairing):
                dialogues = accepted_dialogues(connection, place.id, rejected=rejected)
            else:
                dialogues = room_dialogues(connection, place.id)
    is_paired = isinstance(place, Pairing)
    if not is_paired:
        options.refuse("what is said in a room is neither accepted nor rejected", "rejected")
    if is_paired and not dialogues:
        raise UsageError(f"'{place.title}' has no accepted dialogue yet")
    anonymiser = Anonymiser()
    if not keep_personal_data:
        dialogues = anonymous(dialogues, anonymiser)
    body = official_file(paired_task(place.task), dialogues) if is_paired else dialogue_lines(dialogues)
    disk.write_bytes(out, body, private=keep_personal_data)
    console.line(f"{len(dialogues):,} {'dialogues' if is_paired else 'talks'} in {out}")
    if keep_personal_data:
        console.line("personal data was kept, as --keep-personal-data says: the file is for its owner alone")
    else:
        console.text(anonymiser.replaced().told())


@click.command()
@click.argument("talk", metavar="DIALOGUE")
@click.argument("decided", metavar="accepted|rejected", type=click.Choice(["accepted", "rejected"]))
@options.workspace_option
@options.database_option
def verdict(*, talk: str, decided: str, workspace: Path, address: str | None) -> None:
    """Accept or reject a DIALOGUE of two people by hand, whatever its check said.

    `status` names the rejected ones, and `status --json` all.

    \b
    Examples:
      duologue talk verdict 0123456789abcdef accepted
    """
    with site_database(workspace, address) as database:
        from duologue.arena.talks.pairs import judge

        database.write(lambda connection: judge(connection, talk, decided, now=database.now()))
    console.line(f"{talk} is {decided}.")


@click.command()
@click.argument("word", metavar="ID")
@options.workspace_option
@options.database_option
def close(*, word: str, workspace: Path, address: str | None) -> None:
    """Let nothing begin any more in the room or campaign ID; what goes on comes to its end.

    \b
    Examples:
      duologue talk close 3f2a
    """
    with site_database(workspace, address) as database:
        from duologue.arena.talks.invitations import find_place
        from duologue.arena.talks.pairs import Pairing, close_pairing
        from duologue.arena.talks.rooms import close_room

        with database.reading() as connection:
            place = find_place(connection, word)
        shut = close_pairing if isinstance(place, Pairing) else close_room
        database.write(lambda connection: shut(connection, place.id, now=database.now()))
    console.line(f"'{place.title}' is closed.")
