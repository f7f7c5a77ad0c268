"""System `endpoint`: any chat model behind an OpenAI-compatible server."""
