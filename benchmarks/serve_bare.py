"""Serves the bare handler with the same settings that the bot reads."""

from __future__ import annotations

import asyncio
import os

import aiohttp
import uvicorn

from benchmarks.bare_bolt import bare_app


async def main() -> None:
    """Serve on PORT until killed."""
    async with aiohttp.ClientSession() as session:
        app = bare_app(
            bot_token=os.environ["SLACK_BOT_TOKEN"],
            signing_secret=os.environ["SLACK_SIGNING_SECRET"],
            api_url=os.environ["SLACK_API_URL"],
            model_url=os.environ["OPENAI_BASE_URL"],
            session=session,
        )
        config = uvicorn.Config(app, port=int(os.environ["PORT"]), log_level="warning")
        await uvicorn.Server(config).serve()


if __name__ == "__main__":
    asyncio.run(main())
