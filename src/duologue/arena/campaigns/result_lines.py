"""What the terminal says of a campaign beside its ranks: selection, norming, choices, and who was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from duologue.arena.campaigns.campaign_results import CampaignResults, Selection
    from duologue.ratings.agreement import Agreement


def result_lines(found: CampaignResults) -> list[str]:
    """Return the lines."""
    lines = selection_lines(found.selection) if found.selection is not None else []
    if found.choices:
        lines += ["Agreement of the choices", *_agreement_lines(found.choices)]
    if found.reasons:
        lines.append("Reasons: " + "; ".join(f"{who or 'ties'}: {why} {count}" for who, why, count in found.reasons))
    for norm in found.norming:
        lines.append(f"Norming round {norm.number}, {norm.criterion}: agreement before and after the discussion")
        lines += [
            f"  {one.name}: {_value(one)} -> {_value(other)}"
            for one, other in zip(norm.before, norm.after, strict=True)
        ]
        whys = dict.fromkeys(one.why for one in (*norm.before, *norm.after) if one.value is None)
        lines += [f"  {why}." for why in whys]
    if found.left_out:
        lines.append(f"Left out, since they failed attention checks: {', '.join(found.left_out)}.")
    return lines


def selection_lines(found: Selection) -> list[str]:
    """Return who is selected, and how sure that is."""
    lines = [f"Selected, {len(found.selected)} of {found.wanted}: {', '.join(found.selected) or 'nobody yet'}."]
    if found.even:
        lines.append(f"Even at the border, so that the rule selects none of them: {', '.join(found.even)}.")
    if found.uncertain:
        lines.append(f"Not selected, and not shown to be worse than the last selected: {', '.join(found.uncertain)}.")
    return lines


def _agreement_lines(found: Sequence[Agreement]) -> list[str]:
    return [f"  {one.name}: {_value(one)}{'' if not one.why else f' ({one.why})'}" for one in found]


def _value(one: Agreement) -> str:
    if one.value is None:
        return "not defined"
    ends = "" if one.low is None or one.high is None else f" [{one.low:.3f}, {one.high:.3f}]"
    return f"{one.value:.3f}{ends}"
