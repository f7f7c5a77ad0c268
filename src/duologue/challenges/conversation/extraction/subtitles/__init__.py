"""OpenSubtitles: from an archive of XML files to pairs of sentences (specification, sections 5 and 6)."""
