#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Files for other programs, of made-up datasets: SAC, miniSEED and StationXML read by their bytes, VTU and
Xdmf by meshio and VTK, where these are installed.

Usage: other_tools_test.py BIN_DIR SOURCE_DIR. Prints one line per fact; exits 1 when one fails.
"""
import json
import math
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import h5py
import numpy as np

from service_harness import BAD_INPUT, STATE, Facts

STATION_XML = "{http://www.fdsn.org/xml/station/1}"
SOURCES, RECEIVERS = ("quake", "after/shock"), ("KOCHI", "far-station")
LON, LAT, DEPTH_M = (135.0, 135.4), (33.0, 33.2), (12e3, 7e3)
STATION_LON, STATION_LAT, STATION_Z = (135.0, 134.2), (33.9, 33.1), (30.0, -20.0)
TURN = math.radians(30.0)  # of the model's x and y, clockwise
SAMPLES, DT_S = 500, 0.05
ORIGIN = "2016-11-13T11:02:56.5Z"
YEAR_S = 31557600.0


def north_of(source, receiver):
    """The made-up motion to true north; there is none to the east, and up is twice of it."""
    time = DT_S * np.arange(SAMPLES)
    return ((source + 1) * np.sin(time + receiver)).astype("f4")


def make_waves(path, on_globe):
    """Receivers lie on meridians near the centre's: grid and true north are alike."""
    n, r = len(SOURCES), len(RECEIVERS)
    motion = np.zeros((n, r, 3, SAMPLES), dtype="f4")
    for k in range(n):
        for i in range(r):
            north = north_of(k, i)
            motion[k, i] = -math.sin(TURN) * north, math.cos(TURN) * north, 2.0 * north
    with h5py.File(path, "w") as file:
        for name, value in (("name", "made-up"), ("title", "made up"), ("specification", "{}"),
                            ("kaname_version", "0.1"), ("kind", "seismograms"), ("step", 0.01),
                            ("voxel_size", 10.0), ("points_per_wavelength", 5.0)):
            file.attrs[name] = value
        text = h5py.string_dtype()
        file.create_dataset("source", data=SOURCES, dtype=text)
        file.create_dataset("receiver", data=RECEIVERS, dtype=text)
        file.create_dataset("failure", data=[""] * n, dtype=text)
        file["time"] = DT_S * np.arange(SAMPLES)
        file["force"], file["moment"] = np.zeros((n, 3)), np.ones((n, 6))
        file["highest_frequency"], file["status"] = np.ones(n), np.ones(n, dtype=np.int8)
        for axis in "xy":
            file[f"source_{axis}"] = 1e3 * np.arange(n)
            file[f"receiver_{axis}"] = 2e3 * np.arange(r)
        file["source_z"], file["receiver_z"] = -np.array(DEPTH_M), np.array(STATION_Z)
        file["seismograms"] = motion
        file["seismograms"].attrs["long_name"] = "velocity"
        file["seismograms"].attrs["units"] = "m s-1"
        if on_globe:
            file.attrs["region_lon"], file.attrs["region_lat"] = 135.0, 33.5
            file.attrs["region_azimuth"] = math.degrees(TURN)
            file["source_lon"], file["source_lat"] = LON, LAT
            file["receiver_lon"], file["receiver_lat"] = STATION_LON, STATION_LAT


def great_circle(source, receiver):
    """Distance [km], azimuth and back azimuth [deg] on a sphere."""
    a, b = math.radians(LAT[source]), math.radians(STATION_LAT[receiver])
    dl = math.radians(STATION_LON[receiver] - LON[source])

    def azimuth(first, second, delta):
        return math.degrees(math.atan2(math.sin(delta) * math.cos(second), math.cos(first)
                                       * math.sin(second) - math.sin(first) * math.cos(second)
                                       * math.cos(delta))) % 360.0

    h = math.sin((b - a) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(dl / 2) ** 2
    return 6371.0 * 2.0 * math.asin(math.sqrt(h)), azimuth(a, b, dl), azimuth(b, a, -dl)


class Sac:
    """A binary SAC file, version 6, by the words that the SAC manual gives."""

    def __init__(self, path):
        data = path.read_bytes()
        self.floats = struct.unpack("<70f", data[:280])
        self.ints = struct.unpack("<40i", data[280:440])
        self.values = np.frombuffer(data[632:], dtype="<f4")
        self.texts = data[440:632].decode()


def sac_facts(facts, work, kaname):
    report = kaname("export", "globe.h5", "--to", "sac", "-o", "sac", "--origin-time", ORIGIN)
    facts.check("sac is exported", report.returncode == 0, report.stderr)
    names = sorted(p.name for p in (work / "sac").glob("*.sac"))
    facts.check("a file for each source, receiver and true component",
                len(names) == 12 and "quake.KOCHI.BXN.sac" in names
                and "after_shock.R1.BXE.sac" in names, names)
    sac = Sac(work / "sac/after_shock.R1.BXN.sac")
    km, azimuth, back = great_circle(1, 1)
    facts.check("the header has station, event and the way between them",
                np.allclose(sac.floats[31:34], (STATION_LAT[1], STATION_LON[1], STATION_Z[1]))
                and np.allclose((*sac.floats[35:37], sac.floats[38]), (LAT[1], LON[1], 7.0))
                and abs(sac.floats[50] / km - 1.0) < 0.005 and abs(sac.floats[51] - azimuth) < 0.3
                and abs(sac.floats[52] - back) < 0.3
                and abs(sac.floats[53] - math.degrees(km / 6371.0)) < 0.005,
                f"{sac.floats[31:39]} {sac.floats[50:54]} {km, azimuth, back}")
    facts.check("and the origin time, at which the trace begins",
                sac.ints[:6] == (2016, 318, 11, 2, 56, 500) and sac.floats[5] == 0.0
                and sac.floats[7] == 0.0 and abs(sac.floats[0] - DT_S) < 1e-8, sac.ints[:6])
    angles = {c: Sac(work / f"sac/quake.KOCHI.BX{c}.sac").floats[57:59] for c in "ENZ"}
    facts.check("and the direction of each component",
                angles == {"E": (90.0, 90.0), "N": (0.0, 90.0), "Z": (0.0, 0.0)}, angles)
    motion = {c: Sac(work / f"sac/quake.KOCHI.BX{c}.sac").values for c in "ENZ"}
    north = north_of(0, 0)
    facts.check("motion is turned to true east and north",
                np.abs(motion["E"]).max() < 1e-5 and np.allclose(motion["N"], north, atol=1e-5)
                and np.allclose(motion["Z"], 2.0 * north), np.abs(motion["E"]).max())
    kaname("export", "plain.h5", "--to", "sac", "-o", "plain")
    plain = Sac(work / "plain/quake.KOCHI.BXX.sac")
    facts.check("a model of no place has X, Y, Z and no latitudes",
                plain.floats[31] == -12345.0 and plain.floats[57] == -12345.0
                and not (work / "plain/stations.xml").exists(), plain.floats[31])
    wrong = kaname("export", "globe.h5", "--to", "sac", "-o", "x", "--origin-time", "yesterday")
    facts.check("an origin time that is none is refused", wrong.returncode == BAD_INPUT
                and "--origin-time: must be a time of UTC" in wrong.stderr, wrong.stderr)


def records_of(path):
    """miniSEED 2 by its bytes: (id, first sample's time [year, day, h, m, s, 0.1 ms], rate, values)."""
    data, found = path.read_bytes(), {}
    for at in range(0, len(data), 512):
        record = data[at:at + 512]
        station, location, channel, network = (record[a:b].decode().strip() for a, b in (
            (8, 13), (13, 15), (15, 18), (18, 20)))
        time = struct.unpack(">HHBBBxH", record[20:30])
        count, factor, multiplier = struct.unpack(">Hhh", record[30:36])
        begin = struct.unpack(">H", record[44:46])[0]
        assert record[48:50] == b"\x03\xe8" and record[52] == 4, "blockette 1000 says floats"
        rate = factor * multiplier if factor > 0 < multiplier else math.nan
        values = np.frombuffer(record[begin:begin + 4 * count], dtype=">f4")
        known = found.setdefault(f"{network}.{station}.{location}.{channel}", (time, rate, []))
        known[2].append(values)
    return {name: (time, rate, np.concatenate(v)) for name, (time, rate, v) in found.items()}


def station_xml_facts(facts, path):
    root = ElementTree.parse(path).getroot()
    facts.check("stations.xml is StationXML 1.2", root.tag == STATION_XML + "FDSNStationXML"
                and root.get("schemaVersion") == "1.2", root.tag)
    heads = [child.tag.replace(STATION_XML, "") for child in root]
    facts.check("its head is in the schema's order", heads == ["Source", "Module", "Created",
                                                              "Network"], heads)
    stations = root.findall(f"{STATION_XML}Network/{STATION_XML}Station")

    def number(element, name):
        return float(element.find(STATION_XML + name).text)

    facts.check("with each station's place", [s.get("code") for s in stations] == ["KOCHI", "R1"]
                and np.allclose([(number(s, "Longitude"), number(s, "Latitude"),
                                  number(s, "Elevation")) for s in stations],
                                list(zip(STATION_LON, STATION_LAT, STATION_Z))))
    channels = stations[1].findall(STATION_XML + "Channel")
    facts.check("and each channel's direction and rate",
                [(c.get("code"), number(c, "Azimuth"), number(c, "Dip"), number(c, "SampleRate"))
                 for c in channels] == [("BXE", 90, 0, 20), ("BXN", 0, 0, 20), ("BXZ", 0, -90, 20)])
    order = [e.tag.replace(STATION_XML, "") for e in channels[0]]
    facts.check("a channel's elements are in the schema's order", order == [
        "Latitude", "Longitude", "Elevation", "Depth", "Azimuth", "Dip", "Type", "SampleRate",
        "Response"], order)


def miniseed_facts(facts, work, kaname):
    report = kaname("export", "globe.h5", "--to", "miniseed", "-o", "mseed", "--origin-time", ORIGIN)
    if "libmseed" in report.stderr:
        print("skip  miniSEED: built without libmseed")
        return
    facts.check("miniseed is exported", report.returncode == 0, report.stderr)
    traces = records_of(work / "mseed/quake.mseed")
    facts.check("a file has all stations and components", sorted(traces) == [
        f"XX.{s}..BX{c}" for s in ("KOCHI", "R1") for c in "ENZ"], sorted(traces))
    time, rate, values = traces["XX.R1..BXN"]
    facts.check("a trace begins at the origin time, with its rate and values",
                time == (2016, 318, 11, 2, 56, 5000) and rate == 20
                and np.allclose(values, north_of(0, 1), atol=0.03), (time, rate))
    station_xml_facts(facts, work / "mseed/stations.xml")
    rows = [row.split(",") for row in (work / "mseed/paths.csv").read_text().splitlines()]
    facts.check("paths.csv has the way from each source to each station", rows[0] == [
        "source", "code", "distance_m", "azimuth_deg", "back_azimuth_deg"] and len(rows) == 5
        and abs(float(rows[4][2]) / 1e3 / great_circle(1, 1)[0] - 1.0) < 0.005, rows)


def make_fields(path):
    """A surface of two second-order triangles and a volume of two tetrahedra, at two epochs."""
    random = np.random.default_rng(7)
    x, y = (v.ravel() for v in np.meshgrid(np.arange(3.0), np.arange(3.0)))
    with h5py.File(path, "w") as file:
        surface = file.create_group("surface")
        surface["epoch"] = [0.0, YEAR_S]
        surface["xyz"] = 1e3 * np.stack([x, y, 0.0 * x], axis=-1)
        surface["lon"], surface["lat"] = 135.0 + 0.01 * x, 33.0 + 0.01 * y
        surface["faces"] = np.array([[0, 2, 8, 1, 5, 4], [0, 8, 6, 4, 7, 3]], dtype="i4")
        surface["displacement"] = random.normal(size=(2, 9, 3)).astype("f4")
        volume = file.create_group("volume")
        volume["epoch"] = [0.0, YEAR_S]
        volume["xyz"] = 1e3 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1.0]])
        volume["tets"] = np.array([[0, 1, 2, 3], [1, 4, 2, 3]], dtype="i4")
        volume["material"] = np.array([1, 0], dtype="i4")
        volume["displacement"] = random.normal(size=(2, 5, 3)).astype("f4")
        for name in ("strain", "stress"):
            volume[name] = random.normal(size=(2, 2, 6)).astype("f4")
        volume.create_dataset("receiver_name", data=["plane"], dtype=h5py.string_dtype())
        for name in ("shear", "normal", "coulomb"):
            volume[f"receiver/plane/{name}"] = random.normal(size=(2, 2)).astype("f4")


class Read:
    """Points, cells and fields as one program read them."""

    def __init__(self, points, cells, at_points, of_cells):
        self.points, self.cells = points, cells
        self.at_points, self.of_cells = at_points, of_cells


def with_vtk(path):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    grid = reader.GetOutput()
    corners = 6 if grid.GetCellType(0) == 22 else 4
    arrays = [{data.GetArrayName(k): vtk_to_numpy(data.GetArray(k))
               for k in range(data.GetNumberOfArrays())}
              for data in (grid.GetPointData(), grid.GetCellData())]
    return Read(vtk_to_numpy(grid.GetPoints().GetData()), vtk_to_numpy(
        grid.GetCells().GetConnectivityArray()).reshape(-1, corners), *arrays)


def with_meshio(path):
    import meshio

    mesh = meshio.read(path)
    return Read(mesh.points, mesh.cells[0].data, mesh.point_data,
                {name: values[0] for name, values in mesh.cell_data.items()})


def of_xdmf(path, step):
    import meshio

    with meshio.xdmf.TimeSeriesReader(path) as reader:
        points, cells = reader.read_points_cells()
        time, at_points, of_cells = reader.read_data(step)
    return time, Read(points, cells[0].data, at_points,
                      {name: values[0] for name, values in of_cells.items()})


def is_the_datasets(read, group, step):
    cells = group["faces"] if "faces" in group else group["tets"]
    wanted = {"displacement_m": group["displacement"][step]}
    of_cells = {}
    if "tets" in group:
        of_cells = {"strain": group["strain"][step], "stress_pa": group["stress"][step],
                    "material": group["material"][:],
                    **{f"{name}_pa_plane": group[f"receiver/plane/{name}"][step]
                       for name in ("shear", "normal", "coulomb")}}
    return (np.array_equal(read.points, group["xyz"][:]) and np.array_equal(read.cells, cells[:])
            and all(np.array_equal(read.at_points[name], v) for name, v in wanted.items())
            and all(np.array_equal(read.of_cells[name], v) for name, v in of_cells.items()))


def field_facts(facts, work, kaname):
    written = kaname("export", "greens.h5", "--to", "vtu", "-o", "vtu", "--json")
    names = [pathlib.Path(p).name for p in json.loads(written.stdout or '{"written":[]}')["written"]]
    facts.check("vtu has a file for each group and time", written.returncode == 0 and names == [
        "surface_0000.vtu", "surface_0001.vtu", "surface.pvd", "volume_0000.vtu",
        "volume_0001.vtu", "volume.pvd", "manifest.json"], written.stderr + str(names))
    described = [kaname("xdmf", "greens.h5") for _ in range(2)]  # its own files are written again
    facts.check("xdmf has both groups and the views that they name",
                all(done.returncode == 0 for done in described)
                and described[0].stdout.split() == ["greens_surface.xdmf", "greens_volume.xdmf",
                                                    "greens_xdmf.h5"],
                described[1].stderr + described[0].stdout)
    readers = []
    for name, reader in (("VTK", with_vtk), ("meshio", with_meshio)):
        try:
            reader(work / "vtu/volume_0000.vtu")
            readers.append((name, reader))
        except ImportError as error:
            print(f"skip  {name} is not installed ({error}): its files are not read")
    with h5py.File(work / "greens.h5", "r") as file:
        for name, reader in readers:
            facts.check(f"{name} reads from each vtu what the dataset has",
                        all(is_the_datasets(reader(work / f"vtu/{group}_000{step}.vtu"),
                                            file[group], step)
                            for group in ("surface", "volume") for step in (0, 1)))
        if any(name == "meshio" for name, _ in readers):
            facts.check("meshio reads from Xdmf what the dataset has, at its times", all(
                time == step * YEAR_S and is_the_datasets(read, file[group], step)
                for group in ("surface", "volume") for step in (0, 1)
                for time, read in [of_xdmf(work / f"greens_{group}.xdmf", step)]))
    moved = work / "moved"
    moved.mkdir()
    for path in work.glob("greens*"):
        shutil.copy(path, moved)
    (moved / "greens_surface.xdmf").unlink()
    (moved / "greens_volume.xdmf").unlink()
    strange = kaname("xdmf", "moved/greens.h5")
    facts.check("a file of the views' name that no Xdmf names is not replaced",
                strange.returncode == STATE and "greens_xdmf.h5" in strange.stderr, strange.stderr)


def main():
    facts = Facts()
    program = pathlib.Path(sys.argv[1]).resolve() / "kaname"
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        make_waves(work / "globe.h5", True)
        make_waves(work / "plain.h5", False)
        make_fields(work / "greens.h5")

        def kaname(*arguments):
            return subprocess.run([program, *arguments], cwd=work, text=True, check=False,
                                  capture_output=True)

        sac_facts(facts, work, kaname)
        miniseed_facts(facts, work, kaname)
        field_facts(facts, work, kaname)
    return 1 if facts.failed else 0


if __name__ == "__main__":
    sys.exit(main())
