"""The published baseline's logic with small trained parts: `coreference`, `alignment` (specification, section 7).

The published program has four BERT models; here two taggers over characters and two small scorers are trained from
scratch, or both taggers fine-tune a BERT (`encoder`). The logic is theirs, and with `turns = "annotated"` so is the
rule of training.
"""
