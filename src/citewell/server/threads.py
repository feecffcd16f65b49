"""Threads for what blocks: questions use those of the event loop, all that is quick its own."""

from __future__ import annotations

import asyncio
import contextvars
import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

_Result = TypeVar("_Result")
_Arguments = ParamSpec("_Arguments")

_QUICK = ThreadPoolExecutor(4, thread_name_prefix="quick")
"""For credentials, health and what is read of the catalog: these never wait for searches."""


async def in_thread(
    function: Callable[_Arguments, _Result],
    *arguments: _Arguments.args,
    **named: _Arguments.kwargs,
) -> _Result:
    """Call something that takes some milliseconds, without blocking the event loop."""
    context = contextvars.copy_context()
    call = functools.partial(context.run, function, *arguments, **named)
    return await asyncio.get_running_loop().run_in_executor(_QUICK, call)
