#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Answers without solving: `kaname answer` on a dataset whose viscosity has a range, against the
dataset of a run with that viscosity alone, tables, other bodies and slip histories, a server's
answers, and the errors.

Usage: answer_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import xarray

from service_harness import BAD_INPUT, SKIP, Facts, cf_facts, local_caller, running_service


def greens(path):
    with xarray.open_dataset(path, engine="netcdf4") as data:
        return data["greens"].values, data.attrs["title"]


def change_of(values):
    return np.max(np.abs(values - values[:, :1]), axis=(1, 2, 3), keepdims=True)


def table_of(path):
    """Rows of a csv as (source or "", year, station) -> east, north, up."""
    with open(path, newline="", encoding="utf-8") as file:
        return {(row.get("source", ""), float(row["epoch_years"]), row["station"],
                 row.get("mantle", "")): [float(row[k]) for k in ("east", "north", "up")]
                for row in csv.DictReader(file)}


def served_facts(facts, bin_dir, ranged_yaml):
    """The same answers from a server, as tables."""
    with running_service(bin_dir, ("--ranks", "1", "--threads", "1")) as service:
        (service.work / "ranged.yaml").write_text(ranged_yaml)
        done = service.call("submit", "ranged.yaml", "--wait", "--output", "served")
        facts.check("a job with a range ends well", done.returncode == 0, done.stderr)
        done = service.call("answer", "latest", "--viscosity", "mantle=4e18", "--epochs", "0,2",
                            "-o", "a.csv")
        facts.check("the server answers", done.returncode == 0, done.stdout + done.stderr)
        served = service.call("answer", "served/greens.h5", "--viscosity", "mantle=4e18",
                              "--epochs", "0,2", "-o", "a.h5")
        facts.check("and the file that it made does", served.returncode == 0, served.stderr)
        cf_facts(facts, "a dataset over a range and an answer", service.work / "served/greens.h5",
                 service.work / "a.h5")
        with xarray.open_dataset(service.work / "a.h5", engine="netcdf4") as data:
            wanted = {(str(source), year, str(station), "4e+18"):
                      data["greens"].values[s, t, n].tolist()
                      for s, source in enumerate(data["source"].values)
                      for t, year in enumerate((0.0, 2.0))
                      for n, station in enumerate(data["station"].values)}
            source = str(data["source"].values[0])
        found = table_of(service.work / "a.csv")
        facts.check("with the same numbers", found.keys() == wanted.keys() and all(
            np.allclose(found[key], wanted[key], rtol=1e-5, atol=1e-12) for key in wanted),
            f"{sorted(found)[:3]} {sorted(wanted)[:3]}")

        (service.work / "many.csv").write_text("mantle\n4e18\n1e19\n")
        (service.work / "slip.csv").write_text(f"source,slip_m\n{source},2\n")
        done = service.call("answer", "latest", "--table", "many.csv", "--slip", "slip.csv",
                            "--epochs", "2", "-o", "many.csv.out")
        summed = table_of(service.work / "many.csv.out") if done.returncode == 0 else {}
        facts.check("a table of rheologies is summed over slip", len(summed) == 2 * 3
                    and all(np.allclose(value, 2 * np.array(found[(source, *key[1:])]), rtol=1e-5)
                            for key, value in summed.items() if key[3] == "4e+18"), done.stderr)
        done = service.call("answer", "latest", "--viscosity", "mantle=1e21", "-o", "no.csv")
        facts.check("a viscosity outside is refused with its range", done.returncode == BAD_INPUT
                    and "must be within 1e+18 to 1e+20 Pa s" in done.stderr
                    and not (service.work / "no.csv").exists(), done.stderr)
        done = service.call("answer", "latest", "--viscosity", "mantle=4e18", "-o", "no.h5")
        facts.check("a table is no HDF5 file", done.returncode == BAD_INPUT
                    and "must not end in .h5" in done.stderr, done.stderr)


def other_bodies(facts, run, folder, tiny):
    """Slip that grows, and a Burgers body, against runs with these."""
    (folder / "grown.yaml").write_text(tiny.replace("1e19", "4e18") +
                                       "slip_history: {kind: ramp, duration_years: 2}\n")
    (folder / "burgers.yaml").write_text(tiny.replace(
        "viscosity_pa_s: 1e19",
        "viscosity_pa_s: 2e19, kelvin_mu_gpa: 30, kelvin_viscosity_pa_s: 5e18"))
    for name, arguments in (("grown", ("--viscosity", "mantle=4e18", "--slip-history", "ramp=2")),
                            ("burgers", ("--viscosity", "mantle=2e19", "--rheology",
                                         "mantle.kelvin_mu_ratio=0.5", "--rheology",
                                         "mantle.kelvin=5e18"))):
        solved = run("run", f"{name}.yaml", "--output", name)
        answered = run("answer", "ranged/greens.h5", *arguments, "-o", f"{name}.h5")
        facts.check(f"{name}: both end well", solved.returncode == 0 == answered.returncode,
                    solved.stderr + answered.stderr)
        wanted, found = greens(folder / f"{name}/greens.h5")[0], greens(folder / f"{name}.h5")[0]
        apart = np.max(np.abs(found - wanted) / change_of(wanted))
        facts.check(f"{name}: as a run with it has it", apart < 1e-3, f"{apart:.1e}")
    again = run("answer", "ranged/greens.h5", "--viscosity", "mantle=4e18", "-o", "step.h5")
    step, grown = greens(folder / "step.h5")[0], greens(folder / "grown.h5")[0]
    facts.check("grown slip is another motion", again.returncode == 0
                and np.max(np.abs(step - grown) / change_of(step)) > 0.1, again.stderr)


def half_space_facts(facts, run, folder, tiny):
    """A uniform Maxwell half-space. Displacement by slip knows the moduli only as mu/(lambda + mu)
    (Okada, 1985), so that after a step it changes by 1 - exp(-t/tau') everywhere, with
    tau' = (eta/mu) (kappa + mu/3)/kappa, for every viscosity."""
    mu_pa = kappa_pa = 30e9
    (folder / "uniform.yaml").write_text(
        tiny.replace("    - {name: crust, lambda_gpa: 30, mu_gpa: 30}\n", "")
        .replace("lambda_gpa: 60, mu_gpa: 60, viscosity_pa_s: 1e19",
                 "lambda_gpa: 10, mu_gpa: 30, viscosity_pa_s: {from: 1e18, to: 1e21}")
        .replace("    - {material: crust, bottom_depth_km: 20}\n", "")
        .replace("end_years: 3, epochs_years: [0, 1, 3]", "end_years: 100, epochs_years: [0, 100]")
        .replace("size_at_fault_km: 10", "size_at_fault_km: 4"))
    done = run("run", "uniform.yaml", "--output", "uniform")
    facts.check("a uniform half-space is solved for three decades", done.returncode == 0,
                done.stderr)
    # Over tau'; the stiffest rock is at 0.05 of it at the end of the solve.
    times = np.array([0, 0.001, 0.003, 0.006, 0.01, 0.015, 0.02, 0.026, 0.032, 0.04, 0.047, 0.1, 0.3,
                      0.6, 1, 2, 4, 6])
    shape = 1 - np.exp(-times)
    changes = []
    for eta in np.geomspace(1e18, 1e21, 10):
        tau_years = eta / mu_pa * (kappa_pa + mu_pa / 3) / kappa_pa / (365.25 * 86400)
        epochs = (times * tau_years)[times * tau_years <= 100]
        done = run("answer", "uniform/greens.h5", "--viscosity", f"mantle={eta}", "--epochs",
                   ",".join(map(str, epochs)), "-o", "u.h5", "--force")
        if not facts.check(f"{eta:.1e} Pa s is answered", done.returncode == 0, done.stderr):
            return
        motion = greens(folder / "u.h5")[0]
        changes.append(motion - motion[:, :1])
    whole = changes[0]
    largest = np.max(np.abs(whole), axis=(1, 2, 3), keepdims=True)
    alike = max(np.max(np.abs(change - whole[:, :change.shape[1]])
                       / np.max(np.abs(change), axis=(1, 2, 3), keepdims=True))
                for change in changes)
    facts.check("at equal times over tau' all viscosities move alike, to 1e-3 of each one's change",
                alike < 1e-3 and changes[-1].shape[1] > 10, f"{alike:.1e} {changes[-1].shape}")
    other = run("answer", "uniform/greens.h5", "--viscosity", "mantle=2e19", "--rheology",
                "mantle.kelvin_mu_ratio=1", "--rheology", "mantle.kelvin=1e19", "-o", "no.h5")
    facts.check("a body that relaxes shear and bulk otherwise than what was solved is refused",
                other.returncode == BAD_INPUT and "certified error of this body" in other.stderr
                and not (folder / "no.h5").exists(), other.stderr)
    size = np.einsum("seic,e->sic", whole, shape) / np.sum(shape ** 2)
    off = np.max(np.abs(whole - shape[:, None, None] * size[:, None]) / largest)
    facts.check("and by the closed form's exponential", off < 0.05, f"{off:.3f}")


def scenario_facts(facts, run, folder, tiny):
    """Events under their own times, scales and histories, against a run with the viscosity."""
    fault = tiny[tiny.index("fault:"):tiny.index("stations:")]
    patch = ("patches: [{top_centre: {lon_deg: 135, lat_deg: 34, depth_km: 5}, strike_deg: 0, "
             "dip_deg: 45, length_km: 20, width_km: 10, rake_deg: 90, slip_m: 1}]")
    events = tiny.replace("GreensBatch", "Scenario").replace(fault, "") + f"""
events:
  - {{name: quake, {patch}}}
  - {{name: creep, time_years: 1, scale: 0.5, repeats: 2, interval_years: 1,
     history: {{kind: ramp, duration_years: 1}}, {patch}}}
"""
    for out, viscosity in (("events", "{from: 1e18, to: 1e20}"), ("once", "4e18")):
        (folder / f"{out}.yaml").write_text(events.replace("1e19", viscosity))
        done = run("run", f"{out}.yaml", "--output", out)
        facts.check(f"a scenario ends well: {out}", done.returncode == 0, done.stderr)
    done = run("answer", "events/greens.h5", "--viscosity", "mantle=4e18", "-o", "e.h5")
    facts.check("a scenario answers", done.returncode == 0, done.stderr)
    wanted, found = greens(folder / "once/greens.h5")[0], greens(folder / "e.h5")[0]
    apart = np.max(np.abs(found - wanted) / change_of(wanted))
    facts.check("sum and events are as a run with it has them", apart < 1e-3
                and found.shape[0] == 3, f"{apart:.1e} {found.shape}")
    reference = greens(folder / "events/greens.h5")[0]
    facts.check("which the reference's are not",
                np.max(np.abs(reference - wanted) / change_of(wanted)) > 0.05, "")
    done = run("answer", "events/greens.h5", "--table", "table.csv", "-o", "et.h5")
    with xarray.open_dataset(folder / "et.h5", engine="netcdf4") as data:
        facts.check("a table sums the events", done.returncode == 0 and np.allclose(
            data["displacement"].values[0], found[0], rtol=0, atol=1e-9), done.stderr)
    done = run("answer", "events/greens.h5", "--slip-history", "ramp=2", "-o", "no.h5")
    facts.check("events keep their histories", done.returncode == BAD_INPUT
                and "the events of the scenario have their own" in done.stderr, done.stderr)


IN_PYTHON = """import json, os, shutil, threading, warnings
import h5py, kaname, numpy as np
from kaname._answerer import Answerer
warnings.simplefilter("error")
process = Answerer("ranged/greens.h5")
with kaname.open("ranged/greens.h5") as data, kaname.open("a.h5") as wanted:
    def alike(*rheologies, slip=None, epochs_years=None):
        found = data.answer(*rheologies, slip=slip, epochs_years=epochs_years)
        told = process.answer(rheologies, epochs_years, slip, None)
        assert found.displacement.shape == told.displacement.shape
        assert np.allclose(found.displacement, told.displacement, rtol=1e-12, atol=1e-15)
        assert np.allclose(found.error, told.error, rtol=1e-9)
        assert (found.sources, found.stations, found.ranges, found.rheologies) == (
            told.sources, told.stations, told.ranges, told.rheologies)
        assert np.array_equal(found.epochs, told.epochs)
        return found
    answers = alike({"mantle": 4e18}, {"mantle": 1e19})
    assert answers.displacement.shape == (2, *data.greens.shape), answers.displacement.shape
    assert np.allclose(answers.displacement[0], wanted.greens[:], rtol=0, atol=1e-12)
    assert (answers.error < 1e-3).all() and answers.ranges["mantle"][:2] == (1e18, 1e20)
    ids = data.sources.id
    slip = {ids[0]: 2, ids[1]: -1}
    summed = alike({"mantle": 4e18}, epochs_years=[0, 3], slip=slip)
    assert np.allclose(summed.displacement[0], 2 * wanted.greens[0, [0, 2]]
                       - wanted.greens[1, [0, 2]], rtol=0, atol=1e-9)
    alike({"mantle": 2e19, "mantle.kelvin_mu_ratio": 0.5, "mantle.kelvin": 5e18}, {"mantle": 2e18},
          {}, slip=slip)
    plain = data.answer({"mantle": 4e18}, certified=False)
    assert np.isnan(plain.error).all() and (plain.displacement[0] == answers.displacement[0]).all()

    def refused(text, ask):
        try:
            ask()
        except kaname.Error as error:
            assert error.code == "InvalidArgument", error.code
            assert text in error.message and len(error.message) < 200, error.message
        else:
            raise AssertionError(f"is answered: {text}")
    for ask in (data.answer, lambda *r, **k: process.answer(r, k.get("epochs_years"),
                                                            k.get("slip"), None)):
        refused("must be within 1e+18 to 1e+20 Pa s", lambda: ask({"mantle": 1e21}))
        refused("there are: mantle", lambda: ask({"crust": 1e19}))
        refused("epochs: must be within 0 to", lambda: ask({}, epochs_years=[5]))
        refused("slip: must be of sources of the dataset, got 'x'", lambda: ask({}, slip={"x": 1}))
    assert data.answer().displacement.shape[0] == 1, "the reference, after a refusal"
    found = [None] * 8
    def one(k):
        found[k] = data.answer({"mantle": 1e18 * (2 + k)}, slip=slip).displacement[0]
    threads = [threading.Thread(target=one, args=(k,)) for k in range(8)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert all((found[k] == data.answer({"mantle": 1e18 * (2 + k)}, slip=slip).displacement[0]).all()
               for k in range(8)), "several threads at a time"
    assert data._answerer is None, "no process is started"

    grown = data.answer({"mantle": 4e18}, slip_history={"kind": "ramp", "duration_s": 6e7})
    assert not np.allclose(grown.displacement, answers.displacement[:1])
    running = data._answerer._process
    again = data.answer({"mantle": 4e18}, slip_history={"kind": "ramp", "duration_s": 6e7})
    assert data._answerer._process.pid == running.pid, "one process answers all"
assert running.poll() is not None, "the process ends with the dataset"
process.close()
refused("answers for no other viscosities", lambda: kaname.open("alone/greens.h5").answer())
shutil.copy("ranged/greens.h5", "ranged/ramp.h5")
with h5py.File("ranged/ramp.h5", "r+") as file:
    specification = json.loads(file.attrs["specification"])
    specification["slip_history"] = {"kind": "ramp", "duration_s": 6e7}
    file.attrs["specification"] = json.dumps(specification)
with kaname.open("ranged/ramp.h5") as data:
    process = Answerer("ranged/ramp.h5")
    own = data.answer({"mantle": 4e18}).displacement
    told = process.answer(({"mantle": 4e18},), None, None, None).displacement
    process.close()
    assert np.allclose(own, told, rtol=1e-12, atol=1e-15), "the dataset's own slip history"
    assert np.allclose(own, grown.displacement, rtol=1e-12, atol=1e-15)
os.environ["KANAME_PROGRAM"] = os.path.abspath("alone/kaname")  # a program without the library
os.symlink(os.environ["REAL_COMPUTE"], "alone/kaname-compute")
open("alone/kaname", "w").close()
os.chmod("alone/kaname", 0o755)
from kaname import dataset
dataset._answer_library.cache_clear()
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    with kaname.open("ranged/greens.h5") as data:
        told = [data.answer({"mantle": 4e18}).displacement for _ in range(2)]
        assert data._answerer is not None
assert len(said) == 1 and "answers come from a process" in str(said[0].message), said
assert np.allclose(told, answers.displacement[:1], rtol=1e-12, atol=1e-15)
"""


def python_facts(facts, kaname, folder):
    package = kaname.parents[1] / "python"
    if not (package / "kaname/_proto/kaname/v1/answer_pb2.py").exists():
        print(f"skip  the Python package is not built in {package}")
        return
    (folder / "ask.py").write_text(IN_PYTHON)
    done = subprocess.run([sys.executable, "ask.py"], cwd=folder, capture_output=True, text=True,
                          check=False, env={**os.environ, "PYTHONPATH": str(package),
                                            "KANAME_PROGRAM": str(kaname),
                                            "REAL_COMPUTE": str(kaname.with_name("kaname-compute"))})
    facts.check("Python answers from a file by a library as a process does, and by it without one",
                done.returncode == 0, done.stderr)


IN_PYTHON_DRAWS = """import xarray
from kaname.inversion import Inversion
found = Inversion.read("sampled/inversion.h5")
theta = found.posterior.draws["theta"]
assert theta.shape == (2, 500, 1) and 0 < found.posterior.certified_error < 1e-3
low, *_, high = found.posterior.viscosity["mantle"]
assert low < theta.mean() < high
found.write_arviz("draws.nc")
with xarray.open_dataset("draws.nc", group="posterior", engine="netcdf4") as draws:
    assert draws["slip"].dims == ("chain", "draw", "window", "source"), draws["slip"].dims
    assert draws["theta"].dims == ("chain", "draw", "viscosity") and (draws["theta"] == theta).all()
    assert draws["viscosity"].values.tolist() == ["mantle"] and draws.sizes["draw"] == 500
with xarray.open_dataset("draws.nc", group="sample_stats", engine="netcdf4") as statistics:
    assert statistics["tuning"].dims == ("chain", "draw") and not statistics["tuning"].any()
"""


def posterior_facts(facts, run, folder, package):
    """Slip and the mantle's viscosity sampled together, of motion that was answered."""
    with xarray.open_dataset(folder / "a.h5", engine="netcdf4") as data:
        ids, stations = ([str(v) for v in data[k].values] for k in ("source", "station"))
        moved = 2 * data["greens"].values[0] + np.random.default_rng(1).normal(
            0.0, 5e-4, data["greens"].values[0].shape)
    rows = "".join(f"{station},{year}," + ",".join(map(str, moved[t, n])) + "\n"
                   for t, year in enumerate((0, 1, 3)) for n, station in enumerate(stations))
    (folder / "seen.csv").write_text("station,epoch_years,east_m,north_m,up_m\n" + rows)
    said = ("invert", "--greens", "ranged/greens.h5", "--data", "seen.csv", "--sigma-east-m",
            "5e-4", "--sigma-north-m", "5e-4", "--sigma-up-m", "5e-4", "--choice", "abic")
    done = run(*said, "--theta", "mantle", "-o", "sampled", "--json")
    report = json.loads(done.stdout)["posterior"] if done.returncode in (0, 4) else {}
    theta = report.get("theta", [{}])[0]
    facts.check("slip and a viscosity are sampled together", done.returncode == 0
                and theta["name"] == "mantle" and theta["viscosity_pa_s"]["low"] < 4e18
                < theta["viscosity_pa_s"]["high"] < 1.5 * theta["viscosity_pa_s"]["low"],
                f"{report} {done.stderr}")
    facts.check("with the errors of its responses", 0 < report["certified_error"] < 1e-3
                and 0 < report["interpolation_error"] < 0.1, report)
    facts.check("the request that the options stand for says so", "theta" in
                (folder / "sampled/inversion.yaml").read_text())
    cf_facts(facts, "an inversion with viscosities", folder / "sampled/inversion.h5")
    if (package / "kaname/_proto/kaname/v1/answer_pb2.py").exists():
        done = subprocess.run([sys.executable, "-c", IN_PYTHON_DRAWS], cwd=folder, check=False,
                              capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(package)})
        facts.check("Python has the draws, and writes them for ArviZ", done.returncode == 0,
                    done.stderr)
    done = run(*said, "--theta", "crust", "-o", "no")
    facts.check("a viscosity without a range is refused", done.returncode == BAD_INPUT
                and "posterior.theta[0]: must be a viscosity with a range in the dataset (mantle), "
                "got 'crust'" in done.stderr, done.stderr)


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
            return run("run", f"{out}.yaml", "--output", out)

        ranged = solve("ranged", "{from: 1e18, to: 1e20}")
        alone = solve("alone", "4e18")
        facts.check("both runs end well", ranged.returncode == 0 and alone.returncode == 0,
                    ranged.stderr + alone.stderr)
        answered = run("answer", "ranged/greens.h5", "--viscosity", "mantle=4e18", "-o", "a.h5")
        facts.check("another viscosity is answered", answered.returncode == 0, answered.stderr)
        wanted, _ = greens(folder / "alone/greens.h5")
        found, title = greens(folder / "a.h5")
        change = change_of(wanted)
        apart = np.max(np.abs(found - wanted) / change)
        facts.check("as a run with it alone has it", apart < 1e-3, f"{apart:.1e}")
        reference, _ = greens(folder / "ranged/greens.h5")
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
        refused("a viscosity that is named twice is refused", "'mantle' is said twice",
                "ranged/greens.h5", "--viscosity", "mantle=2e18", "--viscosity", "mantle=3e18")
        refused("slip without a table is refused", "--slip: must be left out without --table", "ranged/greens.h5",
                "--slip", "slip.csv")
        refused("what was answered answers no more", "answers for no other viscosities", "a.h5")
        refused("a later epoch is refused", "epochs: must be within 0 to", "ranged/greens.h5",
                "--epochs", "5")
        refused("a dataset without a range is refused", "answers for no other viscosities",
                "alone/greens.h5", "--viscosity", "mantle=1e19")
        refused("a body beyond what was solved is refused", "its modulus at the shift",
                "ranged/greens.h5", "--viscosity", "mantle=1e18", "--rheology",
                "mantle.kelvin_mu_ratio=0.5", "--rheology", "mantle.kelvin=1e17")
        refused("a history is named", "--slip-history: must be step, ramp=YEARS",
                "ranged/greens.h5", "--slip-history", "creep")
        python_facts(facts, kaname, folder)
        posterior_facts(facts, run, folder, kaname.parents[1] / "python")
        other_bodies(facts, run, folder, tiny)
        scenario_facts(facts, run, folder, tiny)
        half_space_facts(facts, run, folder, tiny)
        served_facts(facts, kaname.parent, (folder / "ranged.yaml").read_text())
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
