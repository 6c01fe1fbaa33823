#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes model.msh and the slip tables of two_faults.yaml; needs nothing but Python.

Usage: make_mesh.py FOLDER [CELLS]. A box of 40 x 40 x 20 km in CELLS x CELLS x CELLS/2 cubes (8),
each cut into six tetrahedra, as MSH 4.1 in text: what Gmsh would write, in the smallest way.
  volumes   crust above 10 km depth, mantle below
  surfaces  top, sides, bottom; faults strand (vertical, strikes north, breaks the surface) and
            thrust (buried, dips west by 45 degrees)
"""
import itertools
import math
import pathlib
import sys

HALF_KM, DEPTH_KM = 20.0, 20.0
VOLUMES = {"crust": 1, "mantle": 2}
SURFACES = {"top": 11, "sides": 12, "bottom": 13, "strand": 21, "thrust": 22}


def tetrahedra(n):
    """Corner lattice points of all tetrahedra: from low to high corner of a cube, axis by axis."""
    for cell in itertools.product(range(n), range(n), range(n // 2)):
        for axes in itertools.permutations(range(3)):
            corners = [list(cell)]
            for axis in axes:
                corners.append(list(corners[-1]))
                corners[-1][axis] += 1
            yield [tuple(corner) for corner in corners]


def place_km(point, n):
    step = 2 * HALF_KM / n
    return (point[0] * step - HALF_KM, point[1] * step - HALF_KM, point[2] * step - DEPTH_KM)


def surface_of(face, n):
    """Name of the physical surface that a face of a tetrahedron lies on, if any."""
    low, high = [[f(p[a] for p in face) for a in range(3)] for f in (min, max)]
    if low[2] == high[2] == n // 2:
        return "top"
    if low[2] == high[2] == 0:
        return "bottom"
    if any(low[a] == high[a] and low[a] in (0, n) for a in (0, 1)):
        return "sides"
    places = [place_km(p, n) for p in face]
    if any(abs(y) > HALF_KM / 2 for _, y, _ in places):
        return None
    if all(x == 0 and z >= -DEPTH_KM / 2 for x, _, z in places):
        return "strand"
    if all(x - z == HALF_KM and -15 <= z <= -5 for x, _, z in places):
        return "thrust"
    return None


def write_mesh(path, n):
    nodes = {p: k + 1 for k, p in enumerate(
        itertools.product(range(n + 1), range(n + 1), range(n // 2 + 1)))}
    volumes = {name: [] for name in VOLUMES}
    surfaces = {name: set() for name in SURFACES}
    for tet in tetrahedra(n):
        depth = sum(place_km(p, n)[2] for p in tet) / 4
        volumes["crust" if depth > -DEPTH_KM / 2 else "mantle"].append([nodes[p] for p in tet])
        for face in itertools.combinations(tet, 3):
            name = surface_of(face, n)
            if name:
                surfaces[name].add(tuple(nodes[p] for p in face))
    groups = [(2, SURFACES[name], 2, sorted(faces)) for name, faces in surfaces.items()]
    groups += [(3, VOLUMES[name], 4, tets) for name, tets in volumes.items()]
    with open(path, "w", encoding="ascii") as out:
        def line(*words):
            print(*words, file=out)
        line("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames")
        line(len(SURFACES) + len(VOLUMES))
        for dim, names in ((2, SURFACES), (3, VOLUMES)):
            for name, tag in names.items():
                line(dim, tag, f'"{name}"')
        line("$EndPhysicalNames\n$Entities")
        line(0, 0, len(SURFACES), len(VOLUMES))
        box = "-20000 -20000 -20000 20000 20000 0"
        for tag in list(SURFACES.values()) + list(VOLUMES.values()):
            line(tag, box, 1, tag, 0)
        line("$EndEntities\n$Nodes")
        line(1, len(nodes), 1, len(nodes))
        line(3, 1, 0, len(nodes))
        for tag in nodes.values():
            line(tag)
        for point in nodes:
            line(*(1000 * x for x in place_km(point, n)))
        line("$EndNodes\n$Elements")
        count = sum(len(elements) for *_, elements in groups)
        line(len(groups), count, 1, count)
        tag = itertools.count(1)
        for dim, entity, kind, elements in groups:
            line(dim, entity, kind, len(elements))
            for element in elements:
                line(next(tag), *element)
        line("$EndElements")


def write_slip(folder):
    """Cosines that vanish on the buried rims: the strand slips to its left, the thrust upwards."""
    along = [2.5 * k - 10 for k in range(9)]
    with open(folder / "strand.csv", "w", encoding="ascii") as out:
        print("x_km,y_km,depth_km,strike_slip_m,dip_slip_m", file=out)
        for y, depth in itertools.product(along, (0, 2.5, 5, 7.5, 10)):
            slip = 2 * math.cos(math.pi * y / 20) * math.cos(math.pi * depth / 20)
            print(f"0,{y},{depth},{slip:.6f},0", file=out)
    with open(folder / "thrust.csv", "w", encoding="ascii") as out:
        print("x_km,y_km,z_km,slip_east_m,slip_north_m,slip_up_m", file=out)
        for y, z in itertools.product(along, (-15, -12.5, -10, -7.5, -5)):
            slip = math.cos(math.pi * y / 20) * math.cos(math.pi * (z + 10) / 10)
            east = up = slip / math.sqrt(2)
            print(f"{z + 20},{y},{z},{east:.6f},0,{up:.6f}", file=out)


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    write_mesh(target / "model.msh", int(sys.argv[2]) if len(sys.argv) > 2 else 8)
    write_slip(target)
