#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The figures that deploy/demo leaves, of a tiny batch through the service.

Usage: demo_summary_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import json
import pathlib
import re
import subprocess
import sys

from service_harness import Facts, running_service

METRICS = ["dof", "sources", "epochs", "stations", "patches", "max_displacement_m", "solve_s",
           "total_s", "outer_iterations_per_step"]
ROW = {"case", "method", "vectors", "ranks", "threads", "dof", "metric", "value", "unit", "samples",
       "spread"}


def summary_of(service, source, job, started="2026-01-01T00:00:00Z"):
    path = service.work / "summary.json"
    done = subprocess.run([sys.executable, source / "deploy/scripts/demo_summary.py",
                           service.bin / "kaname", job, service.work / "greens.h5", path,
                           "--started", started, "--total-s", "12", "--commit", "abc"],
                          env=service.env, capture_output=True, text=True, check=False)
    return done, json.loads(path.read_text()) if done.returncode == 0 else None


def main():
    bin_dir, source = sys.argv[1], pathlib.Path(sys.argv[2])
    facts = Facts()
    with running_service(bin_dir, ["--threads", "1"]) as service:
        tiny = source / "tests/e2e/data/tiny.yaml"
        done = service.call("submit", tiny, "--wait")
        facts.check("the batch is computed", done.returncode == 0, done.stderr)
        service.call("download", "latest", "--output", "greens.h5")
        done, found = summary_of(service, source, "latest")
        if not facts.check("its summary is written", found is not None, done.stderr):
            return 1
        values = {row["metric"]: row["value"] for row in found["rows"]}
        facts.check("it holds the figures in their order", list(values) == METRICS, values)
        facts.check("each in the row form of the benches",
                    found["suite"] == "demo" and all(set(row) == ROW for row in found["rows"]))
        shown = service.json("show", "greens.h5")
        facts.check("counts are those of the dataset",
                    values["sources"] == shown["dims"]["source"]
                    and values["epochs"] == shown["dims"]["epoch"]
                    and values["dof"] == shown["provenance"]["dof"] > 0, values)
        logs = {service.json("logs", "latest", "--stage", one["id"])["log"]
                for one in shown["sources"]}
        said = sum(float(re.findall(r"solved after ([0-9.]+) s", log)[-1]) for log in logs)
        facts.check("seconds of solving are those of the packs' logs, each once",
                    abs(values["solve_s"] - said) < 1e-9 and said > 0, (values["solve_s"], said))
        facts.check("the machine and the command's facts are in it",
                    found["machine"]["cores"] > 0 and found["machine"]["cpu"]
                    and found["commit"] == "abc" and values["total_s"] == 12)
        done, _ = summary_of(service, source, "latest", "182")
        facts.check("a time that is none is refused", done.returncode == 2 and "182" in done.stderr,
                    done.stderr)
        _, without = summary_of(service, source, "no-such-job")
        solve_s = [row["value"] for row in without["rows"] if row["metric"] == "solve_s"]
        facts.check("without a log the seconds are null, not made up", solve_s == [None])
    demo = (source / "deploy/demo").read_text()
    facts.check("deploy/demo writes it", 'demo_summary.py build/bin/kaname latest' in demo
                and '"$output/summary.json"' in demo)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
