#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Faults of files: traces, triangles, moment tensors and Slab2 against files of an independent writer.

Usage: fault_test.py BIN_DIR SOURCE_DIR.
"""
import dataclasses
import json
import subprocess
import sys
import unittest

from built_package import BIN  # before all that may be missing

import numpy as np
import yaml

import damage
import invented_faults as made
import kaname
from command_case import CommandCase
from kaname.data import fault
from kaname.data.fault import command, shapes, slab

try:
    import osgeo  # noqa: F401
    HAS_GDAL = True
except ImportError:
    HAS_GDAL = False
NEEDS_GDAL = unittest.skipUnless(HAS_GDAL, "no python3-gdal (deploy/scripts/packages.sh python)")
GREENS = """schema: kaname.v1.GreensBatch
name: made-up
structure:
  materials: [{name: rock, vp_km_per_s: 6.5, vs_km_per_s: 3.7, density_g_per_cm3: 2.8}]
  layers: [{material: rock}]
stations: {list: [{id: A, lon_deg: 141.5, lat_deg: 38.1}, {id: B, lon_deg: 141.9, lat_deg: 38.4}]}
time: {end_years: 0, epochs_years: [0]}
"""


class Case(CommandCase):
    command = command

    def refused(self, pattern, call, *words, code="InvalidArgument", **options):
        with self.assertRaisesRegex(kaname.Error, pattern) as caught:
            call(*words, **options)
        self.assertEqual(caught.exception.code, code)
        for violation in caught.exception.violations:
            self.assertFalse(violation.message.startswith(violation.field), violation)

    def takes(self, text, request=GREENS):
        """`kaname validate` finds nothing wrong with a request that has this block."""
        path = self.folder / "out" / "request.yaml"
        path.write_text(request + text)
        done = subprocess.run([BIN / "kaname", "validate", path], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Traces(Case):
    line = [[142.0, 38.0], [142.05, 38.2], [142.04, 38.4]]

    def test_a_trace_becomes_planes_that_lie_under_it(self):
        path = made.geojson(self.folder / "gem.geojson", ([self.line], made.gem()))

        traces = fault.read_traces(str(path), bounds=np.array([141.9, 142.1, 37.9, 38.5]))
        planes = traces[0].rectangles()

        data = fault.to_xarray(planes)
        self.assertEqual((data.depth.dims, data.depth.units, data.lon.units), (("plane", "corner"), "m", "degrees_east"))
        self.assertEqual(data.strike.sel(plane="long-valley-fault-2").item(), planes[1].strike_deg)
        np.testing.assert_array_equal(data.lat.sel(plane="long-valley-fault"), planes[0].corners()[1])
        np.testing.assert_allclose(data.depth.sel(corner="bottom_end"), 12e3)
        np.testing.assert_array_equal(traces[0].to_xarray().lon, traces[0].lon)
        self.assertEqual((fault.to_xarray([]).sizes["plane"], traces[0].to_xarray().dip_deg), (0, 30.0))
        self.assertEqual([plane.name for plane in planes], ["long-valley-fault", "long-valley-fault-2"])
        for plane, ends in zip(planes, ((2, 1), (1, 0))):  # it dips to the west, so its strike is southward
            self.assertEqual((plane.dip_deg, plane.rake_deg, plane.top_depth_m), (30.0, 90.0, 2000.0))
            self.assertAlmostEqual(plane.bottom_depth_m, 12e3, places=3)
            self.assertGreater(plane.strike_deg, 170.0)
            self.assertLess(plane.strike_deg, 200.0)
            # Up dip to the ground the plane meets the trace.
            lon, lat, depth = plane.at(np.array([-0.5, 0.5]) * plane.length_m, -2000.0 / np.sin(np.radians(30.0)))
            np.testing.assert_allclose(depth, 0.0, atol=1e-6)
            np.testing.assert_allclose(np.column_stack([lon, lat]), [self.line[k] for k in ends], atol=4e-5)  # meridians converge

    def test_a_tolerance_straightens_the_line(self):
        rng = np.random.default_rng(1)
        lat = np.linspace(37.0, 38.5, 300)
        wiggly = [[142.0 + 0.002 * float(rng.standard_normal()), float(y)] for y in lat]
        path = made.geojson(self.folder / "gem.geojson", ([wiggly], made.gem(average_dip="(90,,)", dip_dir=None)))

        trace = fault.read_traces(path, {})[0]

        self.assertEqual(len(trace.rectangles(2000.0, set())), 1)
        self.assertGreater(len(trace.rectangles(50.0, set())), 20)
        self.assertAlmostEqual(trace.rectangles(2000.0, set())[0].length_m, 1.5 * made.M_PER_DEG_LAT, delta=300.0)

    def test_usgs_has_words_and_no_depths(self):
        properties = {"fault_name": "Made Up fault zone", "section_name": "north", "dip_direction": "V",
                      "slip_sense": "Right lateral"}
        path = made.geojson(self.folder / "qfaults.geojson", ([self.line, self.line[:2]], properties))

        self.refused("features.0. 'Made Up fault zone': lower depth: must be given .--bottom-depth-km., for the file has none",
                     fault.read_traces, path, {})
        traces = fault.read_traces(path, {"bottom_m": 15e3})

        self.assertEqual(len(traces), 2)
        self.assertEqual((traces[0].dip_deg, traces[0].rake_deg, traces[0].top_m), (90.0, 180.0, 0.0))

    def test_what_is_wrong_is_named(self):
        for change, pattern in (
                ({"average_dip": "steep"}, "average_dip: must be a number, or .most likely,least,most., got 'steep'"),
                ({"average_dip": None}, "dip: must be given .--dip-deg., for the file has none"),
                ({"dip_dir": "up"}, "dip_dir: must be a point of the compass, degrees, or V, got 'up'"),
                ({"dip_dir": "V"}, "dip_direction: must fit a dip of 30 degrees")):
            path = made.geojson(self.folder / "gem.geojson", ([self.line], made.gem(**change)))
            self.refused("gem.geojson: features.0. 'Long Valley Fault': " + pattern, fault.read_traces, path, {})
        path = made.geojson(self.folder / "gem.geojson", ([self.line], made.gem(dip_dir="N")))
        self.refused("dip direction: must lie across the trace, by 15 degrees or more, got 0 degrees with a strike of 5",
                     fault.read_traces(path, {})[0].rectangles, 2e3, set())
        path = made.geojson(self.folder / "gem.geojson", ([self.line], made.gem(lower_seis_depth="(1,,)")))
        self.refused("depths: must be the upper and a larger lower one, .* got 2 and 1 km",
                     fault.read_traces(path, {})[0].rectangles, 2e3, set())
        path = made.geojson(self.folder / "gem.geojson", ([[[14200, 38], [142, 38]]], made.gem()))
        self.refused("coordinates: must be longitudes and latitudes in degrees, got .14200.0, 38.0.", fault.read_traces, path, {})
        path = made.geojson(self.folder / "gem.geojson", ([self.line], made.gem()))
        self.refused("features: must be one or more lines that --only and --bounds leave, got none of 1", fault.read_traces,
                     path, {}, ("elsewhere",))
        self.refused("features: must be one or more lines", fault.read_traces, path, {}, (), (10.0, 20.0, 30.0, 40.0))
        self.assertEqual(len(fault.read_traces(path, {}, ("valley",), (141.9, 142.1, 37.9, 38.1))), 1)
        path.write_text("[" * 100_000)
        self.refused("must be GeoJSON", fault.read_traces, path, {})


class Surfaces(Case):
    def test_flat_triangles_are_a_plane(self):
        points, cells = made.tilted(200.0, 35.0, 30e3, 20e3, 4e3)
        for read in (made.csi(self.folder / "a.gmt", points, cells), made.msh(self.folder / "a.msh", points, cells)):
            surface = fault.read_triangles(str(read))
            plane, away = surface.rectangle()
            data = surface.to_xarray()
            np.testing.assert_array_equal(data.depth.values[data.triangles], surface.depth_m[surface.vertices])
            self.assertEqual((data.triangles.dims, data.depth.units), (("triangle", "corner"), "m"))
            self.assertLess(away, 30.0)
            for key, value, within in (("strike_deg", 200.0, 0.1), ("dip_deg", 35.0, 0.1), ("length_m", 30e3, 60.0),
                                       ("width_m", 20e3, 40.0), ("top_depth_m", 4e3, 20.0)):
                self.assertAlmostEqual(getattr(plane, key), value, delta=within, msg=key)
            lon, lat, _ = plane.at(0.0, 0.0)
            self.assertLess(np.hypot(lon - made.LON, lat - made.LAT), 1e-3)

    @NEEDS_GDAL
    def test_tsurf_has_metres_of_a_projection_and_either_sense_of_z(self):
        from osgeo import osr

        points, cells = made.tilted(310.0, 70.0, 12e3, 9e3, 500.0)
        utm, degrees = osr.SpatialReference(), osr.SpatialReference()
        utm.ImportFromEPSG(32654)
        degrees.ImportFromEPSG(4326)
        x, y, _ = osr.CoordinateTransformation(degrees, utm).TransformPoint(made.LAT, made.LON)
        for positive in ("Elevation", "Depth"):
            path = made.tsurf(self.folder / "a.ts", points + [x, y, 0.0], cells, positive)
            surface = fault.read_triangles(path, "EPSG:32654")
            plane, away = surface.rectangle()
            self.assertLess(away, 20.0)
            self.assertAlmostEqual(plane.dip_deg, 70.0, delta=0.1)
            self.assertAlmostEqual(plane.strike_deg, 310.0, delta=1.0)  # grid north is not north
            self.assertAlmostEqual(plane.top_depth_m, 500.0, delta=10.0)
        self.refused("a.ts: places: must be longitudes and latitudes, or of a projection", fault.read_triangles, path)
        self.refused("crs: must be a projection that holds the places", fault.read_triangles, path, "EPSG:1")

    def test_bent_triangles_are_an_interface(self):
        points, cells = made.tilted(200.0, 20.0, 120e3, 100e3, 8e3, bend=6e3, n=12)
        path = made.csi(self.folder / "bent.gmt", points, cells)

        self.run_command(path, "-o", self.folder / "out", "--patch-km", 15)

        rows = np.loadtxt(self.folder / "out/bent_surface.csv", delimiter=",", skiprows=1)
        east, north = (rows[:, 0] - made.LON) * made.M_PER_DEG_LON, (rows[:, 1] - made.LAT) * made.M_PER_DEG_LAT
        strike = np.radians(200.0)
        down = (east * np.cos(strike) - north * np.sin(strike)) / (100e3 * np.cos(np.radians(20.0)))
        depth = 8e3 + down * 100e3 * np.sin(np.radians(20.0)) + 6e3 * 4.0 * down * (1.0 - down)
        self.assertLess(np.abs(1e3 * rows[:, 2] - depth).max(), 150.0)  # chords of eleven pieces
        self.takes((self.folder / "out/bent.yaml").read_text())
        path = made.csi(self.folder / "folded.gmt", *made.tilted(0.0, 60.0, 30e3, 20e3, 1e3))
        text = path.read_text()
        path.write_text(text + made.csi(self.folder / "b.gmt", *made.tilted(0.0, 60.0, 30e3, 20e3, 9e3)).read_text())
        self.refused("folded: triangles: must have one depth at each place to be an interface, got", self.run_command, path,
                     "-o", self.folder / "out", "--as", "interface", "--patch-km", 5)

    def test_what_is_wrong_is_named(self):
        points, cells = made.tilted(0.0, 45.0, 10e3, 10e3, 1e3, n=2)
        path = made.csi(self.folder / "a.gmt", points, cells)
        text = path.read_text()
        path.write_text(text.replace("142.0", "x142.0", 1))
        self.refused("a.gmt:2: corner: must be finite numbers, got x142.0", fault.read_triangles, path)
        path.write_text(text + "> -Z0\n1 2 3\n1 2 4\n1 2 5\n1 2 6\n")
        self.refused("a.gmt:9: corners: must be three; rectangles are slip models", fault.read_triangles, path)
        self.refused("depths: must be -10 to 1000 km", fault.read_triangles, made.csi(path, 1e3 * points, cells * 0 + [0, 1, 2]))
        path = made.tsurf(self.folder / "a.ts", made.degrees(points), cells + 1)
        self.refused("a.ts:.*TRGL: must name vertices of the file, got 5", fault.read_triangles, path)
        path.write_text("nothing")
        self.refused("a.ts:1: must be 'GOCAD TSurf 1', got nothing", fault.read_triangles, path)
        path = self.folder / "a.msh"
        path.write_text("nothing")
        self.refused("a.msh: must be a mesh that meshio reads", fault.read_triangles, path)
        self.refused("is not there", fault.read_triangles, self.folder / "none.ts", code="NotFound")


class Tensors(Case):
    angles = ((15.0, 22.0, 95.0), (110.0, 88.0, 5.0), (240.0, 50.0, -70.0), (355.0, 60.0, 170.0))

    def test_planes_are_those_that_made_the_tensor(self):
        for strike, dip, rake in self.angles:
            parts = made.tensor(strike, dip, rake, 3e19)
            path = made.ndk(self.folder / "one.ndk", ("C201001010000A", "2010-01-02T03:04:05.6", 143.1, 38.2, 33.0, parts))

            event, = fault.read_mechanisms(str(path))

            self.assertAlmostEqual(event.moment / 3e19, 1.0, places=3)
            self.assertAlmostEqual(event.magnitude, (np.log10(3e19) - 9.1) / 1.5, places=3)
            self.assertEqual((event.lon, event.lat, event.depth_m, event.duration_s), (143.1, 38.2, 33e3, 8.4))
            self.assertEqual(event.time, "2010-01-02T03:04:05.6")
            away = [max(abs((a - b + 180.0) % 360.0 - 180.0) for a, b in zip(plane, (strike, dip, rake)))
                    for plane in event.planes()]
            self.assertLess(min(away), 0.1)
            for plane in event.planes():  # and the other one makes the same tensor
                np.testing.assert_allclose(made.tensor(*plane, 3e19), parts, atol=2e-3 * 3e19)

    def test_quakeml_has_the_same(self):
        parts = made.tensor(15.0, 22.0, 95.0, 3e19)
        path = made.quakeml(self.folder / "one.xml", "made7up", "2010-01-02T03:04:05.6", 143.1, 38.2, 33.0, parts)

        event, = fault.read_mechanisms(path)

        self.assertEqual((event.name, event.lon, event.depth_m, event.duration_s), ("made7up", 143.1, 33e3, 8.4))
        np.testing.assert_allclose(event.tensor[2, 2], parts[0], rtol=1e-6)
        np.testing.assert_allclose(event.tensor[0, 1], -parts[5], rtol=1e-6)
        data = event.to_xarray()
        self.assertEqual(float(data.tensor.sel(row="up", column="east")), event.tensor[2, 0])
        self.assertEqual((data.tensor.units, float(data.depth), float(data.duration)), ("N m", 33e3, 8.4))
        np.testing.assert_allclose([data.strike[0], data.dip[0], data.rake[0]], [15.0, 22.0, 95.0], atol=1e-4)
        self.assertAlmostEqual(float(data.moment), 3e19, delta=1e14)
        self.assertTrue(np.isnan(dataclasses.replace(event, duration_s=None).to_xarray().duration))
        text = path.read_text()
        path.write_text(text.replace("<Mrr><value>", "<Mrr><value>x"))
        self.refused("one.xml: smi:local/event/made7up: Mrr: must be a number, got 'x", fault.read_mechanisms, path)
        path.write_text("<!DOCTYPE a [<!ENTITY b 'c'>]>" + text.split("\n", 1)[1])
        self.refused("must be QuakeML without DOCTYPE", fault.read_mechanisms, path)
        path.write_text(text.replace("<tensor>", "<tensors>"))
        self.refused("must be QuakeML: mismatched tag", fault.read_mechanisms, path)

    def test_what_is_wrong_is_named(self):
        event = ("C201001010000A", "2010-01-02T03:04:05.6", 143.1, 38.2, 33.0, made.tensor(15.0, 22.0, 95.0, 3e19))
        path = made.ndk(self.folder / "two.ndk", event, ("C201002010000A", "2010-02-02T03:04:05.6", *event[2:]))
        found = fault.read_mechanisms(path)
        self.assertEqual(len(found), 2)
        self.refused("two.ndk: event: must be one of 2 .--event.: C201001010000A .2010-01-02T03:04:05.6., .*got none",
                     self.run_command, path, "-o", self.folder / "out")
        text = path.read_text()
        path.write_text("\n".join(text.split("\n")[:7]))
        self.refused("two.ndk: lines: must be five for each event .ndk., or the file QuakeML, got 7", fault.read_mechanisms, path)
        path.write_text(text.replace("CENTROID:", "CENTRE:", 1))
        self.refused("two.ndk:3: must begin with 'CENTROID:'", fault.read_mechanisms, path)
        path.write_text(text.replace("2010/01/02", "2010/13/02", 1))
        self.refused("two.ndk:1: date: must be as 2011/03/11 in columns 6 to 15, got 2010/13/02", fault.read_mechanisms, path)

    def test_one_command_makes_blocks_that_requests_take(self):
        parts = made.tensor(15.0, 22.0, 95.0, 3e19)
        path = made.ndk(self.folder / "one.ndk", ("C201001010000A", "2010-01-02T03:04:05.6", 142.0, 38.2, 33.0, parts))

        facts = json.loads(self.run_command(path, "-o", self.folder / "out", "--json", "--mu-gpa", 40))

        out = self.folder / "out"
        self.assertEqual(len(facts["files"]), 6)
        self.assertGreater((out / "one.png").stat().st_size, 10_000)
        for k in (1, 2):
            self.takes((out / f"one_plane{k}.yaml").read_text())
            patch = yaml.safe_load((out / f"one_event{k}.yaml").read_text())["events"][0]["patches"][0]
            self.assertAlmostEqual(40e9 * 1e6 * patch["length_km"] * patch["width_km"] * patch["slip_m"] / 3e19, 1.0, places=3)
            self.takes((out / f"one_event{k}.yaml").read_text(), GREENS.replace("GreensBatch", "Scenario"))
            self.assertAlmostEqual(patch["lon_deg"], 142.0, places=5)  # the centroid is the middle
            self.assertAlmostEqual(patch["depth_km"], 33.0, places=4)
        self.takes((out / "one_source.yaml").read_text(), """schema: kaname.v1.SeismicWaves
name: made-up
region: {centre_lon_deg: 142, centre_lat_deg: 38.2, size_east_km: 100, size_north_km: 100, depth_km: 70}
structure:
  materials: [{name: rock, vp_km_per_s: 6.5, vs_km_per_s: 3.7, density_g_per_cm3: 2.8}]
  layers: [{material: rock}]
mesh: {max_frequency_hz: 0.2}
receivers: [{id: R, at: {lon_deg: 142.1, lat_deg: 38.3}}]
time: {end_s: 20}
""")
        source = yaml.safe_load((out / "one_source.yaml").read_text())["sources"][0]["moment"]
        self.assertAlmostEqual(source["yz_n_m"] / -parts[3], 1.0, places=3)


@NEEDS_GDAL
class Slabs(Case):
    def read(self, path, bounds=()):
        return slab.slab_of(path, slab.open_grids(str(path))[1], bounds)

    def test_patches_lie_with_all_their_reach_on_the_slab(self):
        grid = fault.read_slab(made.slab2(self.folder))  # by a process of its own

        self.assertAlmostEqual(grid.strike_deg, 20.0, places=4)
        self.assertAlmostEqual(grid.dip_deg, 20.0, places=4)
        data = grid.to_xarray()
        self.assertEqual((data.depth.dims, data.depth.units, data.dip_deg), (("lat", "lon"), "m", grid.dip_deg))
        patches = fault.lay_patches(grid, 20e3, 10e3, 60e3)
        self.assertGreater(patches.n_strike * patches.n_dip, 30)
        self.assertGreater(patches.part, 0.5)
        data = patches.to_xarray()
        self.assertEqual((data.sizes["along"], data.sizes["down"]), (patches.n_strike, patches.n_dip))
        self.assertEqual((float(data.down[1]), data.along.units, float(data.lon)), (20e3, "m", patches.lon))
        strike = np.radians(20.0)
        for i in (-1, patches.n_strike):
            for j in (-1, patches.n_dip):
                c = 20e3 * j * np.cos(np.radians(20.0))
                lon, lat = shapes.to_degrees(20e3 * i * np.sin(strike) + c * np.cos(strike),
                                             20e3 * i * np.cos(strike) - c * np.sin(strike), patches.lon, patches.lat)
                away = 1e-3 * ((lon - made.LON) * made.M_PER_DEG_LON * np.cos(strike)
                               - (lat - made.LAT) * made.M_PER_DEG_LAT * np.sin(strike))
                self.assertTrue(8.0 < 30.0 + away * np.tan(np.radians(20.0)) < 62.0)

    def test_without_angles_beside_it_they_are_those_of_the_depths(self):
        path = made.slab2(self.folder, 200.0, 15.0)
        for word in ("str", "dip"):
            (self.folder / f"xyz_slab2_{word}_01.01.20.grd").unlink()

        grid = self.read(path, (141.5, 142.6, 37.5, 38.5))

        self.assertAlmostEqual(grid.strike_deg, 200.0, delta=0.5)
        self.assertAlmostEqual(grid.dip_deg, 15.0, delta=0.2)
        self.assertGreater(grid.lon.min(), 141.49)

    def test_the_command_makes_what_a_request_takes(self):
        said = self.run_command(made.slab2(self.folder), "-o", self.folder / "out", "--bounds", 141, 143, 37, 39, "--patch-km", 25)

        self.assertIn("patches of 25 km, strike 20.0, mean dip 20.0", said)
        self.takes((self.folder / "out/xyz-slab2-dep-01.yaml").read_text())

    def test_what_is_wrong_is_named(self):
        path = made.slab2(self.folder)
        self.refused("bounds: must hold nodes of xyz_slab2_dep_01.01.20.grd, which has 140.5 to 143.5 and 36 to 40 degrees, "
                     "got 0 1 2 3", self.read, path, (0.0, 1.0, 2.0, 3.0))
        grid = self.read(path)
        self.refused("patch_km: must be smaller: no patch lies", fault.lay_patches, grid, 300e3, 10e3, 60e3)
        self.refused("depths: must be 200 to 300 km somewhere", fault.lay_patches, grid, 20e3, 200e3, 300e3)
        found = slab.open_grids(str(path))[1]
        found["depth"] = -found["depth"]
        self.refused("depths: must be km and negative below sea level", slab.slab_of, path, found)


class Command(Case):
    def test_planes_of_traces_are_taken_by_a_request(self):
        features = [([[[142.0 + 0.05 * k, 38.0], [142.02 + 0.05 * k, 38.2]]], made.gem(name=f"Strand {k}")) for k in range(3)]
        path = made.geojson(self.folder / "gem.geojson", *features)

        said = self.run_command(path, "-o", self.folder / "out", "--only", "strand 0", "strand 2", "--patch-km", 6)

        self.assertIn("2 traces become 2 planes", said)
        text = (self.folder / "out/gem.yaml").read_text()
        several = yaml.safe_load(text)["fault"]["several"]
        self.assertEqual([one["name"] for one in several], ["strand-0", "strand-2"])
        self.assertEqual((several[0]["plane"]["n_strike"], several[0]["plane"]["n_dip"]), (4, 3))
        self.takes(text)
        self.refused("gem.yaml is there; --force replaces it", self.run_command, path, "-o", self.folder / "out", "--no-picture",
                     code="Conflict")
        self.refused("patch_km: must be > 0, got -1", self.run_command, path, "--patch-km", -1)
        self.refused("--bogus", self.run_command, path, "--bogus", 1)

    def test_more_planes_than_a_request_takes_are_refused(self):
        features = [([[[142.0 + 0.01 * k, 38.0], [142.0 + 0.01 * k, 38.2]]], made.gem()) for k in range(33)]
        path = made.geojson(self.folder / "gem.geojson", *features)
        self.refused("planes: must be at most 32 in a request; .* got 33", self.run_command, path, "-o", self.folder / "out")


class Damage(Case):
    def test_files_with_changed_bytes_are_read_or_refused(self):
        points, cells = made.tilted(200.0, 35.0, 30e3, 20e3, 4e3, n=4)
        event = ("C201001010000A", "2010-01-02T03:04:05.6", 143.1, 38.2, 33.0, made.tensor(15.0, 22.0, 95.0, 3e19))
        traces = made.geojson(self.folder / "a.geojson", ([Traces.line], made.gem()))

        def planes():
            return [trace.rectangles(2e3, set()) for trace in fault.read_traces(traces, {})]

        damage.fuzz(self, planes, [traces], 400)
        for path in (made.csi(self.folder / "a.gmt", points, cells), made.tsurf(self.folder / "a.ts", made.degrees(points), cells),
                     made.msh(self.folder / "a.msh", points, cells)):
            damage.fuzz(self, lambda path=path: fault.read_triangles(path, length_unit="km").rectangle(), [path], 200)
        for path in (made.ndk(self.folder / "a.ndk", event), made.quakeml(self.folder / "a.xml", *event)):
            damage.fuzz(self, lambda path=path: [one.planes() for one in fault.read_mechanisms(path)], [path], 300)

    @NEEDS_GDAL
    def test_grids_with_changed_bytes_are_read_or_refused(self):
        path = made.slab2(self.folder, n=(21, 19))
        beside = path.with_name(path.name.replace("_dep_", "_str_"))
        damage.fuzz(self, lambda: slab.slab_of(path, slab.open_grids(str(path))[1]), [path, beside], 200,
                    lambda: fault.read_slab(path))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
