"""The calls of the API that keep, show and erase, and the table of all, from a parsed request to an answer."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.local.memory import additions, answers, memories, parse, rules, sources, spaces
from bot.local.memory.rules import Refused

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.local.memory.call import Answer, Call

_LOOK_EVERY = 0.25
"""Seconds between looks while an answer is held: another process may do the learning."""


async def add(call: Call) -> Answer:
    """Keep one note or conversation, to be learned."""
    read = additions.addition(call.body)
    source = await call.memory.database.write(lambda db: sources.save(db, call.space, read, call.memory.terms))
    call.memory.wake()
    return 201, {"source": source}


async def add_batch(call: Call) -> Answer:
    """Keep many, each on its own: one that is refused does not hold up the others."""
    items = call.body.get("items")
    if not isinstance(items, list) or not 0 < len(items) <= rules.BATCH_ITEMS:
        raise parse.invalid(f"items is a list of 1 to {rules.BATCH_ITEMS} notes and conversations.")
    results = [{"index": place, **await _add_item(call, item)} for place, item in enumerate(items)]
    call.memory.wake()
    failed = sum(result["error"] is not None for result in results)
    return 202, {"results": results, "added": len(results) - failed, "failed": failed}


async def _add_item(call: Call, item: object) -> dict[str, object]:
    try:
        if not isinstance(item, dict):
            raise parse.invalid("Each item is an object.")
        space = call.space if item.get("space") is None else parse.space_name(item["space"])
        read = additions.addition(item)
        source = await call.memory.database.write(lambda db: sources.save(db, space, read, call.memory.terms))
    except Refused as refused:
        return {"source": None, "error": refused.body}
    return {"source": source, "error": None}


async def no_files(_: Call) -> Answer:
    """Say honestly that files are not read here."""
    raise parse.invalid(additions.NO_LINKS)


async def list_memories(call: Call) -> Answer:
    """List memories, newest first."""
    page = parse.page(call.request.query_params, call.labels, 50)
    return 200, await call.memory.database.read(lambda db: memories.page(db, call.space, page))


async def get_memory(call: Call) -> Answer:
    """Show one memory with its history."""
    memory = call.memory_id
    return 200, await call.memory.database.read(lambda db: memories.get(db, call.space, memory))


async def correct(call: Call) -> Answer:
    """Put a right text in the place of a memory."""
    memory, text = call.memory_id, parse.text(call.body.get("text"), "text", rules.CORRECTION_CHARACTERS)
    terms = call.memory.terms
    answer = await call.memory.database.write(lambda db: memories.correct(db, call.space, memory, text, terms))
    call.memory.wake()
    return 200, answer


async def delete_memory(call: Call) -> Answer:
    """Delete one memory; like all that is deleted it leaves the file within seconds."""
    memory = call.memory_id
    return 200, await call.memory.database.write(lambda db: memories.delete(db, call.space, memory))


async def list_sources(call: Call) -> Answer:
    """List sources, newest first, or the one of an external_id."""
    if "external_id" in call.request.query_params:
        external_id = additions.own_id(call.request.query_params["external_id"])
        return 200, await call.memory.database.read(lambda db: sources.by_external_id(db, call.space, external_id))
    page = parse.page(call.request.query_params, call.labels, 100)
    return 200, await call.memory.database.read(lambda db: sources.page(db, call.space, page))


async def get_source(call: Call) -> Answer:
    """Show a source; held back until it is learned or failed, up to `wait` seconds."""
    source_id, loop = call.id, asyncio.get_running_loop()
    ends = loop.time() + parse.hold(call.request.query_params.get("wait"))
    while True:
        source = await call.memory.database.read(lambda db: sources.get(db, call.space, source_id))
        left = ends - loop.time()
        if source["status"] in {"learned", "failed"} or left <= 0 or call.memory.closing.is_set():
            return 200, {"source": source}
        await call.memory.change(min(left, _LOOK_EVERY))


async def delete_source(call: Call) -> Answer:
    """Delete a source by its id."""
    source_id = call.id
    return 200, await call.memory.database.write(lambda db: sources.delete(db, call.space, source_id))


async def delete_sources(call: Call) -> Answer:
    """Delete the source of an external_id, or those with labels. Without either it is refused: never all."""
    labels, query = parse.label_query(call.labels), call.request.query_params
    if (labels is None) == ("external_id" not in query):
        raise parse.invalid("Name the sources to delete by external_id or by label=name:value, one of the two.")
    if labels is not None:
        gone = await call.memory.database.write(lambda db: sources.delete_labelled(db, call.space, labels))
    else:
        external_id = additions.own_id(query["external_id"])
        gone = await call.memory.database.write(lambda db: sources.delete_external(db, call.space, external_id))
    return 200, gone


async def list_spaces(call: Call) -> Answer:
    """List the spaces that have anything in them."""
    return 200, await call.memory.database.read(spaces.listing)


async def forget_space(call: Call) -> Answer:
    """Forget a space, from the file too before it is answered. One that is not there is forgotten already."""
    name = parse.space_name(call.name)
    removed = await call.memory.database.write(lambda db: spaces.forget(db, name))
    await call.memory.database.scrub()
    return 200, {"space": name, "erased": True, "sources_removed": removed}


async def export(call: Call) -> Answer:
    """Give a person's own copy."""
    return 200, await call.memory.database.read(lambda db: memories.export(db, call.space))


async def me(call: Call) -> Answer:
    """Say whose key it is."""
    return 200, {"name": "local", "memory": "local", "space": call.space or None}


async def usage(_: Call) -> Answer:
    """Say that nothing is counted here."""
    return 200, {"plan": "local", "period": None, "tokens": 0, "answers": 0, "state": "ok"}


def _none_of(what: str) -> Callable[[Call], Awaitable[Answer]]:
    async def none(_: Call) -> Answer:
        return 200, {what: []}

    return none


ROUTES: tuple[tuple[str, str, Callable[[Call], Awaitable[Answer]]], ...] = (
    ("POST", "/v1/memories", add), ("POST", "/v1/memories/batch", add_batch), ("POST", "/v1/memories/file", no_files),
    ("GET", "/v1/memories", list_memories), ("GET", "/v1/memories/{id:path}", get_memory),
    ("PATCH", "/v1/memories/{id:path}", correct), ("DELETE", "/v1/memories/{id:path}", delete_memory),
    ("POST", "/v1/context", answers.context), ("POST", "/v1/search", answers.search), ("POST", "/v1/ask", answers.ask),
    ("POST", "/v1/briefing", answers.briefing),
    ("GET", "/v1/sources", list_sources), ("GET", "/v1/sources/{id:path}", get_source),
    ("DELETE", "/v1/sources/{id:path}", delete_source), ("DELETE", "/v1/sources", delete_sources),
    ("GET", "/v1/spaces", list_spaces), ("DELETE", "/v1/spaces/{name:path}", forget_space),
    ("GET", "/v1/export", export), ("GET", "/v1/me", me), ("GET", "/v1/usage", usage),
    *(("GET", f"/v1/{what}", _none_of(what)) for what in ("now", "episodes", "lessons", "intentions")),
    *((method, "/v1/files", no_files) for method in ("GET", "PUT", "POST", "DELETE")),
)  # fmt: skip
