#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Jobs solved by forces at their stations: the dataset of the sources, other patches laid on its
fault by `kaname regrid`, what xarray makes of the file, and the errors.

Usage: receivers_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import json
import pathlib
import sys
import tempfile

import h5py
import numpy as np
import xarray

from service_harness import BAD_INPUT, SKIP, Facts, cf_facts, local_caller, running_service


def served_facts(facts, bin_dir, yaml, wanted):
    """The same through a server, whose next job with other slip takes the forces that are there."""
    with running_service(bin_dir, ("--ranks", "1", "--threads", "1")) as service:
        (service.work / "turned.yaml").write_text(yaml)
        done = service.call("submit", "turned.yaml", "--wait", "--output", "turned")
        facts.check("a server solves for forces", done.returncode == 0, done.stderr)
        with h5py.File(service.work / "turned/greens.h5") as file:
            apart = np.max(np.abs(file["greens"][...] - wanted)) / np.max(np.abs(wanted))
        facts.check("with the values of a run, to the tolerance", apart < 1e-8, f"{apart:.1e}")
        (service.work / "other.yaml").write_text(
            yaml.replace("name: tiny", "name: other").replace("n_dip: 1", "n_dip: 1\n    rake_deg: [45]"))
        job = service.json("submit", "other.yaml")
        facts.check("another rake needs no solve", job["report"]["reused"] > 0
                    and job["report"]["created"] <= 1, job["report"])
        done = service.call("watch", "latest")
        facts.check("and is packaged", service.json("status", "latest")["state"] == "done",
                    done.stdout + done.stderr)


def main():
    kaname = pathlib.Path(sys.argv[1]).resolve() / "kaname"
    if not kaname.exists():
        print(f"no {kaname}")
        return SKIP
    facts = Facts()
    tiny = (pathlib.Path(sys.argv[2]).resolve() / "tests/e2e/data/tiny.yaml").read_text()
    tiny = tiny.replace("rake_deg: [0, 90]", "n_strike: 2\n    n_dip: 1").replace("fault_km: 10", "fault_km: 5")
    tiny = tiny.replace("lat_deg: 34.225}", "lat_deg: 34.225, look_east: 3, look_north: 0, look_up: 4}")
    tiny += "\nsolver: {tolerance: 1e-10}\n"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run = local_caller(kaname, folder)

        def solve(out, more):
            (folder / f"{out}.yaml").write_text(tiny + more)
            return run("run", f"{out}.yaml", "--output", out)

        def greens(path):
            with h5py.File(folder / path) as file:
                return file["greens"][...], [text.decode() for text in file["source"][...]]

        direct = solve("direct", "")
        turned = solve("turned", "solve_by: receivers\n")
        facts.check("both ways end well", direct.returncode == 0 and turned.returncode == 0,
                    direct.stderr + turned.stderr)
        facts.check("whose iterations are those of forces", "forces at stations" in turned.stdout,
                    turned.stdout)
        facts.check("the solves are told", "3 stations: 7 solves in place of 4" in turned.stderr,
                    turned.stderr)
        wanted, sources = greens("direct/greens.h5")
        found, same = greens("turned/greens.h5")
        facts.check("they have the same sources", sources == same, f"{sources} {same}")
        apart = np.max(np.abs(found - wanted)) / np.max(np.abs(wanted))
        facts.check("and values to 1e-6", apart < 1e-6, f"{apart:.1e}")

        (folder / "finer.yaml").write_text("plane: {n_strike: 1, n_dip: 2, components: dip_slip}\n")
        laid = run("regrid", "turned/greens.h5", "--patches", "finer.yaml", "--output", "finer.h5")
        facts.check("other patches are laid on its fault", laid.returncode == 0, laid.stderr)
        other = tiny.replace("n_strike: 2\n    n_dip: 1",
                             "n_strike: 1\n    n_dip: 2\n    components: [dip_slip]")
        (folder / "other.yaml").write_text(other)
        again = run("run", "other.yaml", "--output", "other")
        facts.check("a job of these patches ends well", again.returncode == 0, again.stderr)
        wanted, sources = greens("other/greens.h5")
        found, same = greens("finer.h5")
        apart = np.max(np.abs(found - wanted)) / np.max(np.abs(wanted))
        facts.check("and has the same values to 1e-6", sources == same and apart < 1e-6,
                    f"{apart:.1e} {sources} {same}")
        shown = run("show", "finer.h5", "--json")
        facts.check("show reads it", shown.returncode == 0 and
                    len(json.loads(shown.stdout)["sources"]) == 2, shown.stdout + shown.stderr)
        cf_facts(facts, "a dataset with the fault's response", folder / "turned/greens.h5",
                 folder / "finer.h5")
        with xarray.open_dataset(folder / "turned/greens.h5", group="fault_response") as response:
            facts.check("xarray opens the fault's response",
                        response["traction"].dims == ("force", "epoch", "node", "axis"),
                        str(response))

        served_facts(facts, kaname.parent, (folder / "turned.yaml").read_text(),
                     greens("turned/greens.h5")[0])

        def refused(what, done, text):
            facts.check(what, done.returncode == BAD_INPUT and text in done.stderr, done.stderr)

        refused("a dataset of sources has no response",
                run("regrid", "direct/greens.h5", "--patches", "finer.yaml", "--output", "no.h5"),
                "solve_by receivers")
        (folder / "longer.yaml").write_text("plane: {n_strike: 2, length_km: 50}\n")
        refused("the fault itself stays",
                run("regrid", "turned/greens.h5", "--patches", "longer.yaml", "--output", "no.h5"),
                "all else is the dataset's")
        (folder / "slab.yaml").write_text("interface: {patches: {n_strike: 2, n_dip: 2}}\n")
        refused("and its kind",
                run("regrid", "turned/greens.h5", "--patches", "slab.yaml", "--output", "no.h5"),
                "under the key 'plane'")
        (folder / "whole.yaml").write_text("plane: {n_strike: 1}\n")
        refused("uniform slip needs a mesh of its own",
                run("regrid", "turned/greens.h5", "--patches", "whole.yaml", "--output", "none.h5"),
                "must have several patches")
        with h5py.File(folder / "turned/greens.h5", "r+") as file:
            file["fault_response/elements"][0, 0] = 10**6
        refused("a damaged response is named",
                run("regrid", "turned/greens.h5", "--patches", "finer.yaml", "--output", "no.h5"),
                "is damaged")
        (folder / "surface.yaml").write_text(tiny + "solve_by: receivers\noutput: {surface: auto}\n")
        refused("the surface's motion is not to be had", run("validate", "surface.yaml"),
                "output.surface")
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
