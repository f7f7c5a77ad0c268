"""Server of the Model Context Protocol: an assistant lists, checks, scores, compares and shows, in one folder alone."""
