# SPDX-License-Identifier: BSD-3-Clause
"""Bytes changed at random: a file is read, or refused with the package's own error, also where a library breaks down."""
import os
import signal
import traceback

import numpy as np

import kaname
from kaname.data import confined


def damaged(whole, rng):
    """Returns bytes that are cut off, or changed in up to eight places."""
    data = bytearray(whole)
    kind = rng.integers(4)
    if kind == 0:
        return data[:rng.integers(len(data))]
    # Headers stand at the beginning, directories of TIFF and npz at the end.
    begin, end = {1: (0, min(len(data), 600)), 2: (0, len(data)), 3: (max(0, len(data) - 900), len(data))}[int(kind)]
    for _ in range(rng.integers(1, 9)):
        data[rng.integers(begin, end)] = rng.choice([0, 1, 127, 128, 255, rng.integers(256)])
    return data


def fuzz(case, read, paths, count, apart=None, seed=0):
    """``read()`` reads ``paths[0]`` in a fork with ``count`` damages of all paths. ``apart()`` does so in a process of
    its own, for what breaks a library down."""
    rng = np.random.default_rng(seed)
    whole = {path: path.read_bytes() for path in paths}
    damages = []
    for _ in range(count):
        path = paths[rng.integers(len(paths))]
        damages.append((path, damaged(whole[path], rng)))
    ended = []
    while len(ended) < count:
        ended += _in_a_fork(read, damages[len(ended):], whole)
    broken = [k for k, code in enumerate(ended) if code < 0 and code != -signal.SIGXCPU]
    for k in broken[:1]:
        case.assertIsNotNone(apart, f"broke down by signal {-ended[k]}")
        path, data = damages[k]
        path.write_bytes(data)
        with case.assertRaisesRegex(kaname.Error, "cannot be read: the library .* broke down .signal [0-9]+.; "
                                                  "the file.* is damaged"):
            apart()
        path.write_bytes(whole[path])
    case.assertNotIn(2, ended, "another error than the package's")
    case.assertGreater(ended.count(1), count // 20)
    case.assertLess(len(broken), count // 10)


def _in_a_fork(read, damages, whole):
    """Returns what came of damages, the last one of which ended the child where it is below 0.

    0: it was read; 1: it was refused; 2: another error; below 0: a library broke down."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        confined.bound(1 << 30, seconds=20)
        for where, data in damages:
            where.write_bytes(data)
            try:
                read()
                code = b"\0"
            except kaname.Error:
                code = b"\1"
            except BaseException:  # noqa: B902
                traceback.print_exc()
                code = b"\2"
            where.write_bytes(whole[where])
            os.write(writable, code)
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as codes:
        ended = list(codes.read())
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for where, data in whole.items():
        where.write_bytes(data)
    return [*ended, code] if code else ended
