#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Answers without solving: `kaname answer` on a dataset whose viscosity has a range, against the
dataset of a run with that viscosity alone, tables, and the errors.

Usage: answer_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import pathlib
import sys
import tempfile

import numpy as np
import xarray

from service_harness import BAD_INPUT, SKIP, Facts, local_caller


def main():
    kaname = pathlib.Path(sys.argv[1]).resolve() / "kaname"
    if not kaname.exists():
        print(f"no {kaname}")
        return SKIP
    facts = Facts()
    tiny = (pathlib.Path(sys.argv[2]).resolve() / "tests/e2e/data/tiny.yaml").read_text()
    tiny = tiny.replace("step_years: 1, ", "method: spectrum, ")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run = local_caller(kaname, folder)

        def solve(out, viscosity):
            (folder / f"{out}.yaml").write_text(tiny.replace("1e19", viscosity))
            return run("run", "--local", f"{out}.yaml", "--output", out)

        def greens(path):
            with xarray.open_dataset(folder / path, engine="netcdf4") as data:
                return data["greens"].values, data.attrs["title"]

        ranged = solve("ranged", "{from: 1e18, to: 1e20}")
        alone = solve("alone", "4e18")
        facts.check("both runs end well", ranged.returncode == 0 and alone.returncode == 0,
                    ranged.stderr + alone.stderr)
        answered = run("answer", "ranged/greens.h5", "--viscosity", "mantle=4e18", "-o", "a.h5")
        facts.check("another viscosity is answered", answered.returncode == 0, answered.stderr)
        wanted, _ = greens("alone/greens.h5")
        found, title = greens("a.h5")
        change = np.max(np.abs(wanted - wanted[:, :1]), axis=(1, 2, 3), keepdims=True)
        apart = np.max(np.abs(found - wanted) / change)
        facts.check("as a run with it alone has it", apart < 1e-3, f"{apart:.1e}")
        reference, _ = greens("ranged/greens.h5")
        facts.check("which the reference is not",
                    np.max(np.abs(reference - wanted) / change) > 0.1, "")
        facts.check("the title says so", "mantle = 4e+18 Pa s" in title
                    and "certified error" in title, title)

        (folder / "table.csv").write_text("mantle\n4e18\n1e19\n")
        with xarray.open_dataset(folder / "a.h5", engine="netcdf4") as data:
            ids = [str(text) for text in data["source"].values]
        (folder / "slip.csv").write_text(f"source,slip_m\n{ids[0]},2\n{ids[1]},-1\n")
        table = run("answer", "ranged/greens.h5", "--table", "table.csv", "--slip", "slip.csv",
                    "--epochs", "0,3", "-o", "t.h5")
        facts.check("a table is answered", table.returncode == 0, table.stderr)
        with xarray.open_dataset(folder / "t.h5", engine="netcdf4") as data:
            moved = data["displacement"].values
            facts.check("with its errors", bool((data["error"].values < 1e-3).all()),
                        str(data["error"].values))
        sums = 2 * found[0][[0, 2]] - found[1][[0, 2]]
        facts.check("as single answers, summed", np.allclose(moved[0], sums, rtol=0, atol=1e-9),
                    str(np.max(np.abs(moved[0] - sums))))

        def refused(what, text, *arguments):
            call = run("answer", *arguments, "-o", "no.h5")
            facts.check(what, call.returncode == BAD_INPUT and text in call.stderr
                        and not (folder / "no.h5").exists(), call.stderr)

        refused("a viscosity outside is refused",
                "viscosity of 'mantle' must be within 1e+18 to 1e+20 Pa s", "ranged/greens.h5",
                "--viscosity", "mantle=1e21")
        refused("an elastic material is refused", "there are: mantle", "ranged/greens.h5",
                "--viscosity", "crust=1e19")
        refused("a word is refused", "must be NAME=VALUE", "ranged/greens.h5", "--viscosity",
                "mantle=soft")
        refused("a viscosity that is named twice is refused", "names 'mantle' twice",
                "ranged/greens.h5", "--viscosity", "mantle=2e18", "--viscosity", "mantle=3e18")
        refused("slip without a table is refused", "--slip is for --table", "ranged/greens.h5",
                "--slip", "slip.csv")
        refused("what was answered answers no more", "answers for no other viscosities", "a.h5")
        refused("a later epoch is refused", "epochs must be within 0 to", "ranged/greens.h5",
                "--epochs", "5")
        refused("a dataset without a range is refused", "answers for no other viscosities",
                "alone/greens.h5", "--viscosity", "mantle=1e19")
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
