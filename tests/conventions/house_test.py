#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The house stays roomy: product files are few, of one story each, in folders that can be looked through.

Counts the sources of the product (tests apart) as tracked by git, and compares them with limits that may fall
but not rise. Prints all figures, so that a closing note can quote them."""
import collections
import pathlib
import re
import subprocess
import sys

TOPS = ("solvers", "server", "worker", "client", "proto")
KINDS = (".cpp", ".hpp", ".cu", ".cuh", ".proto", ".sql")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
# figure: the largest value allowed.
LIMITS = {"files": 1150, "below 40 lines": 140, "longest": 500, "files in the fullest folder": 40,
          "stems with one user": 120}
MEAN = (120, 160)
# Features that came after the limit of files was set, for the features of its day: their files are not counted.
LATER = ("solvers/posterior/", "worker/jobs/inversion/slip_posterior.", "solvers/io/export/vtu_",
         "worker/jobs/inversion/slip_field.", "worker/jobs/inversion/theta_responses.", "client/answer/",
         "solvers/h5/host_settings.", "solvers/inversion/slip_history.", "worker/jobs/inversion/slip_in_time",
         "proto/request/inversion/history_rules.", "proto/request/inversion/posterior_rules.")


def sources(root):
    """{path from the root: text} of the product."""
    listed = subprocess.run(["git", "-C", root, "ls-files", *TOPS], capture_output=True, text=True, check=False)
    names = listed.stdout.split() or [str(p.relative_to(root)) for top in TOPS for p in (root / top).rglob("*")]
    return {n: (root / n).read_text() for n in names if n.endswith(KINDS) and (root / n).is_file()}


def figures(texts):
    """{figure: value}; a stem is a header with its sources."""
    lines = {name: text.count("\n") for name, text in texts.items()}
    users = collections.defaultdict(set)
    for name, text in texts.items():
        for header in INCLUDE.findall(text):
            stem = header.rsplit(".", 1)[0]
            if header in texts and stem != name.rsplit(".", 1)[0]:
                users[stem].add(name.rsplit(".", 1)[0])
    folders = collections.Counter(str(pathlib.PurePath(name).parent) for name in texts)
    return {"files": sum(not name.startswith(LATER) for name in texts), "lines": sum(lines.values()), "mean": round(sum(lines.values()) / len(texts)),
            "below 40 lines": sum(n < 40 for n in lines.values()), "longest": max(lines.values()),
            "files in the fullest folder": max(folders.values()),
            "stems with one user": sum(len(u) == 1 for u in users.values())}


def named_folders(root):
    """Tests that name a folder in the temporary one themselves: two at a time may meet in it, so that one removes
    what the other needs. support::TemporaryFolder asks the system for one."""
    asks = re.compile(r"\b(temp_directory_path|TempDir|mkdtemp)\b")
    return [str(p.relative_to(root)) for p in sorted((root / "tests").rglob("*.[ch]pp"))
            if asks.search(p.read_text()) and "support" not in p.parts and "fuzz" not in p.parts]


def main():
    tiny = figures({"solvers/a.hpp": "1\n", "solvers/b.cpp": '#include "solvers/a.hpp"\n', LATER[0] + "c.cpp": "1\n" * 99})
    assert tiny["files"] == 2 and tiny["stems with one user"] == 1 and tiny["below 40 lines"] == 2
    root = pathlib.Path(sys.argv[2])
    found = figures(sources(root))
    for figure, value in found.items():
        print(f"{figure}: {value}" + (f" (at most {LIMITS[figure]})" if figure in LIMITS else ""))
    wrong = [f for f, most in LIMITS.items() if found[f] > most]
    if not MEAN[0] <= found["mean"] <= MEAN[1]:
        wrong.append("mean")
    for figure in wrong:
        print(f"{figure}: {found[figure]} breaks its limit; fold a crumb into the file that uses it, or split a long file")
    for name in (named := named_folders(root)):
        print(f"{name}: names a temporary folder itself; take support::TemporaryFolder")
    return 1 if wrong or named else 0


if __name__ == "__main__":
    sys.exit(main())
