"""The agent factory: one fresh AutoGen agent for each message, and the clients of the models behind it.

It takes plain values and `bot.chat`'s words, and refuses to know of settings, stores or platforms.
"""

from bot.agent.answers import Draft, ModelFailed
from bot.agent.factory import Agents
from bot.agent.models import model_client, quiet_logging

__all__ = ["Agents", "Draft", "ModelFailed", "model_client", "quiet_logging"]
