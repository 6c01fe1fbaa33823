# SPDX-License-Identifier: BSD-3-Clause
"""One made-up slip model as a file of each format, as events of one scenario: run without a server and submitted."""
import json

import numpy as np

from service_harness import difference, greens

KM_EAST, KM_NORTH = 1.0 / 92.394, 1.0 / 110.922  # degrees at 34 N (WGS 84)
SLIP_M, SIDE_KM, DIP = (1.0, 0.6, 0.8, 0.5), 4.0, np.radians(60.0)  # 2 x 2 patches from 4 km depth, strike 0, rake 90


def at(along_km, down_km):
    """lon, lat and depth [km] of a place of the plane, by its distances from the middle of the upper edge."""
    return (135.0 + down_km * np.cos(DIP) * KM_EAST, 34.0 + along_km * KM_NORTH, 4.0 + down_km * np.sin(DIP))


def patches():
    """(slip, centre, corners round from the upper start) of each."""
    for k, slip in enumerate(SLIP_M):
        along, down = SIDE_KM * (k % 2 - 0.5), SIDE_KM * (k // 2 + 0.5)
        half = 0.5 * SIDE_KM
        yield slip, at(along, down), [at(along + i * half, down + j * half) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def fsp():
    rows = [f"{lat:.6f} {lon:.6f} 0 0 {depth:.5f} {slip} 90" for slip, (lon, lat, depth), _ in patches()]
    return "\n".join(["% Event : Made up 2001/01/01 [test]", "% Loc : LAT = 34 LON = 135 DEP = 8.0",
                      "% Size : LEN = 8 km WID = 8 km Mw = 6.1 Mo = 1.4e+18 Nm",
                      "% Mech : STRK = 0 DIP = 60 RAKE = 90 Htop = 4 km", "% Invs : Nx = 2 Nz = 2 Fmin = 999.0 Hz",
                      "% Invs : Dx = 4 km Dz = 4 km", "% Invs : Ntw = 1 Nsg = 1 (# of time-windows,# of fault segments)",
                      "% Coordinates are given for center of each subfault or segment: |'|",
                      "% LAT LON X==EW Y==NS Z SLIP RAKE", *rows, ""])


def param():
    outline = [at(a, d) for a, d in ((-4, 0), (4, 0), (4, 8), (-4, 8), (-4, 0))]
    rows = [f"{lat:.6f} {lon:.6f} {depth:.5f} {100 * slip} 90 0 60 1 2 3 {3e10 * 16e6 * slip * 1e7:.6e}"
            for slip, (lon, lat, depth), _ in patches()]
    return "\n".join(["#Total number of fault_segments=     1",
                      "#Fault_segment =   1 nx(Along-strike)=   2 Dx= 4.00km ny(downdip)=   2 Dy= 4.00km",
                      "#Boundary of Fault_segment     1. EQ in cell 1,1. Lon: 135.0   Lat: 34.0", "#Lon.  Lat.  Depth",
                      *(" ".join(f"{v:.6f}" for v in corner) for corner in outline),
                      "#Lat. Lon. depth slip rake strike dip t_rup t_ris t_fal mo", *rows, ""])


def geojson():
    features = [{"type": "Feature", "properties": {"slip": slip, "rake": 90.0, "sf_moment": 3e10 * 16e6 * slip,
                                                   "trup": 3.5, "rise": 2.0},
                 "geometry": {"type": "Polygon", "coordinates": [[[lon, lat, 1e3 * depth]
                                                                  for lon, lat, depth in corners + corners[:1]]]}}
                for slip, _, corners in patches()]
    return json.dumps({"type": "FeatureCollection", "features": features, "metadata": {"epicenter": {
        "lat": 34.0, "lon": 135.0, "depth": 8.0, "mag": 6.1, "moment": 1.4e18, "location": "MADE UP"}}})


def gmt():
    return "".join(f"> -Z{slip} # 0 {slip} 0\n" + "".join(f"{a:.6f} {b:.6f} {c:.5f}\n" for a, b, c in corners)
                   for slip, _, corners in patches())


def flt():
    rows = [f"{k} {slip} {SIDE_KM * (k % 2 - 1)} {SIDE_KM * (k // 2) * np.cos(DIP)} {4 + SIDE_KM * (k // 2) * np.sin(DIP)} "
            f"4 4 0 60 90" for k, slip in enumerate(SLIP_M)]
    return "\n".join(["# n slip(m) x1(km) x2 x3 length(km) width strike dip rake", *rows, ""])


def rupt():
    rows = [f"{k + 1}\t{lon:.6f}\t{lat:.6f}\t{depth:.5f}\t0.00\t60.00\t0.5\t8.00\t0.0\t{slip}\t4000\t4000\t1.0\t3e+10"
            for k, (slip, (lon, lat, depth), _) in enumerate(patches())]
    return "\n".join(["# No,lon,lat,z(km),strike,dip,rise,dura,ss-slip(m),ds-slip(m),ss_len(m),ds_len(m),rupt_time(s),"
                      "rigidity(Pa)", *rows, ""])


def srf():
    points = [f"{lon:.6f} {lat:.6f} {depth:.5f} 0 60 1.6e11 0 1.0\n90 {100 * slip} 2 0 0 0 0\n{50 * slip} {50 * slip}\n"
              for slip, (lon, lat, depth), _ in patches()]
    return "1.0\nPLANE 1\n  135.0 34.0 2 2 8.0 8.0\n  0 60 4.0 0 4\nPOINTS 4\n" + "".join(points)


def patch_csv():
    return "patch,lon_centre_deg,lat_centre_deg,depth_centre_km,length_km,width_km,strike_deg,dip_deg,rake_deg,slip_m\n" + \
        "".join(f"{k},{lon:.6f},{lat:.6f},{depth:.5f},4,4,0,60,90,{slip}\n"
                for k, (slip, (lon, lat, depth), _) in enumerate(patches()))


def corner_csv():
    names = ",".join(f"lon{k}_deg,lat{k}_deg,depth{k}_km" for k in range(4))
    return f"{names},rake_deg,slip_m\n" + "".join(
        ",".join(f"{v:.6f}" for corner in corners for v in corner) + f",90,{slip}\n" for slip, _, corners in patches())


def points():
    table = [(a, d, 0.7 if (a, d) == (0, 4) else 0.0) for a in (-4, 0, 4) for d in (0, 4, 8)]
    return "lon_deg,lat_deg,depth_km,strike_slip_m,dip_slip_m\n" + "".join(
        "{:.6f},{:.6f},{:.5f},0,{}\n".format(*at(a, d), slip) for a, d, slip in table)


FILES = {"fsp": ("a.fsp", fsp), "param": ("a.param", param), "geojson": ("FFM.geojson", geojson), "gmt": ("a.gmt", gmt),
         "flt": ("a.flt", flt), "rupt": ("a.rupt", rupt), "srf": ("a.srf", srf), "patches": ("patches.csv", patch_csv),
         "corners": ("corners.csv", corner_csv), "points": ("points.csv", points)}


def slip_model_facts(facts, service):
    more = {"flt": ", origin: {lon_deg: 135, lat_deg: 34}", "points": ", format: points"}
    events = ""
    for name, (file, text) in FILES.items():
        (service.work / file).write_text(text())
        events += f"  - {{name: {name}, slip_model: {file}{more.get(name, '')}}}\n"
    (service.work / "kinds.yaml").write_text(f"""schema: kaname.v1.Scenario
name: kinds
region: {{centre_lon_deg: 135, centre_lat_deg: 34, size_east_km: 160, size_north_km: 160, depth_km: 80}}
structure: {{materials: [{{name: crust, lambda_gpa: 30, mu_gpa: 30}}], layers: [{{material: crust}}]}}
fault:
  plane: {{centre_lon_deg: {at(0, -2)[0]:.6f}, centre_lat_deg: 34, top_depth_km: {at(0, -2)[2]:.6f}, strike_deg: 0, dip_deg: 60,
          length_km: 14, width_km: 14}}
events:
{events}stations:
  list: [{{id: W, lon_deg: 134.95, lat_deg: 34}}, {{id: E, lon_deg: 135.1, lat_deg: 34.05}}]
mesh: {{size_at_fault_km: 4, size_far_km: 40, growth: 0.6}}
time: {{end_years: 0}}
""")
    done = service.call("run", "--local", "kinds.yaml", "--output", "kinds")
    if not facts.check("a run takes a slip model of each kind", done.returncode == 0, done.stdout + done.stderr):
        return
    alone = greens(service.work / "kinds/greens.h5")
    done = service.call("submit", "kinds.yaml", "--wait", "--output", "submitted")
    if not facts.check("and so does the service", done.returncode == 0, done.stdout + done.stderr):
        return
    served = greens(service.work / "submitted/greens.h5")
    motion = dict(zip(alone["source"], alone["greens"]))
    off = {name: difference(u, motion[name]) for name, u in zip(served["source"], served["greens"])}
    facts.check("with the same motion", set(FILES) <= set(off) and max(off.values()) < 1e-6, off)
    first = motion["patches"]
    apart = {name: difference(motion[name], first) for name in FILES if name != "points"}
    facts.check(f"each is read as the same slip (within {max(apart.values()):.1e})", max(apart.values()) < 5e-3, apart)
    facts.check("and a table of points slips", 0.2 < np.abs(motion["points"]).max() / np.abs(first).max() < 1.0,
                motion["points"])
