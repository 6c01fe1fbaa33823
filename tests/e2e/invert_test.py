#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""kaname invert and kaname submit of an inversion, on an invented dataset of two patches.

Usage: invert_test.py BIN_DIR [SOURCE_DIR]. Prints one line per fact; exits 1 when one does not hold.
"""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from service_harness import BAD_INPUT, SKIP, SOME_FAILED, STATE, Facts, cf_facts, running_service  # noqa: E402

N_STATIONS = 12
SLIP = np.array([0.0, 1.5, 0.0, 0.5])  # strike and dip slip of each patch [m]
YAML = """schema: kaname.v1.Inversion
name: invented
greens: greens.h5
data:
  - {file: offsets.csv, sigma_east_m: 0.001, sigma_north_m: 0.001, sigma_up_m: 0.001}
regularisation: {choice: fixed, smoothness: 1e-9, edges: free}
"""


def write_dataset(path):
    """Green's functions without physics, but with all variables of docs/user/dataset.md."""
    draw = np.random.default_rng(3)
    greens = draw.normal(0.0, 0.2, (4, 1, N_STATIONS, 3))
    text = h5py.string_dtype()
    with h5py.File(path, "w") as file:
        file["greens"] = greens
        file["epoch"] = [0.0]
        file["step_time"] = [0.0]
        for name in ("iterations", "residual", "initial_residual"):
            file[name] = np.zeros((4, 1), "i4" if name == "iterations" else "f8")
        patches = ["s00d00", "s00d00", "s01d00", "s01d00"]
        components = ["strike_slip", "dip_slip"] * 2
        for name, values in (("source", [f"{p}/{c}" for p, c in zip(patches, components)]),
                             ("patch_id", patches), ("slip_component", components),
                             ("failure", [""] * 4), ("component", ["east", "north", "up"]),
                             ("station", [f"S{k:02}" for k in range(N_STATIONS)])):
            file.create_dataset(name, data=values, dtype=text)
        x = np.array([0.0, 0.0, 20e3, 20e3])
        numbers = {"rake": [0, 90, 0, 90], "patch_lon": 140 + x / 9e4, "patch_lat": 38,
                   "patch_depth": 1e4, "strike": 90, "dip": 30, "patch_length": 2e4,
                   "patch_width": 2e4, "patch_x": x, "patch_y": 0, "patch_area": 4e8,
                   "slip_length": 2e4, "slip_width": 2e4, "slip_area": 4e8, "potency": 4e8,
                   "rigidity": 4e10}
        for name, values in numbers.items():
            file[name] = np.broadcast_to(np.asarray(values, float), 4)
        corners = np.array([[-0.1, 0.1], [0.1, 0.1], [0.1, -0.1], [-0.1, -0.1]])
        file["outline_lon"] = numbers["patch_lon"][:, None] + corners[:, 0]
        file["outline_lat"] = 38.0 + np.tile(corners[:, 1], (4, 1))
        for name in ("depth", "x", "y"):
            file[f"outline_{name}"] = np.ones((4, 4))
        file["hat"] = np.ones(4, "i1")
        file["status"] = np.ones(4, "i1")
        file["grid_row"] = np.zeros(4, "i4")
        file["grid_column"] = np.array([0, 0, 1, 1], "i4")
        file["neighbours"] = np.array([[-1, 2, -1, -1], [-1, 3, -1, -1], [0, -1, -1, -1],
                                       [1, -1, -1, -1]], "i4")
        for prefix in ("station", "snapped"):
            file[f"{prefix}_lon"] = 139.0 + 0.1 * np.arange(N_STATIONS)
            file[f"{prefix}_lat"] = np.full(N_STATIONS, 39.0)
            file[f"{prefix}_depth"] = np.zeros(N_STATIONS)
        file["crs"] = 0
        file["crs"].attrs["crs_wkt"] = "none"
        for name in ("kaname_version", "mesh_sha256", "material_sha256"):
            file.attrs[name] = ""
        file.attrs.update({"name": "invented", "title": "invented", "specification": "{}",
                           "unit": "m per m of slip", "slip_history": "step"})
        file.attrs["tolerance"] = 1e-8
        file.attrs["dof"] = np.int64(99)
    return np.einsum("s,stnc->nc", SLIP, greens)


def write_inputs(folder):
    motion = write_dataset(folder / "greens.h5")
    rows = ["station,lon_deg,lat_deg,east_mm,north_mm,up_mm"]
    for k, (east, north, up) in enumerate(1e3 * motion):
        rows.append(f"S{k:02},{139 + 0.1 * k:.1f},39,{east:.6f},{north:.6f},{up:.6f}")
    (folder / "offsets.csv").write_text("\n".join(rows) + "\n")
    (folder / "invented.yaml").write_text(YAML)


def found_slip(path):
    with h5py.File(path) as file:
        return file["slip"][0]


def posterior_facts(facts, call, folder, said):
    done = call(*said, "--posterior", "--effective-samples", "300", "-o", "sampled", "--json")
    facts.check("a posterior that has converged ends with 0", done.returncode == 0, done.stderr)
    report = json.loads(done.stdout).get("posterior", {}) if done.returncode == 0 else {}
    facts.check("and has moments and diagnostics", report.get("converged") is True
                and report["windows"][0]["moment_n_m"]["median"] > 0.0
                and report["effective_slip"] >= 300, report)
    facts.check("it ends early with the effective samples that were asked for",
                1000 <= report["iterations"] < report["most_iterations"] == 10000, report)
    facts.check("its specification asks for it",
                "effective_samples: 300" in (folder / "sampled/inversion.yaml").read_text())
    with h5py.File(folder / "sampled/inversion.h5") as file:
        slip = file["posterior/slip"][:, 0]
    facts.check("the file has the slip that made the data within its quantiles",
                np.allclose(slip[2], SLIP, atol=0.02) and (slip[0] <= SLIP + 1e-3).all()
                and (slip[-1] >= SLIP - 1e-3).all(), slip)
    cf_facts(facts, "a file with a posterior", folder / "sampled/inversion.h5")
    (folder / "short.yaml").write_text(YAML.replace("0.001", "1") + "posterior: {iterations: 100}\n")
    done = call("invert", "short.yaml", "-o", "short")
    facts.check("one that has not converged ends with 4 and says so, with its file",
                done.returncode == SOME_FAILED and "it has not converged" in done.stdout
                and (folder / "short/inversion.h5").exists(), done.stdout + done.stderr)


def write_others(folder, count):
    """Datasets of other structures, by their names."""
    draw = np.random.default_rng(4)
    names = [f"other{k}.h5" for k in range(count)]
    for name in names:
        shutil.copyfile(folder / "greens.h5", folder / name)
        with h5py.File(folder / name, "r+") as file:
            greens = file["greens"][...]
            file["greens"][...] = greens * (1.0 + 0.05 * draw.normal(size=greens.shape))
    return names


def model_error_facts(facts, call, folder, said):
    """Data are those of the dataset; six others say how wrong it may be."""
    others = write_others(folder, 6)
    done = call(*said, "--model-errors", ",".join(others), "-o", "errors", "--json")
    facts.check("errors of the structure are taken by an option", done.returncode == 0, done.stderr)
    report = json.loads(done.stdout) if done.returncode == 0 else {}
    errors = report.get("model_errors", {})
    facts.check("with three rounds over all datasets", errors.get("members") == 6
                and errors.get("rank") == 5 and len(errors.get("rounds", [])) == 3, errors)
    facts.check("and are told beside the standard deviations, with a warning of few datasets",
                report["sets"][0]["model_error_ratio"] > 5.0
                and "model errors are" in report["text"]
                and any("6 datasets" in warning for warning in report["warnings"]), report["text"])
    with h5py.File(folder / "errors/inversion.h5") as file:
        wider = file["slip_sigma"][...]
        facts.check("the file has them for each row", file.attrs["model_error_members"] == 6
                    and (file["data/offsets/model_error"][...] > 0.0).all())
    with h5py.File(folder / "said/inversion.h5") as file:
        facts.check("slip is less certain", (wider > file["slip_sigma"][...]).all())
    cf_facts(facts, "a file with errors of the structure", folder / "errors/inversion.h5")
    (folder / "campaign.json").write_text(json.dumps({"members": [{"file": name} for name in others]}))
    done = call("invert", "errors/inversion.yaml", "--model-errors", ".", "-o", "again", "--force")
    facts.check("a campaign's folder stands for its datasets", done.returncode == 0
                and np.array_equal(found_slip(folder / "errors/inversion.h5"),
                                   found_slip(folder / "again/inversion.h5")), done.stderr)
    with h5py.File(folder / "other3.h5", "r+") as file:
        file["station"][2] = "elsewhere"
    done = call("invert", "errors/inversion.yaml", "-o", "bad")
    facts.check("a dataset of other stations is bad input that names it",
                done.returncode == BAD_INPUT and "other3.h5" in done.stderr
                and "station 3 is 'elsewhere', in greens it is 'S02'" in done.stderr, done.stderr)


def history_facts(facts, call, folder, motion):
    """Slip of SLIP that happens evenly from day 40 to day 60 of 100, behind an elastic Earth."""
    noise = np.random.default_rng(2)
    rows = ["station,epoch_days,east_m,north_m,up_m"]
    for day in range(1, 100, 3):
        part = np.clip((day - 40) / 20, 0.0, 1.0)
        for k, moved in enumerate(part * motion + noise.normal(0.0, 1e-3, motion.shape)):
            rows.append(f"S{k:02},{day}," + ",".join(f"{value:.6f}" for value in moved))
    (folder / "series.csv").write_text("\n".join(rows) + "\n")
    said = ["invert", "--greens", "greens.h5", "--data", "series.csv", "--sigma-east-m", "0.001",
            "--sigma-north-m", "0.001", "--sigma-up-m", "0.001", "--random-walk-m", "1e-4"]
    done = call(*said, "--history", "0,100,10", "-o", "history", "--json")
    facts.check("slip in time is found by options", done.returncode == 0, done.stderr)
    report = json.loads(done.stdout).get("history", {}) if done.returncode == 0 else {}
    facts.check("and says when the moment rate was largest", report.get("steps") == 10
                and report["begin_s"] in (40 * 86400.0, 50 * 86400.0), report)
    with h5py.File(folder / "history/inversion.h5") as file:
        slip, rate = file["history/slip"][...], file["history/moment_rate"][...]
        facts.check("slip at the end is what made the data", np.allclose(slip[-1], SLIP, atol=0.02)
                    and np.array_equal(slip[-1], file["slip"][0]), slip[-1])
        facts.check("and happened from day 40 to day 60", rate[4:6].sum() > 0.9 * rate.sum(), rate)
    cf_facts(facts, "slip in time", folder / "history/inversion.h5")
    package = pathlib.Path(sys.argv[1]).resolve().parent / "python"
    if (package / "kaname").exists():
        done = subprocess.run([sys.executable, "-c", IN_PYTHON], cwd=folder, capture_output=True,
                              text=True, check=False,
                              env={**os.environ, "PYTHONPATH": str(package)})
        facts.check("Python reads rates, moments and terms", done.returncode == 0, done.stderr)
    done = call(*said, "--history", "0,100", "-o", "no")
    facts.check("a history needs begin, end and step", done.returncode == BAD_INPUT, done.stderr)


IN_PYTHON = """from kaname.inversion import Inversion
found = Inversion.read("history/inversion.h5").history
assert found.slip_rate.shape == (10, 4) and found.edge[-1] == 100 * 86400.0
assert (found.moment_rate_sigma > 0).all() and found.moment.shape == (11,)
assert found.terms["series/S00/east"].keys() == {"offset_m"}
"""


def check_locally(facts, binary, folder):
    def call(*arguments):
        return subprocess.run([binary / "kaname", *arguments], cwd=folder, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, check=False)

    done = call("validate", "invented.yaml")
    facts.check("validate finds an inversion valid", done.returncode == 0, done.stderr)
    done = call("estimate", "invented.yaml", "--json")
    facts.check("estimate counts the dataset's sources",
                done.returncode == 0 and json.loads(done.stdout)["sources"] == 4, done.stderr)
    done = call("invert", "invented.yaml", "-o", "out", "--json")
    facts.check("invert ends with 0 and JSON", done.returncode == 0, done.stderr)
    report = json.loads(done.stdout) if done.returncode == 0 else {}
    facts.check("and counts unknowns and observations",
                report.get("unknowns") == 4 and report.get("observations") == 3 * N_STATIONS,
                report)
    facts.check("and finds the slip that made the data",
                np.allclose(found_slip(folder / "out/inversion.h5"), SLIP, atol=1e-3))
    cf_facts(facts, "a file of an inversion", folder / "out/inversion.h5")
    done = call("invert", "invented.yaml", "-o", "out")
    facts.check("a second one is refused", done.returncode == STATE, done.stderr)
    done = call("invert", "invented.yaml", "-o", "out", "--force")
    facts.check("but for --force", done.returncode == 0 and "Mw" in done.stdout, done.stderr)

    said = ["invert", "--greens", "greens.h5", "--data", "offsets.csv", "--sigma-east-m", "0.001",
            "--sigma-north-m", "0.001", "--sigma-up-m", "0.001"]
    done = call(*said, "-o", "said")
    facts.check("options stand for a specification", done.returncode == 0, done.stderr)
    done = call("invert", "said/inversion.yaml", "-o", "again")
    facts.check("which they leave", done.returncode == 0, done.stderr)
    facts.check("and which finds the same",
                np.array_equal(found_slip(folder / "said/inversion.h5"),
                               found_slip(folder / "again/inversion.h5")))

    posterior_facts(facts, call, folder, said)
    model_error_facts(facts, call, folder, said)
    with h5py.File(folder / "greens.h5") as file:
        history_facts(facts, call, folder, np.einsum("s,stnc->nc", SLIP, file["greens"][...]))

    table = (folder / "offsets.csv").read_text()
    (folder / "offsets.csv").write_text(table.replace("S01,", "XX,").replace("139.1", "10"))
    done = call(*said, "-o", "bad")
    facts.check("a station that the dataset lacks is bad input",
                done.returncode == BAD_INPUT and "XX" in done.stderr, done.stderr)
    facts.check("and leaves nothing", not (folder / "bad").exists())
    (folder / "offsets.csv").write_text(table)
    found = call("invert", "invented.yaml", "-o", "out", "--force").stdout
    done = call("show", "out/inversion.h5")
    facts.check("show says again what was found",
                done.returncode == 0 and "Mw" in done.stdout and found.startswith(done.stdout),
                done.stdout + done.stderr)
    again = json.loads(call("show", "out/inversion.h5", "--json").stdout)
    facts.check("also as JSON", again["windows"] == report["windows"] and again["file"]
                == "out/inversion.h5", again)
    if importlib.util.find_spec("matplotlib"):
        done = call("plot", "out/inversion.h5", "--output", "slip.png")
        facts.check("plot draws slip on its patches",
                    done.returncode == 0 and "slip on 2 patches" in done.stdout
                    and (folder / "slip.png").read_bytes()[:4] == b"\x89PNG",
                    done.stdout + done.stderr)
    done = call("show", "out/slip.csv")
    facts.check("a table is no dataset", done.returncode == BAD_INPUT, done.stderr)
    done = call("run", "invented.yaml")
    facts.check("run names the command",
                done.returncode == BAD_INPUT and "invert invented.yaml" in done.stderr, done.stderr)


def check_service(facts, service):
    folder = service.work
    write_inputs(folder)
    others = ", ".join(write_others(folder, 2))
    (folder / "invented.yaml").write_text(YAML + f"model_errors: {{datasets: [{others}]}}\n")
    done = service.call("submit", "invented.yaml", "--wait", "--output", "served", "--json")
    facts.check("submit sends the files", done.returncode == 0 and "upload" in done.stderr,
                done.stdout + done.stderr)
    job = json.loads(done.stdout)
    facts.check("a job is done", job["state"] == "done", job)
    facts.check("without sources", job["counts"]["sources"] == 0, job["counts"])
    facts.check("submit --wait ends with inversion.h5",
                job["output"] == "served/inversion.h5"
                and np.allclose(found_slip(folder / "served/inversion.h5"), SLIP, atol=1e-3), job)
    done = service.call("logs", "latest")
    facts.check("logs say what was found, with errors of the structure from datasets that were sent",
                "Mw" in done.stdout and "model errors: 2 datasets" in done.stdout,
                done.stdout + done.stderr)
    (folder / "got").mkdir()
    done = service.call("download", "latest", "--output", "got")
    facts.check("download names it by its kind", (folder / "got/inversion.h5").exists(),
                done.stdout + done.stderr)
    done = service.call("stream", "latest", "--json")
    facts.check("a stream of it ends without values",
                done.returncode == 0 and "displacement_m" not in done.stdout,
                done.stdout + done.stderr)
    again = service.json("submit", "invented.yaml")
    facts.check("what was computed is not computed again", again["report"]["reused"] == 1,
                again["report"])
    yaml = (folder / "invented.yaml").read_text()
    (folder / "other.yaml").write_text(yaml.replace("name: invented", "name: other").replace(
        "smoothness: 1e-9", "smoothness: 1e-8"))
    done = service.call("submit", "other.yaml", "--wait", "--output", "other")
    facts.check("a dataset that was sent is not sent again",
                done.returncode == 0 and "upload" not in done.stderr, done.stderr)
    # It is no dataset, but a file that the server has made.
    (folder / "made.yaml").write_text(yaml.replace("greens.h5", "served/inversion.h5"))
    done = service.call("submit", "made.yaml")
    facts.check("nor is a file that the server has made",
                done.returncode == BAD_INPUT and "Green's functions" in done.stderr
                and "upload" not in done.stderr, done.stderr)


def check_live(facts, service):
    """Slip from the sources of a job: of one that runs, of one that has ended with a few."""
    folder = service.work
    (folder / "motion.csv").write_text("station,east_mm,north_mm,up_mm\nW10,12,1,30\nE20,-9,2,-4\n"
                                       "N25,1,3,2\n")
    data = ["--data", "motion.csv", "--sigma-east-m", "0.001", "--sigma-north-m", "0.001",
            "--sigma-up-m", "0.003"]
    tiny = pathlib.Path(__file__).resolve().parent / "data/tiny.yaml"
    service.json("submit", tiny)
    done = service.call("invert", "--job", "latest", *data, "-o", "live", "--json")
    facts.check("invert waits for a job's sources", done.returncode == 0, done.stderr)
    last = json.loads(done.stdout.splitlines()[-1])
    facts.check("and ends with all of them", last["unknowns"] == 2 and last["missing"] == [], last)
    service.call("download", "latest", "--output", "tiny.h5")
    facts.check("greens.h5 is the job's dataset",
                (folder / "live/greens.h5").read_bytes() == (folder / "tiny.h5").read_bytes())
    service.call("invert", "live/inversion.yaml", "-o", "relived")
    facts.check("inversion.yaml says the same with it",
                np.array_equal(found_slip(folder / "live/inversion.h5"),
                               found_slip(folder / "relived/inversion.h5")))
    done = service.call("invert", "--job", "latest", *data, "-o", "live")
    facts.check("it replaces nothing unasked", done.returncode == STATE, done.stderr)

    (folder / "grid.yaml").write_text(tiny.read_text().replace(
        "    rake_deg: [0, 90]\n", "    rake_deg: [0, 90]\n    n_strike: 6\n    n_dip: 3\n").replace(
            "size_at_fault_km: 10", "size_at_fault_km: 5"))
    job = service.json("submit", "grid.yaml")["id"]
    watch = service.start("watch", job, "--json")
    for line in watch.stdout:
        if json.loads(line).get("job", {}).get("counts", {}).get("done", 0) > 0:
            break
    service.call("cancel", job)
    watch.communicate()
    done = service.call("invert", "--job", job, *data, "-o", "part")
    n_done = int(service.json("status", job)["counts"]["done"])
    facts.check("a job that ended early gives the slip of its sources",
                done.returncode == SOME_FAILED and 0 < n_done < 36
                and f"{n_done} of 36 sources: coseismic Mw" in done.stdout, done.stdout + done.stderr)
    facts.check("and says which are missing", "missing in the dataset" in done.stdout, done.stdout)
    with h5py.File(folder / "part/inversion.h5") as file:
        facts.check("whose slip is none",
                    np.count_nonzero(file["slip"][0]) <= n_done < 36 == file["slip"].shape[1])
    (folder / "motion.csv").write_text("station,east_mm\nXX,12\n")
    done = service.call("invert", "--job", job, *data[:2], "--sigma-east-m", "0.001", "-o", "bad")
    facts.check("a station that the job lacks is bad input",
                done.returncode == BAD_INPUT and "XX" in done.stderr, done.stderr)
    facts.check("and leaves nothing", not (folder / "bad").exists())


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    if not (binary / "kaname").exists() or not (binary / "kaname-compute").exists():
        print(f"kaname or kaname-compute is not built in {binary}")
        return SKIP
    facts = Facts()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_inputs(folder)
        check_locally(facts, binary, folder)
    with running_service(binary, ("--ranks", "1", "--threads", "1")) as service:
        check_service(facts, service)
        done = service.call("invert", "invented.yaml", "--job", "latest", "-o", "none")
        facts.check("a job without sources is refused",
                    done.returncode == BAD_INPUT and "has no sources" in done.stderr, done.stderr)
        check_live(facts, service)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
