"""Systems that answer: they learn from dialogue text what customer service says next."""
