# SPDX-License-Identifier: BSD-3-Clause
"""CRC-32C (Castagnoli) of chunks, by lanes: each a column of bytes, all at once in numpy."""
from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]

_POLYNOMIAL = 0x82F63B78
_LANES = 2048


def _table() -> Words:
    values = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        values = np.where(values & 1, (values >> 1) ^ np.uint32(_POLYNOMIAL), values >> 1)
    return values.astype(np.uint32)


_TABLE = _table()


@functools.lru_cache(maxsize=64)
def _after_zeros(count: int) -> Words:
    """[4][256]: what each byte of a CRC becomes behind ``count`` zero bytes; it is linear."""
    basis = np.uint32(1) << np.arange(32, dtype=np.uint32)
    if count % 2 or count <= 1:
        for _ in range(count):
            basis = _TABLE[basis & 0xFF] ^ (basis >> np.uint32(8))
    else:
        basis = _advance(_advance(basis, count // 2), count // 2)
    bits = (np.arange(256)[:, None] >> np.arange(8)[None, :]) & 1
    tables = [np.bitwise_xor.reduce(np.where(bits == 1, basis[8 * k:8 * k + 8], 0), axis=1)
              for k in range(4)]
    return np.array(tables, dtype=np.uint32)


def _advance(crc: Words, count: int) -> Words:
    table = _after_zeros(count)
    result: Words = table[0][crc & 0xFF]
    for k in (1, 2, 3):
        result = result ^ table[k][(crc >> np.uint32(8 * k)) & 0xFF]
    return result


def crc32c(data: bytes | memoryview) -> int:
    """CRC-32C of the bytes; ``crc32c(b"123456789") == 0xE3069283``."""
    length = len(data)
    if length == 0:
        return 0
    lanes = 1
    while lanes < _LANES and length >= 64 * lanes:
        lanes *= 2
    width = -(-length // lanes)
    # Zeros before the first byte change nothing in a CRC that begins with 0.
    padded: npt.NDArray[Any] = np.zeros(lanes * width, dtype=np.uint8)
    padded[lanes * width - length:] = np.frombuffer(data, dtype=np.uint8)
    crc = np.zeros(lanes, dtype=np.uint32)
    for column in np.ascontiguousarray(padded.reshape(lanes, width).T):
        crc = _TABLE[(crc ^ column) & 0xFF] ^ (crc >> np.uint32(8))
    while crc.size > 1:
        crc = _advance(crc[0::2], width) ^ crc[1::2]
        width *= 2
    # The CRC begins with ones: their part is that of `length` zero bytes behind them.
    ones = _advance_any(np.array([0xFFFFFFFF], dtype=np.uint32), length)
    return int(crc[0] ^ ones[0] ^ np.uint32(0xFFFFFFFF))


def _advance_any(crc: Words, count: int) -> Words:
    bit = 0
    while count >> bit:
        if (count >> bit) & 1:
            crc = _advance(crc, 1 << bit)
        bit += 1
    return crc
