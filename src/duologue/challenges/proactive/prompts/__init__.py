"""Prompts for chat models: as the agent who leads, and as the person who is led."""
