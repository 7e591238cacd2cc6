"""The one logger the Slack SDKs get: they log whole bodies, tokens and answers, so none of their words gets out."""

from __future__ import annotations

import logging

_NAME = "adapters.slack.sdk"


class _ShortFacts(logging.Filter):
    """Replaces what an SDK wanted to log by where it happened and the class of the error."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Let warnings and errors pass, without any of their words."""
        # Bolt warns that it does not use the token it finds in the environment: that is how it is meant to be.
        if record.levelno < logging.WARNING or (record.module, record.funcName) == ("async_app", "__init__"):
            return False
        error = record.exc_info[0] if record.exc_info else None
        record.msg = "Slack SDK: %s.%s reported %s"
        record.args = (record.module, record.funcName, error.__name__ if error else "a problem")
        record.exc_info = record.exc_text = record.stack_info = None
        return True


def sdk_logger() -> logging.Logger:
    """The logger to hand to every SDK object; its level and filter are copied by Bolt to Bolt's own loggers."""
    logger = logging.getLogger(_NAME)
    logger.setLevel(logging.WARNING)
    if not logger.filters:
        logger.addFilter(_ShortFacts())
    return logger
