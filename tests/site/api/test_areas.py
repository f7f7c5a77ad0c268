"""What the pages do is an operation of the API too, and a command: each form of the site, or why not."""

from __future__ import annotations

import shlex

import click

from duologue.cli.main import cli
from duologue.site.api.areas import all_operations
from duologue.site.application import all_routes

BROWSER = "it is about the browser"
PEOPLE_ALONE = "what people say to each other is said by people"
IN_PERSON = "the editor and talks are for people; files are imported, and programs use the API"
SECRET = "a token makes no tokens, so that revoking it ends what it could do"

FORMS = {
    "/sign-in": (BROWSER, BROWSER),
    "/sign-out": (BROWSER, BROWSER),
    "/enter/{secret}": (BROWSER, BROWSER),
    "/join/{secret}": (BROWSER, BROWSER),
    "/open-links/{kind}/{subject}": ("POST /open-links", "site open-link"),
    "/open-links/{kind}/{subject}/{link}/revoke": ("POST /open-links/{id}/revoke", "site open-link"),
    "/tracks/{track}/register": ("POST /tracks/{track}/teams", "track team"),
    "/new-track/upload": ("POST /new-track/upload", "track new"),
    "/tracks/{track}/upload": ("POST /tracks/{track}/upload", "submit"),
    "/entries/{id}/cancel": ("POST /entries/{id}/cancel", "submit --cancel"),
    "/entries/{id}/choose": ("POST /entries/{id}/choose", "submit --choose"),
    "/tracks/{track}/teams/{team}/state": ("POST /tracks/{track}/teams/{team}/state", "track team --approve"),
    "/tracks/{track}/phases/{phase}/fill": ("POST /tracks/{track}/phases/{phase}/fill", "track phase --fill"),
    "/tracks/{track}/phases/{phase}/select": ("POST /tracks/{track}/phases/{phase}/select", "track phase --select"),
    "/tracks/{track}/phases/{phase}/campaign": ("POST /tracks/{track}/phases/{phase}/campaign", "track campaign"),
    "/tracks/{track}/phases/{phase}/link": ("POST /tracks/{track}/phases/{phase}/campaign", "track campaign --link"),
    "/rate/{id}/norm/{unit}": ("POST /rate/{id}/norm/{unit}", "campaign rate"),
    "/rate/{id}/norm/{unit}/remark": ("POST /rate/{id}/norm/{unit}/remark", "campaign rate"),
    "/rate/{id}/items/{item}": ("POST /rate/{id}/items/{item}", "campaign rate"),
    "/rate/{id}/items/{item}/skip": ("POST /rate/{id}/items/{item}/skip", "campaign rate"),
    "/talks/rooms/{id}/enter": ("POST /rooms/{id}/talks", "chat"),
    "/talks/{id}/say": ("POST /talks/{id}/turns", "chat"),
    "/talks/{id}/finish": ("POST /talks/{id}/end", "chat"),
    "/talks/{id}/again": ("POST /talks/{id}/again", "chat"),
    "/talks/{id}/give-up": (PEOPLE_ALONE, PEOPLE_ALONE),
    "/pairs/{id}/wait": (PEOPLE_ALONE, PEOPLE_ALONE),
    "/pairs/{id}/leave": (PEOPLE_ALONE, PEOPLE_ALONE),
    "/campaigns/upload": ("POST /campaigns/upload", "campaign start"),
    "/campaigns/{id}/links": ("POST /campaigns/{id}/links", "campaign link"),
    "/campaigns/{id}/join": ("POST /campaigns/{id}/join", "campaign link --person"),
    "/campaigns/{id}/norm": ("POST /campaigns/{id}/norm", "campaign norm"),
    "/campaigns/{id}/close": ("POST /campaigns/{id}/close", "campaign close"),
    "/campaigns/{id}/reopen": ("POST /campaigns/{id}/reopen", "campaign close --again"),
    "/campaigns/{id}/judge/upload": ("POST /campaigns/{id}/judge/upload", "campaign judge"),
    "/campaigns/{id}/board": ("POST /tracks/{track}/phases/{phase}/ratings", "track ratings"),
    "/talk-lists/rooms": ("POST /talk-lists/rooms", "talk open"),
    "/talk-lists/{kind}/{id}/close": ("POST /talk-lists/{kind}/{id}/close", "talk close"),
    "/talk-lists/talks/{id}/verdict": ("POST /talk-lists/talks/{id}/verdict", "talk verdict"),
    "/annotate/{project}/next": ("POST /annotation/projects/{project}/next", IN_PERSON),
    "/annotate/{project}/adjudicate": ("POST /annotation/projects/{project}/adjudicate", IN_PERSON),
    "/sheets/{id}": ("POST /annotation/sheets/{id}", "annotate import --by"),
    "/sheets/{id}/restore": ("POST /annotation/sheets/{id}/restore", IN_PERSON),
    "/people": ("POST /people", "site people add"),
    "/people/{id}/roles": ("POST /people/{id}/roles", "site people roles"),
    "/people/{id}/links": ("POST /people/{id}/links", "site people link"),
    "/people/{id}/links/{link}/revoke": ("POST /people/{id}/links/{link}/revoke", "site people link --revoke"),
    "/people/{id}/close": ("POST /people/{id}/close", "site people close"),
    "/people/{id}/reopen": ("POST /people/{id}/reopen", "site people close --again"),
    "/account/language": ("POST /me/language", BROWSER),
    "/account/tokens": (SECRET, "site people token"),
    "/account/tokens/{token}/revoke": ("POST /me/tokens/{token}/revoke", "site people token --revoke"),
    "/account/sign-out": ("POST /me/sign-out", "site people link --revoke"),
    "/account/delete": ("POST /me/delete", "site people delete"),
}
"""By the path of a form: the operation, and the command, or why there is none."""
REASONS = {BROWSER, PEOPLE_ALONE, IN_PERSON, SECRET}


def test_each_form_of_the_pages_is_an_operation_too_or_says_why_not() -> None:
    forms = {route.path for route in all_routes() if "POST" in (route.methods or ())}
    assert {path for path in forms if not path.startswith("/api/")} == FORMS.keys()
    known = {f"{one.method} {one.path}" for one in all_operations()}
    assert {one for one, _ in FORMS.values()} - REASONS <= known
    posted = {one for one in known if one.startswith("POST ")}
    assert posted == {one for one, _ in FORMS.values()} - REASONS, "nothing is for programs alone"


def test_each_form_is_a_command_too_or_says_why_not() -> None:
    for words in {one for _, one in FORMS.values()} - REASONS:
        *names, last = shlex.split(words)
        found: click.Command = cli
        for name in names if last.startswith("--") else [*names, last]:
            assert isinstance(found, click.Group), words
            inside = found.get_command(click.Context(found), name)
            assert inside is not None, words
            found = inside
        options = {option for one in found.params for option in (*one.opts, *one.secondary_opts)}
        assert not last.startswith("--") or last in options, words


def test_no_two_operations_are_one() -> None:
    asked = [(one.method, one.path) for one in all_operations()]
    assert len(asked) == len(set(asked))
