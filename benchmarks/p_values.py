"""P-values as the pages print them."""


def p_value(p: float) -> str:
    """Return a p-value with four places; what they would show as nothing is below the smallest that they show.

    >>> p_value(0.04123), p_value(0.00004)
    ('0.0412', '<0.0001')
    """
    return "<0.0001" if p < 0.00005 else f"{p:.4f}"
