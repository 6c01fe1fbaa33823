#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Comments are sentences: none begins with a word that leaves its subject or its verb out.

Such a comment ("Of the newest job.", "What a worker told.") names no thing and does nothing: it begins with
what it documents or with a verb in the third person ("Returns", "Holds"). Migrations that databases already
have are left alone, since their checksums are kept."""
import pathlib
import re
import subprocess
import sys

BANNED = re.compile(r"(Of|What|Whether|The same|Those|Likewise)\b")
SLASHES, HASH, DASHES = r"//+[!<]*|/\*+", r"#", r"--"
MARKS = {"cpp": SLASHES, "hpp": SLASHES, "cu": SLASHES, "cuh": SLASHES, "proto": SLASHES, "ts": SLASHES,
         "tsx": SLASHES, "mjs": SLASHES, "css": SLASHES, "sql": DASHES, "py": HASH, "sh": HASH, "cmake": HASH,
         "txt": HASH, "yaml": HASH, "": HASH}
KEPT = ("server/store/postgres/migrations/", "server/dashboard/built/", "tests/data/", "tests/e2e/data/")


def faults(text, mark):
    """[(line number, comment)] of comments, also those behind code, that begin with a banned word."""
    found, inside = [], False
    alone, behind = re.compile(rf"\s*(?:{mark})\s?(.*)"), re.compile(rf"[^\"']*[;,{{}})]\s+(?:{mark})\s?(.*)")
    for number, line in enumerate(text.splitlines(), 1):
        whole = alone.match(line)
        comment = whole or behind.match(line)
        if comment and not (whole and inside) and BANNED.match(comment[1].strip()):
            found.append((number, comment[1].strip()))
        inside = bool(whole) and "SPDX" not in line and not line.startswith("-- name:")
    return found


def main():
    root = pathlib.Path(sys.argv[2])
    assert faults("int a;\n// Of a.\nint b;  // Whether b.\n/// Holds c,\n/// Of c.\n", SLASHES) == [
        (2, "Of a."), (3, "Whether b.")]
    assert faults("-- name: find\n-- Of a.\n", DASHES) == [(2, "Of a.")]
    names = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True, check=False)
    listed = names.stdout.split() if names.returncode == 0 else [
        str(p.relative_to(root)) for top in ("proto", "server", "worker", "client", "solvers", "tests", "deploy")
        for p in (root / top).rglob("*") if p.is_file()]
    read = wrong = 0
    for name in sorted(listed):
        path = root / name
        mark = MARKS.get(path.suffix[1:])
        if mark is None or name.startswith(KEPT) or not path.is_file():
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        read += 1
        for number, comment in faults(text, mark):
            wrong += 1
            print(f"{name}:{number}: a comment begins with what it is about or a verb, got '{comment[:70]}'")
    print(f"{read} files, {wrong} faults")
    return 1 if wrong or read < 1000 else 0


if __name__ == "__main__":
    sys.exit(main())
