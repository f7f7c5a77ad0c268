"""Croissant 1.0 (MLCommons): a generated corpus as machines find and load it; JSON-LD that lies beside the files.

Form: https://docs.mlcommons.org/croissant/docs/croissant-spec.html; `mlcroissant validate` reads it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from duologue.core.version import __version__
from duologue.exports.generated_corpus import read_corpus

if TYPE_CHECKING:
    from pathlib import Path

    from duologue.exports.generated_corpus import CorpusFile
    from duologue.exports.hub import ExportDetails

_OWN = (
    *(
        "citeAs",
        "column",
        "conformsTo:dct",
        "dataType!",
        "data@",
        "equivalentProperty",
        "examples@",
        "extract",
        "field",
    ),
    *("fileProperty", "fileObject", "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key"),
    *("md5", "parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate"),
    *("separator", "source", "subField", "transform"),
)
"""Words of the context: `@` is JSON, `!` a word of the vocabulary, another namespace stands after the colon."""
_KINDS = {"text": "sc:Text", "boolean": "sc:Boolean", "integer": "sc:Integer", "number": "sc:Float"}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NO_ID = re.compile(r"[^A-Za-z0-9_-]+")


def to_croissant(name: str, path: Path, details: ExportDetails) -> str:
    """Return the metadata of the corpus in the folder `path`, to be kept in it. Raises as `read_corpus` does."""
    corpus = read_corpus(name, path)
    info = corpus.task.info
    made = f"duologue {__version__}, seed {corpus.seed or 'unknown'}"
    found: dict[str, Any] = {
        "@context": _context(),
        "@type": "sc:Dataset",
        "name": _NO_ID.sub("-", details.name.rpartition("/")[2] or f"{name}-simulated"),
        "description": (
            f"Simulated dialogues of the task {name}, made by its simulator ({made}), in the official layout."
        ),
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "inLanguage": info.language,
        "datePublished": details.date,
        "version": f"{info.version.lstrip('v') or '1'}.0.0",
        "citeAs": f"The Duologue developers: Duologue {__version__}",
        "keywords": ["dialogue", "simulated", name.partition("/")[0]],
        **({"license": details.licence} if details.licence else {}),
        **({"creator": {"@type": "sc:Organization", "name": details.by}} if details.by else {}),
        "isLiveDataset": False,
        "distribution": [_distribution(one) for one in corpus.files],
        "recordSet": [_records(one) for one in corpus.files if _simple(one)],
    }
    return json.dumps(found, ensure_ascii=False, indent=2) + "\n"


def _context() -> dict[str, Any]:
    """Return the context that the specification gives, in its order."""
    context: dict[str, Any] = {"@language": "en", "@vocab": "https://schema.org/"}
    for word in _OWN:
        name = word.rstrip("!@").partition(":")[0]
        if word.endswith("@"):
            context[name] = {"@id": f"cr:{name}", "@type": "@json"}
        elif word.endswith("!"):
            context[name] = {"@id": f"cr:{name}", "@type": "@vocab"}
        else:
            context[name] = f"{word.partition(':')[2] or 'cr'}:{name}"
    return context | {
        "cr": "http://mlcommons.org/croissant/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "dct": "http://purl.org/dc/terms/",
        "sc": "https://schema.org/",
    }


def _distribution(file: CorpusFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "contentUrl": file.name,
        "contentSize": f"{file.size} B",
        "encodingFormat": "application/json" if file.name.endswith(".json") else "text/plain",
        "sha256": file.sha256,
    }


def _records(file: CorpusFile) -> dict[str, Any]:
    place = _NO_ID.sub("-", file.name.removesuffix(".json"))
    return {
        "@type": "cr:RecordSet",
        "@id": place,
        "name": place,
        "description": f"The {file.rows:,} rows of {file.name}; what they nest is in the file.",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{place}/{key}",
                "name": key,
                "dataType": _KINDS[kind],
                "source": {"fileObject": {"@id": file.name}, "extract": {"jsonPath": f"$[*].{key}"}},
            }
            for key, kind in _simple(file).items()
        ],
    }


def _simple(file: CorpusFile) -> dict[str, str]:
    """Return the columns of a JSON file that a path of JSONPath can name."""
    return {key: kind for key, kind in file.columns.items() if _NAME.fullmatch(key) and file.name.endswith(".json")}
