#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the figures of a job of the service as summary.json: suite "demo", one row per figure.

Usage: demo_summary.py KANAME JOB DATASET SUMMARY --started UTC --total-s SECONDS [--commit ID]

All but the times is what the dataset says of itself. `solve_s` is the sum of what the packs' logs
say ("solved after 12.3 s"); it is null where a pack has no log any more.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import subprocess

VECTORS = 4  # sources that one solve carries at once


def kaname(program, *arguments):
    done = subprocess.run([program, *arguments, "--json"], capture_output=True, text=True,
                          check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def packs_of(program, job, sources):
    """The logs of the job's packs, each once: sources of one pack share theirs. None: one is gone."""
    logs = []
    for source in sources:
        found = kaname(program, "logs", job, "--stage", source)
        if found is None or "solved after" not in found["log"]:
            return None
        if found["log"] not in logs:
            logs.append(found["log"])
    return logs


def last(pattern, text):
    found = re.findall(pattern, text)
    return found[-1] if found else None


def machine(device):
    cpu = platform.processor() or platform.machine()
    info = pathlib.Path("/proc/cpuinfo")
    if info.exists():
        cpu = (last(r"model name\s*:\s*(.+)", info.read_text()) or cpu).strip()
    return {"cpu": cpu, "cores": len(os.sched_getaffinity(0)),
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "device": device if device and device.startswith("cuda") else None}


def summary_of(data, logs, options):
    first = logs[0] if logs else ""
    ranks, threads = last(r"(\d+) ranks? x (\d+) threads?", first) or (None, None)
    solve_s = sum(float(last(r"solved after ([0-9.]+) s", log)) for log in logs) if logs else None
    dims = data["dims"]
    common = {"case": data["name"], "vectors": VECTORS,
              "method": data["provenance"].get("specification", {}).get("solver", {}).get("method"),
              "ranks": ranks and int(ranks), "threads": threads and int(threads),
              "dof": data["provenance"]["dof"]}
    figures = [("dof", data["provenance"]["dof"], "1"), ("sources", dims["source"], "1"),
               ("epochs", dims["epoch"], "1"), ("stations", dims["station"], "1"),
               ("patches", len({source["patch"] for source in data["sources"]}), "1"),
               ("max_displacement_m", data["max_displacement_m"]["vector"], "m"),
               ("solve_s", solve_s, "s"), ("total_s", options.total_s, "s"),
               ("outer_iterations_per_step", data.get("mean_iterations"), "1")]
    return {"suite": "demo", "version": data["provenance"]["kaname_version"],
            "commit": options.commit, "started": options.started,
            "machine": machine(last(r"device ([^,\n]+)", first)),
            "rows": [{**common, "metric": metric, "value": value, "unit": unit, "samples": 1,
                      "spread": 0} for metric, value, unit in figures]}


def utc(text):
    """Time as 2026-01-01T00:00:00Z, or ValueError, which argparse tells."""
    datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("kaname", "job", "dataset", "summary"):
        parser.add_argument(name)
    parser.add_argument("--started", type=utc, required=True)
    parser.add_argument("--total-s", type=float, required=True)
    parser.add_argument("--commit", default="")
    options = parser.parse_args()
    data = kaname(options.kaname, "show", options.dataset)
    if data is None:
        parser.error(f"{options.dataset} cannot be read")
    logs = packs_of(options.kaname, options.job, [source["id"] for source in data["sources"]])
    text = json.dumps(summary_of(data, logs, options), indent=2) + "\n"
    pathlib.Path(options.summary).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
