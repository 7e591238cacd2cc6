"""What both platforms do with text, whatever it says: split it, and tell a person's own words and names apart.

Pure. It refuses to know of any platform's ids or markup of its own.
"""

from adapters.text.splitting import split
from adapters.text.words import own_words, plain_name, well_formed

__all__ = ("own_words", "plain_name", "split", "well_formed")
