"""Knowledge bases and graphs: facts indexed by subject, relation and object."""
