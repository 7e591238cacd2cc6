"""Answers of every odd shape reach the reader whole: rendered where Slack takes it, plain where it does not."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from adapters.slack.output import inert, steady, whole
from tests.fakes.slack import DM, PUBLIC, FakeSlack
from tests.slack.test_long_answers import TABLE
from tests.slack.test_output import PINGS, live
from tests.slack.test_replies import SENTENCE, pace, question
from tests.slack.test_streams import FOOT, asked

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform

SHAPES = {
    "wide table": f"|{'c|' * 30}\n|{'---|' * 30}\n|{'1|' * 30}",
    "long table": "| a | b |\n|---|---|\n" + "".join(f"| {n} | x |\n" for n in range(150)),
    "sixty tables": TABLE * 60,
    "huge code": "```python\n" + "print('hello')\n" * 2_000 + "```",
    "code that never ends": "Look:\n```\n" + "x = 1\n" * 3_000,
    "right to left": "مرحبا بك في المطبخ. " * 900,
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈🇧🇷 " * 1_500,
    "null characters": "a\0b\x07c " * 100,
    "one line": "x" * 20_000,
    "one line of words": "word " * 4_000,
    "one line of entities": "&lt;!here&gt;" * 2_000,
    "nested fences": "````md\n```py\nx\n```\n````\n" * 600,
    "quotes and lists": "> - 1. **a** _b_ ~c~\n" * 900,
    "blank": "\n\n  \n" * 10 + "after all",
    "crlf": "one\r\n\r\ntwo\r\n" * 1_000,
}


def bare(text: str) -> str:
    """A text without what is broken, taken out or opened and closed again on its way."""
    text = inert(text).replace("\u200b", "")
    return "".join(word for word in text.split() if not word.startswith(("```", "~~~")))


@pytest.mark.case("S38", "S39", "S40", "S41", "S43")
@pytest.mark.parametrize("channel", [PUBLIC, DM])
@pytest.mark.parametrize("shape", SHAPES)
async def test_every_shape_arrives_whole_and_in_order(
    platform: SlackPlatform, slack: FakeSlack, shape: str, channel: str
) -> None:
    pace(platform)
    text = SHAPES[shape]
    slack.update_limit, slack.most_tables = 4_000, 50
    reply = await platform.start_reply(asked() if channel == DM else question())
    for part in (1, 2, 3):
        reply = await platform.update_reply(reply, text[: len(text) * part // 4])
    done = await platform.finish_reply(reply, text, actions=FOOT)
    shown = "".join(slack.texts(channel))
    assert bare(shown) == bare(text)
    assert [ts for _, ts in sorted(slack.messages)] == list(done.ids)
    assert not any(live(one) for one in slack.texts(channel))
    assert slack.streams.open() == []


@pytest.mark.case("S40")
async def test_a_table_a_list_and_code_are_rendered_as_they_were_written(
    platform: SlackPlatform, slack: FakeSlack
) -> None:
    text = f"# Tea\n\n{TABLE}- one\n- two\n\n```python\nprint('a | b')\n```\n\n[more](https://example.com/@x)"
    await platform.finish_reply(await platform.start_reply(question()), text)
    [post] = slack.called("chat.postMessage")
    assert post["blocks"] == [{"type": "markdown", "text": text}]


@pytest.mark.case("S44")
async def test_however_a_text_grows_it_arrives_once_and_pings_nobody(platform: SlackPlatform, slack: FakeSlack) -> None:
    pace(platform)
    dice = random.Random(3)  # noqa: S311 - the same dice at each run
    parts = [*PINGS, "word ", "你好", "\n\n", "```\n", " <", "@", "&lt;", "`x`", "https://x.io/@here ", SENTENCE * 30]
    for _ in range(25):
        slack.messages.clear()
        text = SENTENCE + "".join(dice.choices(parts, k=dice.randint(1, 60)))
        reply = await platform.start_reply(asked())
        for end in sorted(dice.sample(range(len(text) + 1), k=min(12, len(text)))):
            reply = await platform.update_reply(reply, text[:end])
            assert not any(live(one) for one in slack.texts(DM))
        await platform.finish_reply(reply, text)
        assert bare("".join(slack.texts(DM))) == bare(text)
        assert not any(live(one) for one in slack.texts(DM))


def test_what_is_steady_is_the_start_of_the_whole() -> None:
    dice = random.Random(5)  # noqa: S311 - the same dice at each run
    parts = [*PINGS[:6], "word ", "你好", "\n", "`x` ", "a < b ", "List<String> ", "https://x.io/@here ", "x@y.org "]
    for _ in range(300):
        text = "".join(dice.choices(parts, k=8))
        for end in range(len(text)):
            assert whole(text).startswith(steady(text[:end])), (text, text[:end])


def test_what_is_steady_is_not_far_behind() -> None:
    for text in (SENTENCE * 3, "if a < b: return c", "see List<String> here", "你好" * 20, "a <!-- note --> b c"):
        assert len(whole(text)) - len(steady(text)) < 10
