#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs readers of untrusted bytes under clang's libFuzzer, one after the other.

Usage: long_run.py BUILD [--seconds 600] [--inputs N] [--targets NAME...] [--corpus DIR]
       [--report FILE]

BUILD is a build folder of the preset fuzz with its program kaname-fuzz. Each target gets the same
time, so that quick ones get more inputs; with --inputs rounds of --seconds follow each other until
there were N inputs in all. What reached new code is kept in --corpus (BUILD/corpus), where the next
run begins, and inputs of crashes in its folder `crashes`, the shortest that was found. Prints a
line per target and a table; exits 1 after a crash, an input that took over 20 s or 2 GiB, or a leak.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

TIMEOUT_S, MEMORY_MIB, LONGEST_BYTES = 20, 2048, 1 << 14
MINIMISE_S = 20


class Target:
    def __init__(self, name, seeds, corpus):
        self.name = name
        self.seeds, self.words = seeds / name, seeds / f"{name}.dict"
        self.corpus, self.crashes = corpus / name, corpus / "crashes"
        for folder in (self.corpus, self.crashes):
            folder.mkdir(parents=True, exist_ok=True)
        self.inputs, self.seconds, self.coverage, self.found = 0, 0.0, 0, []

    def longest(self):
        """Twice the longest seed: longer inputs reach nothing new, and take longer."""
        most = max(file.stat().st_size for file in self.seeds.iterdir())
        return min(LONGEST_BYTES, max(256, 2 * most))

    def fuzz(self, program, seconds, environment):
        before = set(self.crashes.iterdir())
        began = time.monotonic()
        result = subprocess.run(
            [program, self.corpus, self.seeds, f"-max_total_time={max(1, round(seconds))}",
             f"-max_len={self.longest()}", f"-dict={self.words}", f"-timeout={TIMEOUT_S}",
             f"-rss_limit_mb={MEMORY_MIB}", f"-artifact_prefix={self.crashes}/{self.name}.",
             "-use_value_profile=0", "-print_final_stats=1"],
            env=dict(environment, KANAME_FUZZ_TARGET=self.name), stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, errors="replace", check=False)
        self.seconds += time.monotonic() - began
        executed = re.search(r"stat::number_of_executed_units:\s+(\d+)", result.stderr)
        reached = re.findall(r"\bcov: (\d+)", result.stderr)
        # After a crash there are no statistics: the number of the last line that was printed.
        counted = re.findall(r"^#(\d+)\s", result.stderr, re.MULTILINE)
        self.inputs += int(executed[1] if executed else counted[-1] if counted else 0)
        self.coverage = max(self.coverage, int(reached[-1]) if reached else 0)
        if result.returncode != 0:
            new = sorted(set(self.crashes.iterdir()) - before)
            self.found += [self.shorter(program, file, environment) for file in new] or ["none kept"]
            (self.crashes / f"{self.name}.log").write_text(result.stderr)
            summary = re.findall(r"^(?:SUMMARY|==\d+==\s*ERROR|terminate called).*", result.stderr,
                                 re.MULTILINE)
            print(f"{self.name}: {summary[-1] if summary else result.stderr[-300:]}", flush=True)

    def shorter(self, program, crash, environment):
        """The crash's input, or a shorter one of the same."""
        short = crash.with_name(crash.name + ".short")
        subprocess.run([program, "-minimize_crash=1", f"-max_total_time={MINIMISE_S}",
                        f"-exact_artifact_path={short}", f"-timeout={TIMEOUT_S}", crash],
                       env=dict(environment, KANAME_FUZZ_TARGET=self.name),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        return str(short if short.exists() else crash)

    def row(self):
        return {"target": self.name, "inputs": self.inputs, "seconds": round(self.seconds, 1),
                "inputs_per_s": round(self.inputs / max(self.seconds, 1e-9)),
                "coverage": self.coverage, "crashes": self.found}


def all_targets(program, seeds, corpus, environment):
    subprocess.run([program], env=dict(environment, KANAME_FUZZ_SEEDS=str(seeds)), check=True)
    return [Target(file.stem, seeds, corpus) for file in sorted(seeds.glob("*.dict"))]


def print_table(targets):
    print(f"{'target':22} {'inputs':>12} {'inputs/s':>9} {'coverage':>9} {'crashes':>8}")
    for row in (target.row() for target in targets):
        print(f"{row['target']:22} {row['inputs']:12} {row['inputs_per_s']:9} {row['coverage']:9} "
              f"{len(row['crashes']):8}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--inputs", type=float, default=0.0)
    parser.add_argument("--targets", nargs="*", default=[])
    parser.add_argument("--corpus", type=pathlib.Path)
    parser.add_argument("--report", type=pathlib.Path)
    return parser.parse_args()


def main():
    options = arguments()
    program = (options.build / "bin" / "kaname-fuzz").resolve()
    if not program.exists():
        sys.exit(f"{program} is not there: cmake --build {options.build} --target kaname-fuzz")
    corpus = (options.corpus or options.build / "corpus").resolve()
    # Readers that take a path get files here: in memory where that is possible.
    memory = pathlib.Path("/dev/shm")
    scratch = tempfile.mkdtemp(prefix="kaname-fuzz-", dir=memory if memory.is_dir() else None)
    environment = dict(os.environ, TMPDIR=scratch)
    try:
        targets = all_targets(program, pathlib.Path(scratch) / "seeds", corpus, environment)
        unknown = set(options.targets) - {target.name for target in targets}
        if unknown:
            sys.exit(f"no such target: {', '.join(sorted(unknown))}; there are "
                     f"{', '.join(target.name for target in targets)}")
        targets = [t for t in targets if not options.targets or t.name in options.targets]
        began = time.monotonic()
        while True:
            for target in targets:
                target.fuzz(program, options.seconds / len(targets), environment)
                print(f"{time.monotonic() - began:7.0f} s  {target.name}: {target.inputs} inputs, "
                      f"coverage {target.coverage}", flush=True)
            if sum(target.inputs for target in targets) >= options.inputs:
                break
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print_table(targets)
    inputs = sum(target.inputs for target in targets)
    crashes = [crash for target in targets for crash in target.found]
    print(f"{inputs} inputs, {len(crashes)} crashes")
    for crash in crashes:
        print(f"  {crash}")
    if options.report:
        options.report.write_text(json.dumps(
            {"inputs": inputs, "crashes": len(crashes),
             "seconds": round(time.monotonic() - began, 1),
             "targets": [target.row() for target in targets]}, indent=1) + "\n")
    return 1 if crashes else 0


if __name__ == "__main__":
    sys.exit(main())
