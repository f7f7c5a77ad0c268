"""A small Twitter on this machine: a real HTTP server with both interfaces, for tests of the collector."""
