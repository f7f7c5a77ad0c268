"""Tests mirror the rooms of `src`: where the tests of a module are is told by its path."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "duologue"

ELSEWHERE = {
    "__main__.py": "cli/test_shell.py",
    "run/plain_data.py": "test_api.py",
    "cli/combine.py": "run/test_combine.py",
    "exports/chats/messages.py": "exports/chats/test_forms.py",
    "exports/chats/rows.py": "exports/chats/test_forms.py",
    "exports/chats/unified.py": "exports/chats/test_forms.py",
    "site/pages/talk_view.py": "site/test_talks.py",
    "arena/competition/entry_view.py": "cli/test_track.py",
    "arena/competition/static_board.py": "cli/test_track.py",
    "cli/pair_plan.py": "cli/test_ratings.py",
    "cli/site_links.py": "cli/test_site.py",
    "cli/track_final.py": "cli/test_track.py",
    "cli/track_results.py": "cli/test_track.py",
    "site/api/open_links.py": "site/pages/test_open_links.py",
    "site/pages/entries.py": "site/pages/test_tracks.py",
    "site/pages/track_office.py": "site/pages/test_tracks.py",
    "arena/database/migrations/env.py": "arena/database/test_schema.py",
    "arena/database/migrations/versions/0001_people.py": "arena/database/test_schema.py",
    "arena/database/migrations/versions/0002_competition.py": "arena/database/test_schema.py",
    "arena/database/migrations/versions/0003_talks.py": "arena/database/test_schema.py",
    "arena/database/migrations/versions/0004_campaigns.py": "arena/database/test_schema.py",
    "arena/database/migrations/versions/0005_annotation.py": "arena/database/test_schema.py",
    "arena/database/migrations/versions/0006_open_links.py": "arena/database/test_schema.py",
    "arena/database/migrations/versions/0007_settings_of_rooms.py": "arena/database/test_schema.py",
    "arena/database/migrations/versions/0008_signs_of_what_pairs_said.py": "arena/database/test_schema.py",
    "arena/talks/invitations.py": "cli/test_talk.py",
    "arena/talks/rows.py": "arena/talks/test_pairs.py",
    "arena/talks/waiting_room.py": "arena/talks/test_pairs.py",
    "arena/campaigns/invitation.py": "cli/test_campaign.py",
    "arena/campaigns/result_lines.py": "cli/test_campaign.py",
    "arena/campaigns/result_page.py": "cli/test_campaign.py",
    "challenges/conversation/collector/account_search.py": "cli/test_collect.py",
    "challenges/conversation/collector/plan.py": "cli/test_collect.py",
    "challenges/conversation/commands/session.py": "cli/test_collect.py",
    "challenges/conversation/commands/subtitles.py": "cli/test_subtitles.py",
    "challenges/conversation/commands/twitter.py": "cli/test_twitter.py",
    "challenges/conversation/extraction/twitter/sources.py": "cli/test_twitter.py",
    "challenges/conversation/formats/walker.py": "",
    "challenges/mobilecs/scoring/dialogue/scorer.py": "challenges/mobilecs/test_task.py",
    "challenges/proactive/systems/references.py": "challenges/proactive/systems/matcher/test_matcher.py",
    "challenges/spoken/live/ui_text.py": "challenges/spoken/live/test_partner.py",
    "challenges/spoken/systems/grounded/encoder.py": "challenges/spoken/systems/grounded/test_grounded.py",
    "cli/campaign_results.py": "cli/test_campaign.py",
    "cli/chat.py": "cli/test_conversations.py",
    "cli/check.py": "cli/test_commands.py",
    "cli/compare.py": "cli/test_scoring.py",
    "cli/convert.py": "cli/test_commands.py",
    "cli/data.py": "cli/test_lazy_group.py",
    "cli/fetch.py": "run/test_fetch.py",
    "cli/generate.py": "cli/test_commands.py",
    "cli/plugin_commands.py": "cli/test_commands.py",
    "cli/mcp.py": "mcp/test_server.py",
    "cli/predict.py": "cli/test_commands.py",
    "cli/robustness.py": "cli/test_commands.py",
    "cli/score.py": "cli/test_scoring.py",
    "cli/serve.py": "cli/test_bots.py",
    "cli/simulate.py": "cli/test_conversations.py",
    "cli/site_data.py": "cli/test_site.py",
    "cli/site_people.py": "cli/test_site.py",
    "cli/split.py": "run/test_split.py",
    "cli/train.py": "cli/test_commands.py",
    "cli/verify.py": "cli/test_scoring.py",
    "arena/annotation/tables.py": "arena/annotation/test_projects.py",
    "cli/annotated.py": "cli/test_annotate.py",
    "site/api/annotation.py": "site/test_annotate.py",
    "site/pages/annotate.py": "site/test_annotate.py",
    "site/pages/sheets.py": "site/test_annotate.py",
    "site/api/document.py": "site/api/test_people.py",
    "site/api/operation.py": "site/api/test_people.py",
    "site/area.py": "site/test_pages.py",
    "site/error_answer.py": "site/test_gate.py",
    "site/navigation.py": "site/test_pages.py",
    "site/page_error.py": "site/test_gate.py",
    "site/pages/areas.py": "site/test_pages.py",
    "site/renderer.py": "site/test_pages.py",
    "site/visit.py": "site/test_gate.py",
    "site/api/talks.py": "site/test_talks.py",
    "site/pages/talk_lists.py": "site/test_talks.py",
    "site/pages/talks.py": "site/test_talks.py",
    "site/talk_engine.py": "site/test_talks.py",
    "text/personal/addresses.py": "text/test_anonymiser.py",
    "text/personal/characters.py": "text/test_anonymiser.py",
    "text/personal/gazetteer.py": "text/test_anonymiser.py",
    "text/personal/labelled.py": "text/test_anonymiser.py",
    "text/personal/names.py": "text/test_anonymiser.py",
    "text/personal/numbers.py": "text/test_anonymiser.py",
    "text/personal/online.py": "text/test_anonymiser.py",
    "web/requests.py": "web/test_server.py",
    "cli/forecast.py": "cli/test_endpoints.py",
}
"""Modules without a mirror that no test names, with the test module that goes through them; empty: none does yet."""


def modules() -> list[Path]:
    return sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path.name != "__init__.py")


def mirror(module: Path) -> Path:
    return TESTS / module.parent / f"test_{module.stem}.py"


def named() -> set[str]:
    """Return the dotted names of all modules that some test imports or writes out."""
    found: set[str] = set()
    for path in TESTS.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r"duologue(?:\.\w+)+", text))
        for parent, names in re.findall(r"from (duologue[.\w]*) import (\([^)]*\)|[^\n]*)", text):
            found |= {f"{parent}.{name}" for name in re.findall(r"\w+", names)}
    return found


def test_every_module_has_a_mirror_or_is_named_in_a_test() -> None:
    known = named()
    lacking = [
        module.as_posix()
        for module in modules()
        if not mirror(module).is_file() and f"duologue.{'.'.join(module.with_suffix('').parts)}" not in known
    ]
    assert sorted(set(lacking) - set(ELSEWHERE)) == []
    assert sorted(set(ELSEWHERE) - set(lacking)) == [], "these have tests of their own now: take them off the list"


def test_exceptions_lead_to_tests_that_are_there() -> None:
    for module, test in ELSEWHERE.items():
        assert (SOURCE / module).is_file(), module
        assert not test or (TESTS / test).is_file(), test
