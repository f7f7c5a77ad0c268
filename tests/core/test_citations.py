"""Citations in plain text and in BibTeX."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from duologue.core.citations import DUOLOGUE, Citation
from duologue.core.plugins import load_task, names

ROOT = Path(__file__).resolve().parents[2]


def cited() -> dict[str, Citation]:
    sets = [data_set for name in names("tasks") for data_set in load_task(name).data_sets()]
    return {one.key: one for data_set in sets for one in data_set.cite}


def test_a_paper_in_bibtex_keeps_its_capitals_and_spells_the_signs_of_tex() -> None:
    one = Citation(
        key="k",
        kind="article",
        authors=("Ann Lee", "The Friends of Talk"),
        title="50 % of {AB} & more",
        year=2020,
        where="Talk & Text",
        volume="5",
        pages="1-9",
    )
    assert one.bibtex().splitlines() == [
        "@article{k,",
        "  author = {Ann Lee and {The Friends of Talk}},",
        r"  title = {{50 \% of \{AB\} \& more}},",
        r"  journal = {Talk \& Text},",
        "  volume = {5},",
        "  pages = {1--9},",
        "  year = {2020},",
        "}",
    ]
    assert one.plain() == "Ann Lee and The Friends of Talk. 50 % of {AB} & more. Talk & Text 5, pages 1-9, 2020."


@pytest.mark.parametrize(
    ("author", "told"),
    [
        ("Ann van Lee", "Ann van Lee"),
        ("The Friends", "{The Friends}"),
        ("Theo Lee", "Theo Lee"),
        ("Association for Computational Linguistics", "{Association for Computational Linguistics}"),
    ],
)
def test_groups_of_authors_keep_their_name_whole_and_people_do_not(author: str, told: str) -> None:
    assert f"  author = {{{told}}}," in Citation(key="k", authors=(author,), title="Talk").bibtex()


@pytest.mark.parametrize("key", sorted(cited()))
def test_every_citation_of_a_challenge_is_whole(key: str) -> None:
    one = cited()[key]
    assert re.fullmatch(r"[a-z]+-[0-9]{4}-[a-z]+", key)
    assert one.year
    assert str(one.year) in key
    assert one.kind in {"inproceedings", "article", "misc"}
    assert one.where
    text = one.bibtex()
    assert text.count("{") == text.count("}")
    assert one.title in one.plain()


def test_duologue_is_cited_as_its_own_file_says() -> None:
    says = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f'title: "{DUOLOGUE.title}"' in says
    assert f'name: "{DUOLOGUE.authors[0]}"' in says


def test_what_is_neither_paper_nor_article_is_told_with_how_it_was_published() -> None:
    one = Citation(key="k", authors=("Bo Wu",), title="Talk", where="a program", url="http://x")
    assert one.bibtex() == (
        "@misc{k,\n  author = {Bo Wu},\n  title = {{Talk}},\n  howpublished = {a program},\n  url = {http://x},\n}"
    )
    assert one.plain() == "Bo Wu. Talk. a program. http://x."
    assert Citation(key="k", authors=("Bo Wu", "An Li"), title="Talk.").plain() == "Bo Wu and An Li. Talk."
    paper = Citation(key="k", kind="inproceedings", authors=("Bo Wu",), title="Talk", where="ACL", pages="1", year=0)
    assert "  booktitle = {ACL}," in paper.bibtex()
    assert paper.plain() == "Bo Wu. Talk. ACL, pages 1, 0."
    assert "  year = {0}," in paper.bibtex()
