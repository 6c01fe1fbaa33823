#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every header compiles on its own, with the include paths and definitions of this build.

One that a source of this build includes before anything else has been seen to do so by the build, but
for what a precompiled header gave it; the others are compiled here, those of tests with --all only. With
--all: all of them, and none may warn."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TOPS = ("proto", "server", "worker", "client", "solvers", "tests")
SERVICE = {"proto", "server", "worker", "client"}
COMPILERS = ("c++", "g++", "clang++")


def read_build(entries):
    """(compiler, flags): what all compile commands of the build share out between them."""
    compiler, flags = "c++", {}
    for entry in entries:
        words = shlex.split(entry["command"])
        for at, word in enumerate(words):
            if at < 2 and os.path.basename(word).split("-")[0] in COMPILERS:
                compiler = word
            elif word == "-isystem":
                flags[f"-isystem{words[at + 1]}"] = True
            elif word.startswith(("-I", "-std=", "-DKANAME_")) or word == "-fopenmp":
                flags[word] = True
    return compiler, list(flags)


def first_includes(entries, root):
    """Headers that come first in a source of the build."""
    first = (re.search(r'^#include ["<](.+)[">]', pathlib.Path(entry["file"]).read_text(), re.M)
             for entry in entries if pathlib.Path(entry["file"]).exists())
    return {root / found[1] for found in first if found}


def main():
    build, root = pathlib.Path(sys.argv[1]).parent, pathlib.Path(sys.argv[2])
    entries = json.loads((build / "compile_commands.json").read_text())
    compiler, flags = read_build(entries)
    builds_service = "KANAME_SERVICE:BOOL=ON" in (build / "CMakeCache.txt").read_text()
    headers = [p for top in TOPS for p in sorted((root / top).rglob("*.hpp"))]
    if not builds_service:
        headers = [p for p in headers if not SERVICE & set(p.relative_to(root).parts)]
    total = len(headers)
    if "--all" not in sys.argv:
        built = first_includes(entries, root)
        headers = [p for p in headers if p not in built and root / "tests" not in p.parents]

    def check(header):
        command = [compiler, *flags, "-fsyntax-only", "-Wall", "-Wextra", "-x", "c++", "-include",
                   str(header), "/dev/null"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(zip(headers, pool.map(check, headers)))
    bad = [(h, r) for h, r in results if r.returncode or "warning" in r.stderr]
    for header, result in bad:
        print(f"{header.relative_to(root)} does not compile cleanly on its own:\n{result.stderr}")
    print(f"{len(headers)} of {total} headers checked, {len(bad)} bad; the others are tests' or come "
          "first in a source of the build")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
