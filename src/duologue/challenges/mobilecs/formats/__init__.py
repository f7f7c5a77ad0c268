"""MobileCS files of both tracks: reading, writing, problems and conversion."""
