#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Overview of a server with 100,000 tasks and 200 agents: time of its answers, memory of the page.

Usage: page_load_long_test.py BIN_DIR SOURCE_DIR [--minutes M] [--tasks N] [--agents N]
Prints one line per fact and what was measured; exits 1 when a fact fails.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import threading

import page_harness as harness

SOURCE = pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(SOURCE / "tests/e2e"))
from crowd_test import Fleet, stubs  # noqa: E402
from service_harness import running_service  # noqa: E402

# The rows of one task that waits, again under other keys: what a queue of them is to who counts it.
COPY_TASKS = """
do $$
declare names text;
begin
    select string_agg(quote_ident(column_name), ', ') into names from information_schema.columns
    where table_schema = current_schema() and table_name = 'task' and column_name not in ('task_id', 'content_key');
    execute format('insert into task (content_key, %s) select ''load-'' || n, %s from generate_series(1, {n}) as n, '
                   '(select * from task where state = ''ready'' limit 1) as one', names, names);
end $$;
analyze task;
"""


def psql(service, statement):
    socket = service.state / "postgres-socket"
    return subprocess.run(["psql", "-XAtq", "-h", socket, "-U", "kaname", "-d", "postgres", "-v", "ON_ERROR_STOP=1", "-c",
                           statement], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin_dir")
    parser.add_argument("source_dir")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--tasks", type=int, default=100_000)
    parser.add_argument("--agents", type=int, default=200)
    options = parser.parse_args()
    harness.chromium()
    tools = harness.packages(SOURCE / "tests/page", pathlib.Path(options.bin_dir).resolve().parent / "page_tests", "the tests")
    libraries = stubs(options.bin_dir)
    stop = threading.Event()
    with running_service(options.bin_dir, ["--workers", "0"]) as service:
        service.call("submit", SOURCE / "tests/e2e/data/tiny.yaml")
        psql(service, COPY_TASKS.replace("{n}", str(options.tasks)))
        client = json.loads((service.state / "client.json").read_text())
        tokens = [service.call("token", "make", f"node{k}", "--role", "worker").stdout.strip()
                  for k in range(-(-options.agents // Fleet.OF_A_TOKEN))]
        fleet = Fleet(libraries, client["address"], tokens, options.agents, stop)
        url = next(word for word in service.call("page", "--print").stdout.split() if "#login=" in word).split("/#")[0]
        code = harness.run_node(SOURCE / "tests/page/load_page.mjs", url, client["token"], options.minutes,
                                packages_at=tools, timeout=60 * options.minutes + 300)
        stop.set()
        print(f"      {options.tasks} tasks, {len(fleet.workers)} agents")
        return code


if __name__ == "__main__":
    sys.exit(main())
