"""In-memory BM25 index over multi-field documents, by the engine tantivy.

Robertson and Zaragoza 2009, equation 3.15, with k1 = 1.2 and b = 0.75 (the engine's own); field scores are added with
the weights of the query. One thread builds the index, so equal documents give an equal index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import tantivy

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

_DIGITS = 3  # of a score: closer scores are ties, ordered by row
_ROW = "row"
_MEMORY = 64_000_000  # bytes per index segment


class Hits(NamedTuple):
    """Retrieved documents, the best first."""

    rows: NDArray[np.int64]
    """Indices of the documents, from 0, (n,)."""
    scores: NDArray[np.float64]
    """(n,)."""


class TextIndex:
    """A BM25 index of documents given as terms."""

    def __init__(self, fields: Sequence[str], texts: Iterable[Sequence[Sequence[str]]]) -> None:
        """Index documents, each given as its terms field by field; terms are without white space."""
        builder = tantivy.SchemaBuilder()
        for name in fields:
            builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
        self._schema = builder.add_unsigned_field(_ROW, fast=True).build()
        index = tantivy.Index(self._schema)
        writer = index.writer(_MEMORY, 1)
        for row, text in enumerate(texts):
            document = tantivy.Document()
            for name, part in zip(fields, text, strict=True):
                document.add_text(name, _readable(" ".join(part)))
            document.add_unsigned(_ROW, row)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._searcher = index.searcher()

    def best(self, wanted: Mapping[str, Mapping[str, float]], limit: int) -> Hits:
        """Return the top `limit` documents for weighted query terms (field -> term -> weight), best first."""
        parts = [
            (
                tantivy.Occur.Should,
                tantivy.Query.boost_query(
                    tantivy.Query.term_query(self._schema, field, _readable(term), "freq"), weight
                ),
            )
            for field, weights in wanted.items()
            for term, weight in weights.items()
            if weight > 0
        ]
        if not parts or limit < 1:
            return Hits(np.empty(0, dtype=np.int64), np.empty(0))
        found = self._searcher.search(tantivy.Query.boolean_query(parts), limit, count=False).hits
        values = self._searcher.fast_field_values(_ROW, [address for _, address in found])
        rows = np.array([row or 0 for row in values], dtype=np.int64)
        scores = np.array([score for score, _ in found], dtype=np.float64).round(_DIGITS)
        order = np.lexsort((rows, -scores))
        return Hits(rows[order], scores[order])


def _readable(text: str) -> str:
    """Return a text as valid UTF-8: the engine refuses lone surrogates."""
    return text.encode("utf-8", "replace").decode()
