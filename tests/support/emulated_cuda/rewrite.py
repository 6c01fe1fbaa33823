#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rewrites CUDA sources as C++ for emulator.cuh: launches, shared memory, attributes of kernels.

Usage: rewrite.py SOURCE_DIR OUTPUT_DIR FILE...     (files relative to SOURCE_DIR; a.cu becomes a.cu.cpp)
"""
import pathlib
import re
import sys

INCLUDE = '#include "tests/support/emulated_cuda/emulator.cuh"\n'


def matching(text, start, step):
    """Index of the bracket that belongs to the one at `start`, forwards or backwards."""
    pair = {"(": ")", ")": "(", ">": "<"}[text[start]]
    depth = 0
    at = start
    while True:
        depth += (text[at] == text[start]) - (text[at] == pair)
        if depth == 0:
            return at
        at += step


def launches(text):
    """name<<<configuration>>>(arguments) as a queued function of the same call."""
    while (at := text.find("<<<")) >= 0:
        begin = len(text[:at].rstrip())
        if text[begin - 1] == ">":
            begin = matching(text, begin - 1, -1)
        begin = re.search(r"\w+$", text[:begin]).start()
        name = text[begin:at].strip()
        end_of_configuration = text.index(">>>", at)
        configuration = text[at + 3:end_of_configuration]
        first = text.index("(", end_of_configuration)
        last = matching(text, first, 1)
        # Reductions name their stream, which cannot be copied, and are in no graph.
        capture = "&" if name.startswith("reduce_kernel") else "="
        text = (f"{text[:begin]}kaname::emulated::queue(kaname::emulated::Launch({configuration}), "
                f"[{capture}] {{ {name}{text[first:last + 1]}; }}){text[last + 1:]}")
    return text


def rewritten(text):
    text = launches(text)
    text = re.sub(r"extern __shared__ (?:__align__\(\d+\) )?([\w ]+?) (\w+)\[\];",
                  r"\1* \2 = static_cast<\1*>(kaname::emulated::shared_memory());", text)
    text = re.sub(r"__shared__ (\w+ \w+(?:\[.*?\])?;)", r"static thread_local \1", text)
    # A kernel's address is none of a C++ template.
    text = re.sub(r"cudaFuncSetAttribute\(\s*.*?,\s*cudaFunc",
                  "cudaFuncSetAttribute(static_cast<const void*>(nullptr), cudaFunc", text,
                  flags=re.DOTALL)
    if "#pragma once\n" in text:
        return text.replace("#pragma once\n", "#pragma once\n" + INCLUDE, 1)
    return INCLUDE + text


def main():
    source, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for name in sys.argv[3:]:
        to = output / (name + ".cpp" if name.endswith(".cu") else name)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(rewritten((source / name).read_text()))


if __name__ == "__main__":
    main()
