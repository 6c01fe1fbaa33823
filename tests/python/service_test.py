#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""The Python package against a service of its own, and the tutorials as they stand there.

Usage: service_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest.mock

SOURCE = pathlib.Path(sys.argv[2]).resolve()
PACKAGE = pathlib.Path(sys.argv[1]).resolve().parent / "python"
sys.path[:0] = [str(SOURCE / "tests/e2e"), str(PACKAGE)]
from service_harness import SKIP, Facts, running_service  # noqa: E402

if not (PACKAGE / "kaname/_proto/kaname/v1/jobs_service_pb2_grpc.py").exists():
    print(f"the Python package is not built in {PACKAGE}")
    sys.exit(SKIP)
try:
    import grpc  # noqa: F401
    import matplotlib  # noqa: F401
    import numpy as np
    import xarray  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing} (deploy/scripts/packages.sh test)")
    sys.exit(SKIP)
import invented  # noqa: E402
import kaname  # noqa: E402


def tutorial_facts(facts, name, work):
    """Runs its blocks in order, in one process and the folder `work`."""
    page = (SOURCE / f"docs/tutorials/{name}.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.S | re.M)
    code = "import matplotlib\nmatplotlib.use('Agg')\n" + "\n".join(blocks)
    done = subprocess.run([sys.executable, "-c", code], cwd=work, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE)}, timeout=300, check=False)
    facts.check(f"the {len(blocks)} blocks of {name}.md run", len(blocks) > 2
                and done.returncode == 0, done.stdout + done.stderr)


def raises(code, call):
    try:
        call()
    except kaname.Error as error:
        return error.code == code
    return False


def wire_facts(facts, client, work):
    job = client.job("first")
    local, wire = kaname.open(work / "first.h5"), client.dataset("first")
    facts.check("a dataset over the wire has the values of its file",
                np.array_equal(local.greens[...], wire.greens[...], equal_nan=True)
                and np.array_equal(local.patches.potency, wire.patches.potency)
                and local.stations.id == wire.stations.id)
    before = wire.bytes_moved
    part = wire.greens[[1, 0], ::-2, 2]
    facts.check("a slice moves its own bytes and no more", wire.bytes_moved - before == part.nbytes
                and np.array_equal(part, np.array(local.greens)[[1, 0], ::-2, 2]),
                wire.bytes_moved - before)
    streamed = {s.id: s.greens for s in job.stream()}
    facts.check("streamed sources are the dataset's", all(
        np.array_equal(streamed[name], local.greens[i]) for i, name in
        enumerate(local.sources.id)))
    facts.check("names, first characters and queries find the job",
                client.job(job.id[:6]).id == client.job(job.id).id == job.id
                and [d.job for d in client.datasets("FIRS")] == [job.id])
    station = local.stations.id[0]
    facts.check("filters find the dataset, and not others",
                [d.job for d in client.datasets(name="first", station=[station], complete=True,
                                                box=(-180, -90, 180, 90))] == [job.id]
                and client.datasets(station="nowhere") == []
                and client.datasets("first", near=(0, -90), within_km=1) == [])
    facts.check("a job that is not there is not found",
                raises("NotFound", lambda: client.job("nope")))
    facts.check("a wrong token is refused", raises("Unauthenticated", lambda: kaname.connect(
        client.endpoint.address, "wrong").jobs()))


def download_facts(facts, client, work):
    job, whole = client.job("first"), (work / "first.h5").read_bytes()
    target, part = work / "again.h5", work / "again.h5.part"
    part.write_bytes(whole[:20000])
    _, done = job.download_report(target)
    facts.check("a broken download goes on", done.resumed_from == 20000
                and target.read_bytes() == whole and not part.exists(), done)
    facts.check("a file that is the dataset stays",
                job.download_report(target)[1].resumed_from == 0)
    target.write_text("mine")
    facts.check("another file is not replaced", raises("Conflict", lambda: job.download(target))
                and target.read_text() == "mine")
    for left in (b"x" * 20000, b"x" * (len(whole) + 7)):
        part.write_bytes(left)
        job.download(target, force=True)
        facts.check(f"a beginning of something else ({len(left)} bytes) is given up",
                    target.read_bytes() == whole)


def submit_facts(facts, client, service, work):
    stations = work / "stations.csv"
    stations.write_text("station,lon_deg,lat_deg\nNEW,135.1,34.1\n")
    tiny = kaname.load(SOURCE / "tests/e2e/data/tiny.yaml")
    tiny["stations"]["files"] = ["stations.csv"]
    tiny["name"] = "with-file"
    wish = "7d1f2c55-6a9e-4f0c-9d1b-0c6f1f1f7a11"
    job = client.submit(tiny, wait=True, request_id=wish, folder=work)
    facts.check("the report of the submit is there when the job has ended",
                job.report is not None and job.report["created"] > 0
                and job.refresh().report == job.report, job.report)
    facts.check("a job that was found has none", client.job(job.id).report is None)
    with unittest.mock.patch("kaname.client._PAGE", 1):
        facts.check("jobs() pages to the end", len(client.jobs()) == len(client.jobs(limit=100)) > 1
                    and len(client.jobs(limit=1)) == 1)
    facts.check("files of a dictionary are uploaded and used",
                job.state == "done" and job.dataset().stations.id[-1] == "NEW", job)
    again = client.submit(tiny, request_id=wish, folder=work)
    facts.check("a repeated wish queues nothing twice", again.id == job.id
                and again.report["replayed"], again.report)
    (work / "with-file.yaml").write_text((SOURCE / "tests/e2e/data/tiny.yaml").read_text())
    by_program = service.json("submit", work / "with-file.yaml")
    same = client.submit(work / "with-file.yaml")
    facts.check("what Python submits is what kaname submits",
                same.report["created"] == 0 and same.specification
                == client.job(by_program["id"]).specification, same.report)
    coarse = {**tiny, "mesh": {**tiny["mesh"], "size_at_fault_km": 40}}
    try:
        fields = {client.submit(coarse, folder=work): None}
    except kaname.Error as error:
        fields = {v.field for v in error.violations}
    facts.check("what only the server finds wrong names its fields", "mesh.size_at_fault_m" in fields,
                fields)
    large = client.submit({**tiny, "name": "large", "description": "words " * 900000}, folder=work)
    facts.check("a specification above a message's limit is sent in pieces",
                len(large.specification["description"]) == 5400000)
    cancelled = large.cancel()
    facts.check("a job is cancelled", cancelled.state in ("cancelled", "done"), cancelled)


def answer_facts(facts, client, work):
    """Other viscosities from the server, against its dataset's own at the reference."""
    tiny = (SOURCE / "tests/e2e/data/tiny.yaml").read_text()
    (work / "ranged.yaml").write_text(tiny.replace("1e19", "{from: 1e18, to: 1e20}").replace(
        "step_years: 1, ", "method: spectrum, ").replace("name: tiny", "name: ranged"))
    job = client.submit(work / "ranged.yaml", wait=True)
    found = job.answer({}, {"mantle": 2e18})
    with job.dataset() as data:
        greens = data.greens[:]
    scale = np.max(np.abs(greens))
    facts.check("the reference is answered as the dataset has it", job.state == "done"
                and found.displacement.shape == (2, *greens.shape)
                and np.allclose(found.displacement[0], greens, rtol=0, atol=1e-4 * scale), found)
    facts.check("and another viscosity otherwise, with its error",
                np.max(np.abs(found.displacement[1] - greens)) > 1e-2 * scale
                and bool((found.error < 1e-3).all() and (found.error > 0).all()), found.error)
    facts.check("with the ranges", found.ranges == {"mantle": (1e18, 1e20, 1e19)}, found.ranges)
    summed = job.answer({"mantle": 2e18}, epochs_years=[0, 3], slip={found.sources[1]: -2.0},
                        slip_history={"kind": "step"})
    facts.check("slip is summed at any epochs", np.allclose(
        summed.displacement[0], -2.0 * found.displacement[1][1][[0, 2]], rtol=1e-6, atol=1e-12))
    facts.check("what is out of range is bad input",
                raises("InvalidArgument", lambda: job.answer({"mantle": 1e21}))
                and raises("InvalidArgument", lambda: client.job("first").answer({})))


def inversion_facts(facts, client, work):
    """What numpy finds is what the program finds, by all that numpy knows."""
    offsets = {"file": work / "offsets.csv", "nuisance": ["offset"]}
    requests = [({}, {}),
                ({"allow_negative": True}, {"choice": "fixed", "smoothness": [0.1],
                                            "sparsity": [0.01]}),
                ({"components": ["dip_slip"], "max_m": 1.5}, {"edges": "free", "folds": 3}),
                ({"min_m": 0.02}, {"rule": "one_standard_error", "seed": 7})]
    for slip, weights in requests:
        ours, theirs = (kaname.invert(work / "greens.h5", offsets, slip=slip,
                                      regularisation=weights, program=program)
                        for program in (False, True))
        same = {name: np.nanmax(np.abs(getattr(ours, name) - getattr(theirs, name)))
                / np.nanmax(np.abs(getattr(theirs, name)))
                for name in ("slip", "slip_sigma", "resolution_diagonal")}
        same["predicted"] = np.max(np.abs(ours.data["offsets"].predicted
                                          - theirs.data["offsets"].predicted))
        facts.check(f"numpy and the program agree on {slip} {weights}",
                    max(same.values()) < 1e-7 and ours.choice.chosen == theirs.choice.chosen
                    and abs(ours.moment_magnitude - theirs.moment_magnitude) < 1e-8, same)
    # Slip of 10 cm on all patches misses a station near the fault, which only the program explains.
    missed, explained = (kaname.invert(work / "greens.h5", offsets, slip={"min_m": 0.1}, program=program).slip
                         for program in (None, True))
    facts.check("what numpy's slip misses is the program's", np.array_equal(missed, explained))
    motion = {"station": ["W10", "E20", "N25"], "east_mm": [12, -9, 1], "sigma_east_mm": [1, 1, 1]}
    job = client.job("first")
    live = kaname.invert(job, motion, program=True, output=work / "live")
    by_file = kaname.invert(work / "first.h5", motion, program=True)
    facts.check("a job is inverted as its dataset is", np.array_equal(live.slip, by_file.slip)
                and live.report["missing"] == [], live.report)
    facts.check("which is kept with the slip",
                (work / "live/greens.h5").read_bytes() == (work / "first.h5").read_bytes())


def main():
    facts = Facts()
    with running_service(sys.argv[1], ["--threads", "2"]) as service:
        os.environ["KANAME_STATE"] = str(service.state)
        for name in ("KANAME_SERVER", "KANAME_TOKEN"):
            os.environ.pop(name, None)
        work = service.work
        empty = work / "tutorials"
        empty.mkdir()
        for name in ("first_dataset", "inversion", "postseismic", "streaming"):
            tutorial_facts(facts, name, empty)
        shutil.copy(empty / "first.h5", work)
        values = invented.write(work / "greens.h5")
        invented.write_offsets(work / "offsets.csv", values)
        pictures = {path.name for path in empty.glob("*.png")}
        facts.check("the tutorials' pictures are there", {
            "first.png", "slip.png", "vectors.png", "scores.png", "l_curve.png",
            "residuals.png", "misfit.png"} <= pictures, pictures)
        with kaname.connect() as client:
            facts.check("the server answers", client.serving())
            wire_facts(facts, client, work)
            download_facts(facts, client, work)
            inversion_facts(facts, client, work)
            submit_facts(facts, client, service, work)
            answer_facts(facts, client, work)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
