#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page before a server of which everything is known, and its types against the messages of the protocol.

Usage: page_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import page_harness as harness

SOURCE = pathlib.Path(sys.argv[2]).resolve()
DASHBOARD = SOURCE / "server/dashboard"
HOSTILE = re.search(r"HOSTILE = '(.*)';", (SOURCE / "tests/page/fake_data.mjs").read_text())[1]


def say(fact, holds, detail=""):
    print(f"{'ok   ' if holds else 'FAIL '} {fact}", flush=True)
    if not holds and detail:
        print("      | " + str(detail).replace("\n", "\n      | "), flush=True)
    return 0 if holds else 1


def static_facts(page):
    failed = 0
    for lock in (DASHBOARD / "package-lock.json", SOURCE / "tests/page/package-lock.json"):
        hosts = set(re.findall(r'"resolved": "(https?://[^/"]+)', lock.read_text()))
        failed += say(f"{lock.relative_to(SOURCE)} names no registry but the public one",
                      hosts <= {"https://registry.npmjs.org"}, hosts)
    sources = [file for file in DASHBOARD.glob("src/**/*.ts*") if "gen" not in file.parts]
    markup = [str(file) for file in sources
              if re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", file.read_text())]
    failed += say("no source makes markup of text", markup == [], markup)
    html = (page / "index.html").read_text()
    failed += say("the page has no inline script or style, and nothing from outside",
                  not re.search(r"<style|style=|<script(?![^>]*\bsrc=)|https?://|\son\w+=", html), html)
    known = {item["name"] for item in json.loads((page / "licences.json").read_text())}
    wanted = set(json.loads((DASHBOARD / "package.json").read_text())["dependencies"]) - {"vite"}
    failed += say("licences.json has what is built in", wanted <= known, wanted - known)
    return failed


def type_facts(build):
    """With types made of the .proto files as they are now."""
    work = harness.packages(DASHBOARD, build / "page_types", "the page")
    for name in ("src", "tools"):
        shutil.rmtree(work / name, ignore_errors=True)
        shutil.copytree(DASHBOARD / name, work / name, ignore=shutil.ignore_patterns("gen"))
    shutil.copy(DASHBOARD / "tsconfig.json", work)
    made = subprocess.run([harness.node(), "tools/generate_types.mjs", SOURCE], cwd=work, text=True,
                          capture_output=True, check=False)
    checked = subprocess.run(["node_modules/.bin/tsc", "--noEmit"], cwd=work, text=True,
                             capture_output=True, check=False)
    return say("the page reads messages as proto/kaname/v1 has them",
               made.returncode == 0 and checked.returncode == 0, made.stderr + checked.stdout)


def main():
    build = pathlib.Path(sys.argv[1]).resolve().parent
    page = build / "share/kaname/page"
    harness.chromium()
    failed = static_facts(page)
    failed += type_facts(build)
    tools = harness.packages(SOURCE / "tests/page", build / "page_tests", "the tests")
    with tempfile.TemporaryDirectory() as views:
        # Files as the Python package writes them are what the view Data must read.
        subprocess.run(["/usr/bin/python3", "-B", SOURCE / "tests/page/view_files.py", build / "python", views, HOSTILE],
                       check=True)
        failed += harness.run_node(SOURCE / "tests/page/fake_page.mjs", page, packages_at=tools, KANAME_VIEWS=views)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
