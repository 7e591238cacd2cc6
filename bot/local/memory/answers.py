"""The calls of the API that recall: context, search, ask and briefing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.local.memory import memories, parse, recall, rules

if TYPE_CHECKING:
    from bot.local.memory.call import Answer, Call
    from bot.local.memory.parse import Question
    from bot.local.memory.sources import Shown


async def _found(call: Call, question: Question) -> list[Shown]:
    found = await call.memory.database.read(lambda db: recall.context(db, call.space, question))
    return [memories.brief(shown) for shown in found]


async def context(call: Call) -> Answer:
    """Write out the memories that bear on a question."""
    question = parse.question(call.body, "question", 12)
    found = await _found(call, question)
    with_source = call.body.get("with_sources", True) is not False
    text = "\n".join(memories.line(shown, with_source=with_source) for shown in found) or rules.NOTHING_STORED
    return 200, {
        "question": question.text, "context": text, "memories": found, "used": len(found), "empty": not found,
    }  # fmt: skip


async def search(call: Call) -> Answer:
    """Rank memories for a question."""
    question = parse.question(call.body, "q", 10)
    found = await call.memory.database.read(lambda db: recall.search(db, call.space, question))
    counts = {"all": len(found)}
    answer: Shown = {
        "memories": [memories.brief(one) for one in found],
        "counts": counts,
        "total": len(found),
        "next": None,
    }
    return 200, {**answer, "lessons": [], "episodes": [], "intentions": []}


async def ask(call: Call) -> Answer:
    """Answer nothing: no model is behind this memory. What an answer could be made of is in `memories`."""
    question = parse.question(call.body, "question", 12)
    found = await _found(call, question)
    sentence = "The local memory finds what was said but writes no answers. Read the memories."
    message = sentence if found else rules.NOTHING_STORED
    return 200, {"question": question.text, "answer": None, "message": message, "memories": found, "clash": False}


async def briefing(call: Call) -> Answer:
    """Write out what a moment needs: what bears on the cue, then the newest."""
    least, most = rules.BUDGET_CHARACTERS
    budget = max(least, parse.whole(call.body.get("budget_chars", 6000), "budget_chars", 0, most))
    cue = parse.question(call.body, "cue", 12) if str(call.body.get("cue") or "").strip() else None
    text, used = "", list[dict[str, object]]()
    if not call.memory.faults.empty_briefing:
        text, used = await call.memory.database.read(lambda db: recall.briefing(db, call.space, cue, budget))
    nothing: Shown = {"now": None, "due": [], "lessons": [], "episodes": []}
    found = [memories.brief(shown) for shown in used]
    project = call.body.get("project")
    named = parse.clean(project) if isinstance(project, str) else None
    return 200, {"project": named, "briefing": text, "memories": found, **nothing}
