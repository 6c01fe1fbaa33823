#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every source includes its own header first, so that a build of single sources sees what a header lacks.

Eight sources are compiled as one in most builds, where a header that comes later may use what an earlier
one included: a missing include is found only with --all, which deploy/test --full passes, and by the
presets dev and races, which compile single sources. With --all every header compiles on its own, with the
include paths and definitions of this build, and none may warn."""
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


def not_first(root):
    """Sources that do not include their own header before anything else."""
    sources = [p for top in TOPS for p in sorted((root / top).rglob("*.cpp"))
               if p.with_suffix(".hpp").exists()]
    first = {p: re.search(r'^#include ["<](.+)[">]', p.read_text(), re.M) for p in sources}
    return len(sources), [p.relative_to(root) for p in sources
                          if not first[p] or root / first[p][1] != p.with_suffix(".hpp")]


def compile_alone(build, root):
    """(how many headers there are, the output of those that do not compile cleanly)."""
    entries = json.loads((build / "compile_commands.json").read_text())
    compiler, flags = read_build(entries)
    builds_service = "KANAME_SERVICE:BOOL=ON" in (build / "CMakeCache.txt").read_text()
    headers = [p for top in TOPS for p in sorted((root / top).rglob("*.hpp"))]
    if not builds_service:
        headers = [p for p in headers if not SERVICE & set(p.relative_to(root).parts)]

    def check(header):
        command = [compiler, *flags, "-fsyntax-only", "-Wall", "-Wextra", "-x", "c++", "-include",
                   str(header), "/dev/null"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(zip(headers, pool.map(check, headers)))
    return len(headers), [f"{h.relative_to(root)} does not compile cleanly on its own:\n{r.stderr}"
                          for h, r in results if r.returncode or "warning" in r.stderr]


def main():
    build, root = pathlib.Path(sys.argv[1]).parent, pathlib.Path(sys.argv[2]).resolve()
    count, late = not_first(root)
    bad = [f"{source} does not include its own header first" for source in late]
    said = f"{count} sources read"
    if "--all" in sys.argv:
        compiled, faults = compile_alone(build, root)
        bad += faults
        said += f", {compiled} headers compiled alone"
    print("\n".join(bad))
    print(f"{said}, {len(bad)} bad")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
