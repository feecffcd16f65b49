"""Confine what a process can see of the file system to the folders that its code lies in."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Sequence
from pathlib import Path

# The numbers are the same on every architecture (generic system call table).
_CREATE_RULESET = 444
_ADD_RULE = 445
_RESTRICT_SELF = 446
_VERSION_FLAG = 1
_RULE_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
_RIGHTS_OF_VERSION_1 = (1 << 13) - 1
_REFER, _TRUNCATE, _DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
_ALL_NETWORK_RIGHTS = 3
_ALL_SCOPES = 3


def _rights(version: int) -> int:
    rights = _RIGHTS_OF_VERSION_1
    rights |= _REFER if version >= 2 else 0
    rights |= _TRUNCATE if version >= 3 else 0
    rights |= _DEVICE_CONTROL if version >= 5 else 0
    return rights


def _ruleset_attributes(version: int) -> bytes:
    network = _ALL_NETWORK_RIGHTS if version >= 4 else 0
    scopes = _ALL_SCOPES if version >= 6 else 0
    length = 8 if version < 4 else 16 if version < 6 else 24
    return struct.pack("QQQ", _rights(version), network, scopes)[:length]


def confine_to_reading(paths: Sequence[str]) -> int:
    """Allow this process to read below `paths` and nothing else on disk, for ever.

    Args:
        paths: Files and folders; missing ones are ignored.

    Returns:
        The Landlock version of the kernel.

    Raises:
        OSError: The kernel offers no Landlock.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def call(what: str, *arguments: object) -> int:
        outcome = int(libc.syscall(*arguments))
        if outcome < 0:
            raise OSError(ctypes.get_errno(), f"landlock {what} was refused")
        return outcome

    version = call("version", _CREATE_RULESET, None, 0, _VERSION_FLAG)
    attributes = _ruleset_attributes(version)
    ruleset = call("ruleset", _CREATE_RULESET, attributes, len(attributes), 0)
    try:
        for path in paths:
            if not Path(path).exists():
                continue
            rights = _READ_FILE | _EXECUTE | (_READ_FOLDER if Path(path).is_dir() else 0)
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            try:
                rule = struct.pack("=Qi", rights, descriptor)
                call("rule", _ADD_RULE, ruleset, _RULE_PATH_BENEATH, rule, 0)
            finally:
                os.close(descriptor)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "the kernel refused no_new_privs")
        call("restriction", _RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)
    return version
