"""What a model writes, made harmless, and panels within Block Kit's limits."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.slack.output import glimpse, halves, inert, pieces, plain_body, plain_pieces, plain_text, rich_body
from adapters.slack.panel import panel_bodies
from adapters.slack.words import readable
from bot.chat import Action, Item, Panel
from tests.fakes.slack import ANA, PUBLIC, FakeSlack
from tests.fakes.slack_limits import refusal
from tests.slack.test_replies import pace, question

if TYPE_CHECKING:
    from adapters.slack import SlackPlatform

PINGS = ["<!channel>", "<!here>", "<!everyone>", "<!subteam^S012|@team>", "<!subteam^S012>", "<!here|here>"]
PINGS += ["<@U0123456|" + "a" * 81 + ">", "<@U012ABC|a&b>", "<@U012ABC|a|b>", "<@U012ABC|a\nb>", "<#C012ABC|x\ny>"]
PINGS += [
    "<!here|" + "a" * 81 + ">",
    "<\\!channel>",
    "&#60;!channel&#62;",
    "&#64;channel",
    "<&#33;here>",
    "&#x3C;@U012ABC>",
]
PINGS += ["<@U012ABC|x @here>", "<@", "<!", "<#", "<@channel>", "<!subteam", "< @U012ABC>"]
PINGS += ["@channel", "@here", "@everyone", "<@U012ABC>", "<@U012ABC|ana>", "<! channel >", "<!HERE>", "@Channel"]
_OPEN = r"(?:<|&lt;|&#60;|&#x3c;)"
_LIVE = re.compile(rf"(?i){_OPEN}[\s\\]*(?:!|&#33;|@(?!\u200b)|#)(?!--|doctype|\[cdata)")
_LIVE_CROWD = re.compile(r"(?i)(?<![\w/.])(?:@|&#64;)(?:channel|here|everyone)\b")


def live(text: str) -> bool:
    return bool(_LIVE.search(text) or _LIVE_CROWD.search(text))


@pytest.mark.case("S44")
@pytest.mark.parametrize("ping", PINGS)
@pytest.mark.parametrize("around", ["{}", "Hello {} there", "`{}`", "```\n{}\n```", "**{}**", "a {}{}", "&lt;{}&gt;"])
def test_s44_no_crowd_is_pinged_wherever_the_words_stand(ping: str, around: str) -> None:
    assert live(ping)
    assert not live(inert(around.replace("{}", ping)))


@pytest.mark.case("S44")
def test_s44_entities_do_not_bring_a_ping_back() -> None:
    assert inert("&lt;!channel&gt;") == "@\u200bchannel"
    assert not live(inert("<!chan<!channel>nel> <<!here>!here>"))


@pytest.mark.case("S44")
@given(
    st.lists(st.sampled_from([*PINGS, "<", ">", "!", "@", " ", "`", "|", "x", "https://x.io/", "\n", "&lt;"])).map(
        "".join
    )
)
def test_s44_no_mixture_brings_a_ping_back(text: str) -> None:
    assert not live(inert(text))
    assert inert(inert(text)) == inert(text)


@pytest.mark.parametrize(
    "text",
    [
        "~~~" + "a" * 100_000 + "`",
        "<" * 100_000,
        "<" + " " * 100_000,
        "<! " * 30_000,
        "<!subteam^" + "A" * 100_000 + "_",
        "<@U" + "A" * 100_000,
        "<@U012|" * 15_000,
        "&lt;&#0" + "0" * 100_000,
        "https://" + "@here" * 20_000,
        "\\" * 100_000,
    ],
    ids=range(10),
)
def test_nasty_texts_take_no_time(text: str) -> None:
    started = time.perf_counter()
    pieces(text)
    glimpse(text)
    readable(text)
    assert time.perf_counter() - started < 5


def test_half_a_character_of_a_model_is_replaced() -> None:
    assert pieces("so \ud83d it is \ud83d\ude00") == ["so \ufffd it is 😀"]
    assert glimpse("so \ud83d") == "so \ufffd"


@pytest.mark.case("S45")
@pytest.mark.parametrize(
    "text",
    [
        "`npm i @vercel/postgres`",
        "https://example.com/@jk and https://example.com/@here",
        "write to ana@here.com or team@channel.org",
        "<!DOCTYPE html> <!-- here -->",
        "a < b > c & d @ana @hereafter",
        "<!doctype html><![CDATA[x]]> <https://x.io|x> #5 ! <b> List<String>",
    ],
)
def test_s45_addresses_packages_and_code_stay_as_they_are(text: str) -> None:
    assert inert(text) == text


@pytest.mark.case("S44")
@pytest.mark.parametrize("limit", [1_000, 3_000, 3_500, 11_800])
def test_s44_no_cut_makes_a_mention_of_what_was_none(limit: int) -> None:
    for before in range(12):
        text = "x" * (limit - before) + "x@here/" + "y" * 50
        for made in (pieces(text), plain_pieces(text), [glimpse(text)], [plain_text(text)], halves(text * 2)):
            assert not any(live(piece) for piece in made)


@pytest.mark.case("S44")
async def test_s44_posts_edits_and_every_piece_are_harmless(platform: SlackPlatform, slack: FakeSlack) -> None:
    pace(platform)
    text = "Well <!channel> and @here and <!subteam^S1|@team> say so. "
    reply = await platform.start_reply(question())
    for end in range(10, len(text) * 2):  # also cut anywhere
        reply = await platform.update_reply(reply, (text * 2)[:end])
    await platform.finish_reply(reply, text * 300)
    for method in ("chat.postMessage", "chat.update"):
        sent = slack.called(method)
        assert sent
        assert not any(live(str(call["blocks"])) or live(call["text"]) for call in sent)
    assert len(slack.texts(PUBLIC)) > 1


def test_the_text_for_notifications_is_escaped_and_short() -> None:
    body = rich_body("a <b> & c " * 1000)
    assert str(body["text"]).startswith("a &lt;b&gt; &amp; c")
    assert len(str(body["text"])) < 6_000
    assert plain_body("<x>")["text"] == "&lt;x&gt;"
    assert glimpse("  ") == ""
    assert pieces("") == []


_texts = st.text(alphabet="ab <>&@\n*`", max_size=60) | st.builds(lambda n: "word " * n, st.integers(0, 3_000))
_actions = st.builds(Action, st.text(min_size=1, max_size=120), st.just("memory"), st.text(max_size=30), st.booleans())
_items = st.builds(Item, _texts, _texts, st.lists(_actions, max_size=4).map(tuple))
_panels = st.builds(Panel, _texts, st.lists(_items, max_size=40).map(tuple), st.lists(_actions, max_size=40).map(tuple))


@given(_panels)
def test_every_panel_is_within_the_limits_of_block_kit(panel: Panel) -> None:
    bodies = panel_bodies(panel)
    assert 1 <= len(bodies) <= 5
    assert [refusal(body) for body in bodies] == [""] * len(bodies)
    buttons = [button for body in bodies for button in _buttons(body)]
    ends = [button for button in buttons if ".end-" in button["action_id"]]
    assert len(ends) == len(panel.actions)


def _buttons(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [button for block in body["blocks"] if block["type"] == "actions" for button in block["elements"]]


def test_a_panel_that_is_far_too_long_says_so() -> None:
    bodies = panel_bodies(Panel("All", tuple(Item(f"fact {number}", "note") for number in range(500))))
    assert len(bodies) == 5
    assert "more than fits" in str(bodies[-1])


def test_a_persons_own_words_are_shown_letter_by_letter() -> None:
    [body] = panel_bodies(Panel("", (Item(f"I like <@{ANA}> and *stars* <!here>"),)))
    assert body["blocks"] == [
        {
            "type": "section",
            "text": {"type": "plain_text", "text": f"I like <@{ANA}> and *stars* <!here>", "emoji": False},
        }
    ]


def test_a_button_that_cannot_carry_its_argument_is_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        panel_bodies(Panel("x", actions=(Action("x", "memory", "a" * 2_001),)))
