"""Systems for the MobileCS tracks."""
