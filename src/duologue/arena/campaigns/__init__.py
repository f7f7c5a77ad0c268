"""Campaigns: people rate systems by a protocol, item by item, blind, and their ratings rank the systems."""
