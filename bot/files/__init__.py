"""Reads the files that people attach: pictures as they came, text and PDFs as words, and why not where it cannot.

It believes bytes and not claims, knows no platform and no model, and keeps nothing.
"""

from bot.files.opening import LARGEST, open_all, read
from bot.files.words import Content, Opened, Picture, Text, Unread

__all__ = ["LARGEST", "Content", "Opened", "Picture", "Text", "Unread", "open_all", "read"]
