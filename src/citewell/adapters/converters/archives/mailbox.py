"""Messages of an mbox file."""

from __future__ import annotations

import re
from collections.abc import Iterator

from citewell.adapters.converters.archives.budget import UnpackingBudget
from citewell.adapters.converters.archives.member import Member
from citewell.adapters.converters.archives.member_names import unread_rest
from citewell.domain.document import FailedMember

_SEPARATOR = re.compile(rb"^From [^\r\n]*\r?\n", re.MULTILINE)
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)


def read_mailbox(data: bytes, budget: UnpackingBudget) -> Iterator[Member | FailedMember]:
    """Yield each message as an `.eml` member, numbered from 1."""
    messages = [message for message in _SEPARATOR.split(data) if message.strip()]
    for number, message in enumerate(messages, 1):
        if not budget.has_room_for_member():
            yield unread_rest(len(messages) - number + 1, budget.limits.max_members)
            return
        yield Member(f"message-{number}.eml", _QUOTED_FROM.sub(rb"\1", message))
