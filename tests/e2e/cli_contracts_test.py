#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What tools rely on, of every command: JSON when it fails, -o, help within 80 columns.

Usage: cli_contracts_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from service_harness import BAD_INPUT, SKIP, UNAVAILABLE, Facts

COLUMNS = 80
BUG = 70
NOBODY = 65534


class Programs:
    def __init__(self, folder, bin_dir):
        self.bin, self.folder = bin_dir, folder
        # A file in the state folder's place: no command starts a server or finds one.
        (folder / "state").write_text("")
        self.env = {name: value for name, value in os.environ.items()
                    if not name.startswith("KANAME_")} | {
                        "KANAME_STATE": str(folder / "state"), "KANAME_CACHE": str(folder / "cache")}

    def run(self, program, *words, **more):
        return subprocess.run([self.bin / program, *words], cwd=self.folder, env=self.env,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, timeout=60, **more)

    def kaname(self, *words):
        return self.run("kaname", *words)


def all_commands(programs):
    """Each command's words and options, of the completion script, which has all of them."""
    script = json.loads(programs.kaname("completion", "bash", "--json").stdout)["script"]
    commands = dict(re.findall(r"^    '([^']*)'\) words='([^']*)' ;;$", script, re.M))
    return {tuple(path.split()): words.split() for path, words in commands.items()}


def broken_rules(command, options):
    """What each command must answer with JSON: no operand, an unknown option, a bad value."""
    lines = [(), ("--bogus",)]
    for option in options:
        if option in ("--limit", "--workers", "--priority", "--threads", "--queued"):
            lines.append((option, "abc"))
        if option in ("--only", "--device", "--role", "--format", "--to"):
            lines.append((option, "foo"))
    return [(*command, *line, "--json") for line in lines]


def error_of(done):
    """What is wrong with the answer of a command that failed; None: nothing."""
    try:
        said = json.loads(done.stdout)
    except json.JSONDecodeError:
        return f"no JSON: {done.stdout[:200]!r}"
    if done.returncode == 0:
        return None
    if done.returncode == BUG:
        return "exit 70, which is for bugs"
    if "checks" in said:  # doctor's report says what fails
        return None if said["healthy"] is False else "healthy, though it fails"
    error = said.get("error", {})
    missing = {"code", "reason", "message", "field", "rule", "value", "violations"} - set(error)
    if missing:
        return f"the error lacks {missing}: {said}"
    return None if done.stderr.startswith("error: ") else f"stderr: {done.stderr[:200]!r}"


def json_facts(facts, programs, commands, pool):
    leaves = {path: words for path, words in commands.items()
              if path and not any(other[:len(path)] == path and other != path for other in commands)}
    lines = [line for path, words in leaves.items() for line in broken_rules(path, words)]
    lines += [("lst", "--json"), ("--json",), ("worker", "--json"), ("mesh", "biuld", "--json")]
    answers = list(pool.map(lambda line: programs.kaname(*line), lines))
    wrong = [f"{' '.join(line)}: exit {done.returncode}: {error}" for line, done in zip(lines, answers)
             if (error := error_of(done))]
    facts.check(f"{len(lines)} command lines of {len(leaves)} commands that fail print one JSON object "
                "with code, field, rule and value, and stderr begins with error:", not wrong,
                "\n".join(wrong))
    refused = [done for line, done in zip(lines, answers) if "--bogus" in line]
    facts.check("an unknown option is bad input everywhere",
                all(done.returncode == BAD_INPUT for done in refused), refused)

    def parts(*words):
        error = json.loads(programs.kaname(*words, "--json").stdout)["error"]
        return error["field"], error["rule"], error["value"]

    facts.check("an error names field, rule and value", (
        parts("list", "--only", "foo")[::2], parts("list", "--limit", "abc"),
        parts("slice"), parts("list", "--limit", "0")[:1], parts("token", "make", "x"),
        parts("show", "a", "b")[2]) == (
            ("--only", "foo"), ("--limit", "must be a whole number", "abc"),
            ("DATASET", "must be given", ""), ("--limit",), ("--role", "must be given", ""), "b"),
        (parts("list", "--only", "foo"), parts("list", "--limit", "abc"), parts("slice"),
         parts("list", "--limit", "0"), parts("token", "make", "x"), parts("show", "a", "b")))
    slash = programs.kaname("list", "--server", "https://127.0.0.1:17701")
    facts.check("an address with a scheme is told what an address is", slash.returncode == BAD_INPUT
                and "--server: must be HOST:PORT" in slash.stderr, slash.stderr)


def help_facts(facts, programs, commands, pool):
    paths = sorted(commands)
    helps = dict(zip(paths, pool.map(lambda path: programs.kaname(*path, "--help").stdout, paths)))
    lacks = [" ".join(path) for path, words in commands.items()
             if "--output" in words and "-o,--output" not in helps[path]]
    facts.check("every command that writes a file takes -o", not lacks, lacks)
    for program in ("kaname-server", "kaname-agent", "kaname-compute"):
        helps[(program,)] = programs.run(program, "--help").stdout
        verbs = re.findall(r"^  ([a-z][a-z-]*)(?:  |$)", helps[(program,)], re.M)
        for verb, done in zip(verbs, pool.map(lambda verb: programs.run(program, verb, "--help"), verbs)):
            helps[(program, verb)] = done.stdout
    wide = [f"{' '.join(path)}: {line}" for path, text in helps.items() for line in text.splitlines()
            if len(line) > COLUMNS]
    facts.check(f"{len(helps)} helps have {COLUMNS} columns at most",
                not wide and all(len(text) > 100 for text in helps.values()), "\n".join(wide))


def refusals_of_the_system(facts, programs):
    """What the operating system refuses is no fault of the program."""
    if os.geteuid() == 0:
        target = "/proc/nowhere/x"
    else:
        target = "/root/x"
    for words in (("up", "--state", target), ("mesh", "build", "x.yaml", "-o", "/proc/x/y"),
                  ("admin", "restore", "/proc/x", "--state", target)):
        done = programs.kaname(*words, "--json")
        error = json.loads(done.stdout)["error"]
        facts.check(f"kaname {' '.join(words)} is refused with its reason and no exit 70",
                    done.returncode not in (0, BUG), (done.returncode, error))
    if os.geteuid() == 0:  # whom no such limit binds
        state = programs.folder / "limited"
        state.mkdir(mode=0o700)
        os.chown(state, NOBODY, NOBODY)
        programs.folder.chmod(0o755)
        done = programs.run("kaname-server", "--state", str(state), user=NOBODY, group=NOBODY,
                            extra_groups=[], preexec_fn=lambda: resource.setrlimit(
                                resource.RLIMIT_NPROC, (30, 30)))
        facts.check("too few threads of a user are told at the start", done.returncode == UNAVAILABLE
                    and "ulimit -u" in done.stderr and "room for 100 threads" in done.stderr,
                    (done.returncode, done.stderr))
    told = programs.kaname("up", "--state", target).stderr
    facts.check("up names --state", "--state: " in told and target in told, told)


def plain_terminal_facts(facts, programs, data):
    """A terminal that says it is dumb gets lines, and a narrow one keeps the figures."""
    words = f"{programs.bin}/kaname mesh build {data}/tiny.yaml -o m.h5 --force"
    def typed(columns, term):
        command = f"stty cols {columns}; exec {words}"
        return subprocess.run(["script", "-qec", command, "/dev/null"], cwd=programs.folder,
                              env={**programs.env, "TERM": term}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=60).stdout
    dumb = typed(40, "dumb")
    facts.check("TERM=dumb gets no control characters",
                "mesh" in dumb and "\x1b" not in dumb and "\r" not in dumb.replace("\r\n", "\n"),
                repr(dumb))
    narrow = typed(40, "xterm")
    facts.check("below 60 columns the figures have the bar's place",
                "%" in narrow and "[#" not in narrow and "[." not in narrow, repr(narrow))


def main():
    bin_dir, source_dir = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    if not (bin_dir / "kaname").exists():
        print(f"kaname is not built in {bin_dir}")
        return SKIP
    facts = Facts()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(4) as pool:
        programs = Programs(pathlib.Path(folder), bin_dir)
        commands = all_commands(programs)
        json_facts(facts, programs, commands, pool)
        help_facts(facts, programs, commands, pool)
        refusals_of_the_system(facts, programs)
        plain_terminal_facts(facts, programs, source_dir / "tests/e2e/data")
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
