"""What is to be cited: a paper, a data set or a program, in plain text and in BibTeX."""

from __future__ import annotations

import re

from duologue.core.records import Record
from duologue.core.version import __version__

_SPECIAL = re.compile(r"[\\{}%&#$_~^]")
_SPELLED = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_FIELDS = {"inproceedings": "booktitle", "article": "journal", "misc": "howpublished"}


class Citation(Record, frozen=True, kw_only=True):
    """One thing to cite. BibTeX asks for no more than the field that its kind names for `where`."""

    key: str
    """Of BibTeX, such as `wu-2019-proactive`."""
    kind: str = "misc"
    """`inproceedings`, `article` or `misc`."""
    authors: tuple[str, ...]
    """Full names, given name first; the name of a group as one."""
    title: str
    year: int | None = None
    where: str = ""
    """Proceedings, journal, or how it was published."""
    pages: str = ""
    """First and last, such as `3794-3804`."""
    volume: str = ""
    url: str = ""

    def plain(self) -> str:
        """Return it as one line of a list of references.

        >>> Citation(key="k", authors=("Ann Lee", "Bo Wu", "Cy Ng"), title="On talk", year=2020, where="ACL").plain()
        'Ann Lee, Bo Wu and Cy Ng. On talk. ACL, 2020.'
        """
        *first, last = self.authors
        authors = f"{', '.join(first)} and {last}" if first else last
        volume = f" {self.volume}" if self.volume else ""
        place = ", ".join(filter(None, (self.where + volume, f"pages {self.pages}" if self.pages else "")))
        dated = ", ".join(filter(None, (place, "" if self.year is None else str(self.year))))
        return ". ".join(filter(None, (authors, self.title, dated, self.url))).rstrip(".") + "."

    def bibtex(self) -> str:
        """Return it as an entry of BibTeX in UTF-8; groups keep their name whole, titles their capitals."""
        authors = " and ".join(_whole(name) for name in self.authors)
        fields = {
            "author": authors,
            "title": "{" + _spelled(self.title) + "}",
            _FIELDS.get(self.kind, "howpublished"): _spelled(self.where),
            "volume": _spelled(self.volume),
            "pages": _spelled(self.pages).replace("-", "--"),
            "year": "" if self.year is None else str(self.year),
            "url": self.url,
        }
        lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
        return "\n".join([f"@{self.kind}{{{self.key},", *lines, "}"])


def _whole(name: str) -> str:
    """Return an author as BibTeX takes it: what begins with "The" or has four words or more is a group."""
    group = len(name.split()) > 3 or name.startswith("The ")
    return "{" + _spelled(name) + "}" if group else _spelled(name)


def _spelled(text: str) -> str:
    """Return a text with the signs spelled that TeX takes for its own."""
    return _SPECIAL.sub(lambda found: _SPELLED.get(found[0], "\\" + found[0]), text)


DUOLOGUE = Citation(
    key="duologue",
    authors=("The Duologue developers",),
    title="Duologue: an open workbench for knowledge-driven and goal-oriented dialogue",
    where=f"software, version {__version__}",
)
"""This program, as `CITATION.cff` has it."""
