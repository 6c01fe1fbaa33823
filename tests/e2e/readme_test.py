#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What README.md says about opening a result, done as it stands there on a run of its first job; and
examples that need something.

Usage: readme_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from service_harness import NOT_FOUND, SKIP, Facts

LAST_DIGIT = 1.5e-6  # of README.md's table: another machine may round the last digit otherwise
EXAMPLE_DIGIT = 1e-4  # of the example's table
MODULES = {"xarray": "python3-xarray", "numpy": "python3-numpy", "matplotlib": "python3-matplotlib"}


def block_after(text, heading, fence):
    found = re.search(rf"{re.escape(heading)}.*?```{fence}\n(.*?)```", text, re.S)
    assert found, f"no block ```{fence} after '{heading}'"
    return found.group(1)


def packages_of(script, source, work):
    """What a script of deploy installs: packages.sh lists it where there is no dpkg."""
    stage = re.search(r"^stage packages deploy/scripts/packages.sh (.*)$",
                      (source / script).read_text(), re.M)
    tools = work / "bin"
    if not tools.exists():
        tools.mkdir()
        (tools / "bash").symlink_to("/bin/bash")
    done = subprocess.run(["/bin/bash", source / "deploy/scripts/packages.sh",
                           *stage.group(1).split()], env={"PATH": str(tools)}, text=True,
                          capture_output=True, check=False)
    return done.stderr.split()


def install_facts(facts, source, work, snippet):
    modules = re.findall(r"^(?:import|from) (\w+)", snippet, re.M)
    needed = {MODULES[module] for module in modules}
    if 'engine="netcdf4"' in snippet:
        needed.add("python3-netcdf4")
    facts.check("the snippet imports something", len(modules) > 0, snippet)
    for script in ("deploy/install", "deploy/demo"):
        installed = packages_of(script, source, work)
        facts.check(f"{script} installs what the snippet needs",
                    needed <= set(installed), f"needed {sorted(needed)}, got {installed}")


def example_facts(facts, source, work):
    """In a copy without what users fetch; KANAME_SKIP_PACKAGES so that it never installs anything."""
    clone = work / "clone"
    for part in ("deploy", "docs/examples"):
        shutil.copytree(source / part, clone / part, symlinks=True,
                        ignore=shutil.ignore_patterns("slip.csv"))
    done = subprocess.run([clone / "deploy/example", "tohoku"], text=True, capture_output=True,
                          env={**os.environ, "KANAME_SKIP_PACKAGES": "1"}, check=False)
    facts.check("an example that lacks an input says so before anything else",
                done.returncode == NOT_FOUND and "==>" not in done.stdout
                and "docs/examples/tohoku/slip.csv is not there" in done.stderr
                and "README.md says" in done.stderr, done.stdout + done.stderr)
    page = (source / "docs/examples/tohoku/README.md").read_text()
    facts.check("its page has the commands that make it",
                "make_slip.py wei+11.flt docs/examples/tohoku/slip.csv" in page and "curl" in page)
    examples = (source / "docs/examples").resolve()
    outside = [f"{request.name}: {line.strip()}" for request in examples.glob("*/*.yaml")
               for line in request.read_text().splitlines()
               for path in re.findall(r"(?:\.\./)+[^\s,}\]]*", line.split("#")[0])
               if examples not in (request.parent / path).resolve().parents]
    facts.check("no example reads files outside of the clone", not outside, outside)


def same_table(printed, shown, digit):
    """Words alike, numbers within `digit`."""
    words, expected = printed.split(), shown.split()
    if len(words) != len(expected):
        return False
    for one, other in zip(words, expected):
        try:
            if abs(float(one) - float(other)) > digit:
                return False
        except ValueError:
            if one != other:
                return False
    return True


def example_table(data):
    """`north` of every station, a row per epoch, as docs/examples/plane/README.md has it."""
    north = data["greens"].isel(source=0).sel(component="north").values
    names = [str(name) for name in data["station"].values]
    rows = [f"| {epoch / (365.25 * 86400.0):g} | " + " | ".join(f"{v:.4f}" for v in values) + " |"
            for epoch, values in zip(data["epoch"].values, north)]
    return "\n".join([f"| years after the slip | {' | '.join(names)} |",
                      "|" + "---|" * (len(names) + 1), *rows])


def main():
    bin_dir, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if not (bin_dir / "kaname-compute").exists():
        print(f"kaname-compute is not built in {bin_dir}")
        return SKIP
    facts = Facts()
    readme = (source / "README.md").read_text()
    snippet = block_after(readme, "## Opening the result", "python")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        install_facts(facts, source, work, snippet)
        example_facts(facts, source, work)
        run = subprocess.run([bin_dir / "kaname", "run",
                              source / "docs/examples/plane/plane.yaml", "--output",
                              "plane-output"], cwd=work, capture_output=True, text=True,
                             env=dict(os.environ, OMP_WAIT_POLICY="passive"), check=False)
        if facts.check("the first job runs", run.returncode == 0, run.stderr):
            done = subprocess.run(["/usr/bin/python3", "-c", snippet], cwd=work,
                                  capture_output=True, text=True, check=False)
            facts.check("the snippet runs", done.returncode == 0, done.stderr)
            shown = block_after(readme, "It prints", "")
            facts.check("it prints what README.md says", same_table(done.stdout, shown, LAST_DIGIT),
                        f"{done.stdout}\nREADME.md has\n{shown}")
            import xarray  # here: without it the facts above say what is missing
            with xarray.open_dataset(work / "plane-output/greens.h5", engine="netcdf4") as data:
                table = example_table(data)
            page = (source / "docs/examples/plane/README.md").read_text()
            stands = re.search(r"^\| years.*?(?=\n\n)", page, re.S | re.M).group(0)
            facts.check("the example's page has its table",
                        same_table(table, stands, EXAMPLE_DIGIT), table)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
