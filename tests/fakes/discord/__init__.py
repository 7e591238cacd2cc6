"""A Discord on loopback: REST and gateway, behind the real discord.py."""

from tests.fakes.discord.channels import Call
from tests.fakes.discord.payloads import APPLICATION, BOT
from tests.fakes.discord.server import Failure, FakeDiscord

__all__ = ["APPLICATION", "BOT", "Call", "Failure", "FakeDiscord"]
