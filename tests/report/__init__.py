"""Tests of the report package."""
