"""Slack, over HTTP or Socket Mode: people's words in, answers out. The Slack SDK is imported nowhere else."""

from adapters.slack.platform import SlackPlatform

__all__ = ["SlackPlatform"]
