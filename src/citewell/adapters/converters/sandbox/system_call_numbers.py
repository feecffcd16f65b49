"""Numbers of the system calls that a worker does not need (Linux `asm/unistd.h`)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Architecture:
    """What the filter needs to know about a machine.

    Attributes:
        audit_id: How the kernel names the ABI.
        has_x32: A second ABI shares the numbers, with one more bit.
        seccomp: The call that installs the filter.
        clone: Starts threads and processes.
        clone3: The same, with its flags out of the filter's sight.
        opening: Calls that open files: number and which argument holds the flags.
        denied: Calls that answer "not permitted".
    """

    audit_id: int
    has_x32: bool
    seccomp: int
    clone: int
    clone3: int
    opening: tuple[tuple[int, int], ...]
    denied: tuple[int, ...]


_X86_64_NETWORK = (41, 42, 43, 44, 46, 47, 49, 50, 53, 288, 299, 307, 425)
_AARCH64_NETWORK = (198, 199, 200, 201, 202, 203, 206, 211, 212, 242, 243, 269, 425)
# socket, socketpair, connect, accept(4), send*/recv*msg, bind, listen, io_uring_setup

_X86_64_PROCESSES = (57, 58, 59, 62, 101, 129, 200, 234, 272, 297, 308, 310, 311, 312, 322)
_AARCH64_PROCESSES = (97, 117, 129, 130, 131, 138, 221, 240, 268, 270, 271, 272, 281)
# fork, vfork, exec*, kill, tkill, tgkill, *sigqueueinfo, ptrace, process_vm_*, kcmp, unshare, setns

_PIDFD = (424, 434, 438)
_MOUNTS = (428, 429, 430, 431, 432, 442, 437)
# open_tree, move_mount, fsopen, fsconfig, fsmount, mount_setattr; openat2 hides its flags

_X86_64_SYSTEM = (
    *(141, 142, 144, 155, 161, 163, 165, 166, 167, 168, 169, 175, 176),
    *(246, 248, 249, 250, 298, 302, 304, 313, 314, 320, 321, 323),
)
_AARCH64_SYSTEM = (
    *(39, 40, 41, 51, 89, 104, 105, 106, 118, 119, 140, 142, 217, 218, 219),
    *(224, 225, 241, 261, 265, 273, 274, 280, 282, 294),
)
# priorities and rlimits, mounts, chroot, modules, kexec, keys, perf, bpf, userfaultfd, reboot

_X86_64_FILES = (
    *(76, 77, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 133, 188, 189, 190),
    *(258, 259, 260, 263, 264, 265, 266, 268, 280, 316),
)
_AARCH64_FILES = (5, 6, 7, 33, 34, 35, 36, 37, 38, 45, 46, 52, 53, 54, 55, 88, 276)
# truncate, rename, mkdir, rmdir, creat, link, unlink, symlink, chmod, chown, mknod, *xattr

_X86_64_SHARED = (29, 64, 68, 240)
_AARCH64_SHARED = (180, 186, 190, 194)
# shared memory, semaphores and message queues of other processes

NUMBERS = {
    "x86_64": Architecture(
        audit_id=0xC000003E,
        has_x32=True,
        seccomp=317,
        clone=56,
        clone3=435,
        opening=((2, 1), (257, 2)),
        denied=(
            *_X86_64_NETWORK,
            *_X86_64_PROCESSES,
            *_PIDFD,
            *_MOUNTS,
            *_X86_64_SYSTEM,
            *_X86_64_FILES,
            *_X86_64_SHARED,
        ),
    ),
    "aarch64": Architecture(
        audit_id=0xC00000B7,
        has_x32=False,
        seccomp=277,
        clone=220,
        clone3=435,
        opening=((56, 2),),
        denied=(
            *_AARCH64_NETWORK,
            *_AARCH64_PROCESSES,
            *_PIDFD,
            *_MOUNTS,
            *_AARCH64_SYSTEM,
            *_AARCH64_FILES,
            *_AARCH64_SHARED,
        ),
    ),
}
