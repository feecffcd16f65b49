"""A system call filter without any library: no network, no new programs, no writing of files."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

from citewell.adapters.converters.sandbox.system_call_numbers import NUMBERS, Architecture

_LOAD_WORD = 0x20
_JUMP_IF_EQUAL = 0x15
_JUMP_IF_AT_LEAST = 0x35
_JUMP_IF_ANY_BIT = 0x45
_RETURN = 0x06

_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_ANSWER_ERROR = 0x00050000

_OFFSET_NUMBER = 0
_OFFSET_ARCHITECTURE = 4
_OFFSET_ARGUMENTS = 16
_X32_BIT = 0x40000000

_CLONE_THREAD = 0x00010000
_WRITING_OPEN_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_SET_MODE_FILTER = 1
_SECCOMP_FILTER_FLAG_TSYNC = 1


class _FilterProgram(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def _instruction(code: int, operand: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, operand)


def _answer(error: int) -> bytes:
    return _instruction(_RETURN, _ANSWER_ERROR | error)


def _deny(number: int, error: int = errno.EPERM) -> list[bytes]:
    return [_instruction(_JUMP_IF_EQUAL, number, if_false=1), _answer(error)]


def _decide_by_bits(number: int, *, argument: int, bits: int, deny_if_set: bool) -> list[bytes]:
    """Deny the call if any (or none) of `bits` is set in its argument; little endian only."""
    test = (
        _instruction(_JUMP_IF_ANY_BIT, bits, if_false=1)
        if deny_if_set
        else _instruction(_JUMP_IF_ANY_BIT, bits, if_true=1)
    )
    return [
        _instruction(_JUMP_IF_EQUAL, number, if_false=4),
        _instruction(_LOAD_WORD, _OFFSET_ARGUMENTS + 8 * argument),
        test,
        _answer(errno.EPERM),
        _instruction(_RETURN, _ALLOW),
    ]


def build_filter(architecture: Architecture) -> bytes:
    """Return the program: the listed calls answer an error, another ABI kills the process.

    Threads may start, processes may not: `clone` needs the thread flag, and `clone3` answers
    "unknown", after which the C library falls back to `clone`. Files can be opened for reading.
    """
    program = [
        _instruction(_LOAD_WORD, _OFFSET_ARCHITECTURE),
        _instruction(_JUMP_IF_EQUAL, architecture.audit_id, if_true=1),
        _instruction(_RETURN, _KILL_PROCESS),
        _instruction(_LOAD_WORD, _OFFSET_NUMBER),
    ]
    if architecture.has_x32:
        program += [
            _instruction(_JUMP_IF_AT_LEAST, _X32_BIT, if_false=1),
            _instruction(_RETURN, _KILL_PROCESS),
        ]
    for number in architecture.denied:
        program += _deny(number)
    program += _deny(architecture.clone3, errno.ENOSYS)
    program += _decide_by_bits(
        architecture.clone, argument=0, bits=_CLONE_THREAD, deny_if_set=False
    )
    for number, flags_argument in architecture.opening:
        program += _decide_by_bits(
            number, argument=flags_argument, bits=_WRITING_OPEN_FLAGS, deny_if_set=True
        )
    program.append(_instruction(_RETURN, _ALLOW))
    return b"".join(program)


def install_filter() -> None:
    """Filter the system calls of this process for ever, in all its threads.

    Raises:
        OSError: The kernel or the machine offers no filter.
    """
    architecture = NUMBERS.get(platform.machine())
    if architecture is None:
        raise OSError(errno.ENOSYS, f"no system call table for {platform.machine()}")
    program = build_filter(architecture)
    buffer = ctypes.create_string_buffer(program)
    description = _FilterProgram(len(program) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the kernel refused no_new_privs")
    outcome = libc.syscall(
        architecture.seccomp,
        _SECCOMP_SET_MODE_FILTER,
        _SECCOMP_FILTER_FLAG_TSYNC,
        ctypes.byref(description),
    )
    if outcome != 0:
        raise OSError(ctypes.get_errno(), "the kernel refused the system call filter")
