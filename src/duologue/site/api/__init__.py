"""The JSON API of the site: below `/api/v1`, with a token, described by `/api/v1/openapi.json`."""
