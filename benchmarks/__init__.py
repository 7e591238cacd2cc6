"""Measurements against a bare Bolt handler in the same run. Never a timed test."""
