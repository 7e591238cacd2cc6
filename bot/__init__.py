"""Keepsake: a chat bot that remembers each person it talks to, and forgets when asked."""
