"""Small codecs between official formats and records, to see that the records can carry all five challenges.

They read and write the odd cases of the golden files beside them, not whatever a real file may hold: the
challenges' own `files.py` do that. What a record has a field for is written from that field; `source` gives
only what is no knowledge of the dialogue: key order, and spellings of one meaning.
"""
