"""What the operator can set: in the environment, in `.env` and on the command line, each read once.

Anything missing or wrong is one sentence that names it and says what to do; a value is never repeated in it, because a
secret may have landed in the wrong place. Refuses set-ups that would lose memory.
"""

from bot.settings.arguments import Arguments, nothing_to_do, read_arguments
from bot.settings.envfile import slips
from bot.settings.fields import Settings, SettingsError
from bot.settings.machine import DATABASE, MEMORY, listening, only_one, opening
from bot.settings.read import read_settings, refuse_memory_loss

__all__ = (
    "DATABASE",
    "MEMORY",
    "Arguments",
    "Settings",
    "SettingsError",
    "listening",
    "nothing_to_do",
    "only_one",
    "opening",
    "read_arguments",
    "read_settings",
    "refuse_memory_loss",
    "slips",
)
