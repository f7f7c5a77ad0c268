"""Character tagger that the extraction systems share: documents, label layers, network, decoding of spans."""
