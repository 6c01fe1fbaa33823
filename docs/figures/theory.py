#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the figures of docs/theory: docs/images/theory_*.png, by formulas alone.

Usage, from the root of the repository: docs/figures/theory.py [name ...]   (default: all of them).
Needs python3-matplotlib, which brings numpy and PIL. One version of matplotlib gives the same bytes
every time.
"""
import io
import pathlib
import sys

import matplotlib
import numpy as np
from PIL import Image

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

IMAGES = pathlib.Path(__file__).resolve().parents[2] / "docs/images"
# Okabe and Ito's palette, which colour-blind readers tell apart.
BLUE, ORANGE, GREEN, RED = "#0072b2", "#e69f00", "#009e73", "#d55e00"
INK, GREY, PALE = "#222222", "#777777", "#cccccc"
UPPER, LOWER = "#f3e3c3", "#cfdcec"

plt.rcParams.update({
    "font.size": 9, "axes.titlesize": 9.5, "axes.labelsize": 9, "legend.fontsize": 8.5,
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": GREY,
    "axes.labelcolor": INK, "text.color": INK, "xtick.color": INK, "ytick.color": INK,
    "legend.frameon": False, "figure.constrained_layout.use": True,
})


def save(figure, name):
    """Writes docs/images/theory_NAME.png in 64 colours, which keeps it small."""
    drawn = io.BytesIO()
    figure.savefig(drawn, dpi=130, metadata={"Software": None})
    plt.close(figure)
    few = Image.open(drawn).convert("RGB").quantize(64, dither=Image.Dither.NONE)
    few.save(IMAGES / f"theory_{name}.png", optimize=True)


def arrow(axes, start, end, colour=INK, width=1.2, style="-|>"):
    axes.annotate("", xy=end, xytext=start, zorder=6,
                  arrowprops={"arrowstyle": style, "color": colour, "lw": width,
                              "shrinkA": 0, "shrinkB": 0, "mutation_scale": 9})


def bare(axes, title=None):
    axes.set_aspect("equal")
    axes.axis("off")
    if title:
        axes.set_title(title, loc="left", fontsize=9.5)


# ---- octree: the lattice in two dimensions, its warping and its cutting -------------------------

def sheet(x):
    """Depth of the surface between the two volumes [km]."""
    return -6.2 - 0.30 * x + 0.9 * np.sin(0.42 * x)


def quadtree():
    """Leaves (x, z, side) of a balanced quadtree that is fine near a fault on the sheet."""
    roots = [(8.0 * i, -8.0 * j - 8.0, 8.0) for i in range(4) for j in range(2)]

    def wanted(x, z):
        points = [(p, sheet(p)) for p in np.linspace(7.0, 15.0, 17)]
        return min(1.0 + 0.42 * np.hypot(x - a, z - b) for a, b in points)

    leaves, todo = set(), roots
    while todo:
        x, z, h = todo.pop()
        if h > 1.45 * wanted(x + h / 2, z + h / 2):
            todo += [(x + a * h / 2, z + b * h / 2, h / 2) for a in (0, 1) for b in (0, 1)]
        else:
            leaves.add((x, z, h))
    while True:  # neighbours differ by one level at most
        coarse = {b for a in leaves for b in leaves if b[2] > 2 * a[2]
                  and b[0] - a[2] <= a[0] <= b[0] + b[2] and b[1] - a[2] <= a[1] <= b[1] + b[2]}
        if not coarse:
            return sorted(leaves)
        for x, z, h in coarse:
            leaves.remove((x, z, h))
            leaves |= {(x + a * h / 2, z + b * h / 2, h / 2) for a in (0, 1) for b in (0, 1)}


def triangles_of(leaves):
    """Vertices and triangles: an axis through every face with each end of the face."""
    vertices, triangles = [], []

    def vertex(x, z):
        place = (round(x, 6), round(z, 6))
        if place not in vertices:
            vertices.append(place)
        return vertices.index(place)

    def middle(leaf):
        return vertex(leaf[0] + leaf[2] / 2, leaf[1] + leaf[2] / 2)

    for a in leaves:
        for side in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            x, z = (a[0] + a[2] / 2 * (1 + side[k]) if k == 0 else a[1] + a[2] / 2 * (1 + side[1])
                    for k in (0, 1))
            probe = (x + 1e-6 * side[0], z + 1e-6 * side[1])
            other = [b for b in leaves if b[0] < probe[0] < b[0] + b[2]
                     and b[1] < probe[1] < b[1] + b[2]]
            along = (abs(side[1]) * a[2] / 2, abs(side[0]) * a[2] / 2)
            if other and (other[0][2] < a[2] or (other[0][2] == a[2] and other[0] < a)):
                continue  # the face belongs to the finer leaf, of equals to the first
            if not other and len([b for b in leaves if b[0] <= probe[0] <= b[0] + b[2]
                                  and b[1] <= probe[1] <= b[1] + b[2]]) > 0:
                continue  # two finer leaves meet at the face's middle: their faces, not this one's
            far = middle(other[0]) if other else vertex(x, z)
            for sign in (-1, 1):
                triangles.append([middle(a), far, vertex(x + sign * along[0], z + sign * along[1])])
    return np.array(vertices), triangles


def octree():
    leaves = quadtree()
    vertices, triangles = triangles_of(leaves)
    above = np.where(vertices[:, 1] > sheet(vertices[:, 0]), 1, -1)
    edges = sorted({tuple(sorted((t[i], t[i - 1]))) for t in triangles for i in range(3)})
    moved = vertices.copy()
    label = above.copy()
    for a, b in edges:  # vertices close to a crossing move onto the sheet
        if above[a] * above[b] < 0:
            da, db = (vertices[k][1] - sheet(vertices[k][0]) for k in (a, b))
            part = abs(da) / (abs(da) + abs(db))
            step = np.abs(vertices[a] - vertices[b])
            limit = 0.25 if min(step) < 1e-6 else 0.41
            near = a if part < limit else b if part > 1 - limit else None
            if near is not None and label[near] != 0:
                other = b if near == a else a
                share = part if near == a else 1 - part
                moved[near] += share * (vertices[other] - vertices[near])
                moved[near][1] = sheet(moved[near][0])
                label[near] = 0
    cut_vertices, cut_label = list(map(tuple, moved)), list(label)
    cut = [list(t) for t in triangles]

    def length(e):
        return np.hypot(*np.subtract(cut_vertices[e[0]], cut_vertices[e[1]]))

    new = []
    while True:  # edges in conflict get one vertex each, the longest first
        conflicts = {tuple(sorted((t[i], t[i - 1]))) for t in cut for i in range(3)
                     if cut_label[t[i]] * cut_label[t[i - 1]] < 0}
        if not conflicts:
            break
        a, b = max(sorted(conflicts), key=length)
        pa, pb = np.array(cut_vertices[a]), np.array(cut_vertices[b])
        da, db = (abs(p[1] - sheet(p[0])) for p in (pa, pb))
        cut_vertices.append(tuple(pa + da / (da + db) * (pb - pa)))
        cut_label.append(0)
        m = len(cut_vertices) - 1
        new.append(m)
        for t in [t for t in cut if a in t and b in t]:
            cut.remove(t)
            cut += [[m if k == a else k for k in t], [m if k == b else k for k in t]]
    cut_vertices = np.array(cut_vertices)

    figure, axes = plt.subplots(2, 2, figsize=(7.4, 5.3))
    line = np.linspace(0, 32, 400)
    (a, b), (c, d) = axes
    bare(a, "(a) graded octree, fine at the fault")
    for x, z, h in leaves:
        a.add_patch(plt.Rectangle((x, z), h, h, fill=False, ec=GREY, lw=0.7))
    a.plot(line, sheet(line), color=BLUE, lw=1.4)
    a.plot(np.linspace(7, 15, 50), sheet(np.linspace(7, 15, 50)), color=RED, lw=3)
    a.add_patch(plt.Rectangle((5.6, -12.0), 6.4, 5.0, fill=False, ec=INK, lw=1.2, ls="--"))
    a.text(15.6, -8.6, "fault", color=RED, fontsize=9)
    a.text(24.2, -9.6, "layer boundary", color=BLUE, fontsize=8, ha="left", va="center")
    a.text(0.4, -13.0, "(b) to (d)", fontsize=8.5)
    a.text(0, -18.2, "blue: lower volume; yellow: upper; red: on the boundary", fontsize=8.5)
    a.set_xlim(-0.3, 32.3)
    a.set_ylim(-18.6, 0.3)

    def lattice(axes, title, places, list_of, colours):
        bare(axes, title)
        for t in list_of:
            axes.add_patch(plt.Polygon(places[t], fc=colours(t), ec=GREY, lw=0.7))
        axes.plot(line, sheet(line), color=BLUE, lw=1.4)
        axes.set_xlim(5.6, 12.0)
        axes.set_ylim(-12.0, -7.0)
        axes.add_patch(plt.Rectangle((5.6, -12.0), 6.4, 5.0, fill=False, ec=INK, lw=1.2, ls="--",
                                     clip_on=False))

    def dots(axes, places, labels):
        for k, colour in ((1, ORANGE), (-1, BLUE), (0, RED)):
            chosen = places[np.array(labels) == k]
            axes.plot(chosen[:, 0], chosen[:, 1], "o", color=colour, ms=3.6, zorder=5)

    lattice(b, "(b) lattice; a vertex lies in one volume", vertices, triangles, lambda t: "white")
    dots(b, vertices, above)
    lattice(c, "(c) near vertices move onto the boundary", moved, triangles, lambda t: "white")
    dots(c, moved, label)
    for k in np.flatnonzero(label == 0):
        if 5.8 < moved[k][0] < 11.8 and -11.8 < moved[k][1] < -7.2:
            arrow(c, vertices[k], moved[k], RED, 1.0)

    def side(t):
        total = sum(cut_label[k] for k in t)
        if total == 0:
            x, z = cut_vertices[t].mean(axis=0)
            total = 1 if z > sheet(x) else -1
        return UPPER if total > 0 else LOWER

    lattice(d, "(d) edges that still cross are cut", cut_vertices, cut, side)
    dots(d, cut_vertices[new], np.zeros(len(new)))
    save(figure, "octree")


# ---- split nodes --------------------------------------------------------------------------------

def split_nodes():
    figure, axes = plt.subplots(1, 2, figsize=(7.4, 2.9))
    xs, zs = np.arange(7), np.arange(5)
    for axis, slip in zip(axes, (False, True)):
        bare(axis, "(b) what elements see: u + slip/2 and u − slip/2" if slip
             else "(a) one displacement u at each node")
        place = {(i, j): np.array([
            i + 0.18 * ((i * 7 + j * 3) % 3 - 1) * (0 < i < 6 and j != 2),
            j * 0.85 + 0.10 * ((i * 5 + j) % 3 - 1) * (0 < j < 4 and j != 2)])
            for i in xs for j in zs}
        jump = {2: 1.0, 3: 1.0, 4: 1.0}  # slip at nodes of the fault, z index 2, without the rim
        for i in xs[:-1]:
            for j in zs[:-1]:
                for corners in (((i, j), (i + 1, j), (i + 1, j + 1)),
                                ((i, j), (i + 1, j + 1), (i, j + 1))):
                    plus = j >= 2
                    touched = any(b == 2 and a in jump for a, b in corners)
                    points = np.array([place[c] + (np.array([0.26, 0.0]) * (1 if plus else -1)
                                                   if slip and c[1] == 2 and c[0] in jump else 0)
                                       for c in corners])
                    fill = "white" if not touched else UPPER if plus else LOWER
                    axis.add_patch(plt.Polygon(points, fc=fill, ec=GREY, lw=0.8))
        if not slip:
            axis.plot([1, 5], [1.7, 1.7], color=RED, lw=2.6, solid_capstyle="butt")
            for i in (2, 3, 4):
                axis.plot(i, 1.7, "o", color=RED, ms=6, zorder=6)
            for i in (1, 5):
                axis.plot(i, 1.7, "o", mfc="white", mec=RED, ms=6, zorder=6)
        else:
            for sign, colour in ((1, ORANGE), (-1, BLUE)):
                points = [1, *(np.array([2, 3, 4]) + 0.26 * sign), 5]
                axis.plot(points, np.full(5, 1.7) + 0.04 * sign, color=colour, lw=1.8)
                for x in points[1:4]:
                    axis.plot(x, 1.7 + 0.04 * sign, "o", color=colour, ms=4.5, zorder=6)
            for i in (1, 5):
                axis.plot(i, 1.7, "o", mfc="white", mec=RED, ms=6, zorder=6)
        axis.set_xlim(-0.2, 6.2)
        axis.set_ylim(-0.75, 3.6)
        axis.text(0.05, 3.06, "plus side (hanging wall)", color="#8a5f00", fontsize=8.5,
                  va="bottom", bbox={"fc": "white", "ec": "none", "pad": 0.6, "alpha": 0.85})
        axis.text(0.05, 0.12, "minus side (foot wall)", color=BLUE, fontsize=8.5, va="bottom",
                  bbox={"fc": "white", "ec": "none", "pad": 0.6, "alpha": 0.85})
        if slip:
            arrow(axis, (2.6, 2.25), (3.6, 2.25), "#8a5f00", 1.6)
            arrow(axis, (3.4, 1.15), (2.4, 1.15), BLUE, 1.6)
        else:
            arrow(axis, (3.0, 1.7), (3.0, 2.45), INK, 1.4)
            axis.text(3.1, 2.2, "normal", fontsize=8.5,
                      bbox={"fc": "white", "ec": "none", "pad": 0.4, "alpha": 0.85})
        axis.text(3.0, -0.62, "filled: split nodes; open: the rim, without slip" if not slip else
                  "coloured: elements whose load contains the offset", ha="center", fontsize=8.5)
    save(figure, "split_nodes")


# ---- rheology -----------------------------------------------------------------------------------

def rheology():
    """Relaxation moduli and the creep of the four bodies; time in Maxwell times eta/mu."""
    t = np.linspace(0, 8, 400)

    def burgers(mu_k, eta_k):  # mu = eta = 1
        a, b, k = 1.0, 1.0 / eta_k, mu_k / eta_k
        d = np.sqrt((a - k) ** 2 + b * (2 * (a + k) + b))
        rho = ((a + b + k + d) / 2, (a + b + k - d) / 2)
        w2 = (k - rho[1]) / d
        return (1 - w2) * np.exp(-rho[0] * t) + w2 * np.exp(-rho[1] * t)

    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 2.9))
    solid = 0.4
    curves = (("elastic", np.ones_like(t), np.ones_like(t), GREY, ":"),
              ("Maxwell", np.exp(-t), 1 + t, BLUE, "-"),
              ("standard linear solid, μr = 0.4 μ",
               solid + (1 - solid) * np.exp(-t * (1 - solid)),
               1 + (1 / solid - 1) * (1 - np.exp(-t * solid * (1 - solid))), GREEN, "--"),
              ("Burgers, μk = μ, ηk = η/5", burgers(1.0, 0.2),
               1 + t + (1 - np.exp(-t / 0.2)), RED, "-."))
    for name, modulus, creep, colour, style in curves:
        left.plot(t, modulus, color=colour, ls=style, lw=1.8, label=name)
        right.plot(t, creep, color=colour, ls=style, lw=1.8)
    left.set(xlabel="time / Maxwell time (η/μ)", ylabel="μ(t) / μ", ylim=(0, 1.05), xlim=(0, 8),
             title="stress left of a constant strain")
    right.set(xlabel="time / Maxwell time (η/μ)", ylabel="strain / (stress / 2μ)",
              ylim=(0, 14), xlim=(0, 8), title="strain under a constant stress")
    right.axhline(0, color=PALE, lw=0.8)
    right.legend(*left.get_legend_handles_labels(), loc="upper left")
    save(figure, "rheology")


# ---- relaxation spectrum ------------------------------------------------------------------------

def spectrum():
    """Strike slip in an elastic lid over three viscous layers: moduli at shifts, reduced models."""
    nx, nz, times = 24, 16, np.logspace(-2, np.log10(200.0), 25)
    rates = (3.0, 0.1, 0.004)  # per year, from the lid down
    count = nx * nz
    groups = [np.zeros((count, count)) for _ in range(4)]
    slip = [np.zeros(count) for _ in range(4)]
    for i in range(nx):
        for j in range(nz):
            group, here = min(j // 4, 3), i * nz + j
            for a, b in ((i + 1, j), (i, j + 1)):
                spring = np.zeros(count)
                spring[here] = 1.0
                if a < nx and b < nz:
                    spring[a * nz + b] = -1.0  # else the side or the bottom, which is fixed
                groups[group] += np.outer(spring, spring)
                if a == nx // 2 and b == j and j < 5:
                    slip[group] += spring  # a jump of one across the fault
    u0 = np.linalg.solve(sum(groups), sum(slip))
    q = [groups[j] @ u0 - slip[j] for j in range(1, 4)]  # what relaxation lets go

    def solve(s, basis=None):
        """Change since the slip, times s, at one Laplace shift: of the body or projected."""
        g = [s / (s + r) for r in rates]
        matrices, loads = (groups, q) if basis is None else projected
        c = np.linalg.solve(matrices[0] + sum(g[j] * matrices[j + 1] for j in range(3)),
                            sum((1 - g[j]) * loads[j] for j in range(3)))
        return c if basis is None else basis @ c

    def history(basis=None, nodes=16):
        """The change at the times by the fixed Talbot contour (Abate and Valko 2004)."""
        out = []
        for t in times:
            r = 2 * nodes / (5 * t)
            total = 0.5 * np.exp(r * t) * solve(r, basis) / r
            for k in range(1, nodes):
                angle = k * np.pi / nodes
                cot = 1 / np.tan(angle)
                s = r * angle * (cot + 1j)
                sigma = angle + (angle * cot - 1) * cot
                total = total + (np.exp(t * s) * solve(s, basis) / s * (1 + 1j * sigma)).real
            out.append(r / nodes * total)
        return np.array(out)

    exact = history()
    grid = np.logspace(np.log10(1 / 200.0), np.log10(30.0), 31)
    shifts, errors, columns = [grid[-1], grid[0]], [], []
    while len(shifts) <= 9:
        columns = [solve(s) for s in shifts]
        basis, _ = np.linalg.qr(np.array(columns).T)
        projected = ([basis.T @ g @ basis for g in groups], [basis.T @ one for one in q])
        errors.append(np.abs(history(basis) - exact).max() / np.abs(exact).max())

        def lack(s):
            return np.abs(solve(s, basis) - solve(s)).max()
        shifts.append(max(grid, key=lack))

    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 2.9))
    s = np.logspace(-3, 2, 300)
    for rate, colour, style in zip(rates, (RED, BLUE, GREEN), ("-", "--", "-.")):
        left.semilogx(s, s / (s + rate), color=colour, ls=style, lw=1.8)
        left.text(rate * 1.25, 0.5, f"{1 / rate:.3g}", color=colour, fontsize=9, ha="left",
                  va="top", bbox={"fc": "white", "ec": "none", "pad": 0.5})
    for k, shift in enumerate(shifts[:8]):
        left.plot([shift, shift], [0, 1], color=PALE, lw=1.0, zorder=0)
        left.text(shift, 1.02, str(k + 1), ha="center", va="bottom", fontsize=8)
    left.set(xlabel="Laplace shift s [1/year]", ylabel="modulus left, g(s)", ylim=(0, 1.1))
    left.set_title("rock with relaxation times in years", loc="left", pad=10)
    right.semilogy(range(2, 2 + len(errors)), errors, "o-", color=BLUE, lw=1.5, ms=4)
    right.set(xlabel="elastic solves in the basis", ylabel="largest error / largest change")
    right.set_title("all times from 0 to 200 years", loc="left", pad=10)
    right.grid(color=PALE, lw=0.5)
    save(figure, "spectrum")


# ---- V-cycle ------------------------------------------------------------------------------------

def vcycle():
    figure, axes = plt.subplots(figsize=(7.4, 3.2))
    axes.axis("off")
    levels = (("quadratic elements (P2)", "element by element"),
              ("linear elements (P1)", "3 × 3 blocks"),
              ("aggregates, six rigid motions each", "6 × 6 blocks"),
              ("at most 600 unknowns", "dense inverse"))
    for k, (name, how) in enumerate(levels):
        y = -k
        axes.plot([-0.2, 8.4], [y, y], color=PALE, lw=0.8, zorder=0)
        axes.text(-0.35, y + 0.05, name, ha="right", va="bottom", fontsize=9)
        axes.text(-0.35, y - 0.06, how, ha="right", va="top", fontsize=8, color=GREY)
        if k < 3:
            for x, colour in ((0.6 + k, BLUE), (7.6 - k, BLUE)):
                axes.plot(x, y, "o", color=colour, ms=13, zorder=4)
            arrow(axes, (0.68 + k, y - 0.14), (1.5 + k, y - 0.86), GREY)
            arrow(axes, (6.7 - k, y - 0.86), (7.52 - k, y - 0.14), GREY)
        else:
            axes.plot([3.6, 4.6], [y, y], color=RED, lw=0)
            axes.add_patch(plt.Rectangle((3.5, y - 0.16), 1.2, 0.32, fc=RED, ec="none", zorder=4))
    axes.text(1.75, -0.42, "residual goes down", fontsize=8.5, rotation=0, color=INK)
    axes.text(6.55, -0.42, "correction comes up", fontsize=8.5, color=INK, ha="right")
    axes.plot(0.9, -3.75, "o", color=BLUE, ms=9)
    axes.text(1.15, -3.75, "Chebyshev smoothing, FP32", va="center", fontsize=8.5)
    axes.add_patch(plt.Rectangle((5.0, -3.85), 0.35, 0.2, fc=RED, ec="none"))
    axes.text(5.5, -3.75, "solved exactly", va="center", fontsize=8.5)
    axes.text(4.1, 0.42, "conjugate gradients, FP64: residual in, direction out", ha="center",
              fontsize=8.5)
    arrow(axes, (0.6, 0.5), (0.6, 0.16))
    arrow(axes, (7.6, 0.16), (7.6, 0.5))
    axes.set_xlim(-4.6, 8.6)
    axes.set_ylim(-4.0, 0.7)
    save(figure, "vcycle")


# ---- clusters of time steps ---------------------------------------------------------------------

def clusters():
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.0), width_ratios=(1.35, 1))
    colours = (RED, ORANGE, BLUE)
    for c in range(3):
        step = 2 ** c
        for k in range(0, 4, step):
            left.add_patch(plt.Rectangle((c + 0.08, k + 0.04), 0.84, step - 0.08, fc=colours[c],
                                         ec=INK, lw=0.8, alpha=0.55))
            left.text(c + 0.5, k + step / 2, "Δt" if c == 0 else f"{step} Δt", ha="center",
                      va="center", fontsize=9)
    for k in range(4):  # traces that are exchanged
        arrow(left, (0.95, k + 0.35), (1.10, k + 0.35), INK, 1.0, "<|-|>")
    for k in (0, 2):
        arrow(left, (1.95, k + 1), (2.10, k + 1), INK, 1.0, "<|-|>")
    for k in range(5):
        batch = [c for c in range(3) if k % (2 ** c) == 0]
        text = "begin: " + ", ".join(str(c) for c in batch) if k < 4 else "end of the macro step"
        left.text(3.12, k, text, va="center", fontsize=8.5)
        left.plot([0, 3.05], [k, k], color=GREY, lw=0.7, ls=":", zorder=0)
    left.set_xlim(0, 4.6)
    left.set_ylim(-0.1, 4.15)
    left.set_xticks([0.5, 1.5, 2.5], ["cluster 0", "cluster 1", "cluster 2"])
    left.set_yticks(range(5))
    left.set_ylabel("time / Δt")
    left.set_title("steps of neighbours; arrows: traces", loc="left")
    left.spines["left"].set_visible(False)
    left.spines["bottom"].set_visible(False)
    left.tick_params(length=0)

    # a layer of 1 km over fast rock, 3 Hz: counts of the table in docs/theory/meshing.md
    counts = np.array([47872, 420288, 514712])
    updates = counts / 2.0 ** np.arange(3)
    width = 0.36
    place = np.arange(3)
    right.bar(place - width / 2, 100 * counts / counts.sum(), width, color=colours, alpha=0.55,
              ec=INK, lw=0.8)
    right.bar(place + width / 2, 100 * updates / updates.sum(), width, color=colours, alpha=0.55,
              ec=INK, lw=0.8, hatch="///")
    right.set_xticks(place, ["cluster 0", "cluster 1", "cluster 2"])
    right.set_ylabel("share [%]")
    right.set_ylim(0, 78)
    right.set_title("layered box, 3 Hz, 982,872 elements", loc="left")
    right.legend(handles=[plt.Rectangle((0, 0), 1, 1, fc="white", ec=INK, label="elements"),
                          plt.Rectangle((0, 0), 1, 1, fc="white", ec=INK, hatch="///",
                                        label="updates")], loc="upper left")
    save(figure, "clusters")


# ---- friction -----------------------------------------------------------------------------------

def friction():
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.4, 3.0))
    # TPV5: mu_s = 0.677, mu_d = 0.525, Dc = 0.4 m
    slip = np.linspace(0, 0.8, 200)
    left.plot(slip, 0.677 - (0.677 - 0.525) * np.minimum(slip / 0.4, 1), color=BLUE, lw=1.8)
    left.set(xlabel="path of slip [m]", ylabel="friction coefficient", ylim=(0.45, 0.72),
             xlim=(0, 0.8), title="linear slip weakening (TPV5)")
    left.annotate("static, μs", (0.005, 0.677), (0.10, 0.695), fontsize=8.5, va="center",
                  arrowprops={"arrowstyle": "-", "color": GREY, "lw": 0.7})
    left.annotate("dynamic, μd", (0.7, 0.525), (0.58, 0.54), fontsize=8.5)
    left.axvline(0.4, color=GREY, ls=":", lw=1)
    left.text(0.41, 0.62, "Dc", fontsize=9)
    # TPV101: a 0.008, b 0.012; TPV104: a 0.01, b 0.014, f_w 0.2, V_w 0.1 m/s; f0 0.6, V0 1e-6 m/s
    rate = np.logspace(-12, 1, 400)
    ageing = 0.6 - (0.012 - 0.008) * np.log(rate / 1e-6)
    low = 0.6 - (0.014 - 0.010) * np.log(rate / 1e-6)
    fast = 0.2 + (low - 0.2) / (1 + (rate / 0.1) ** 8) ** 0.125
    direct = 0.008 * np.log(rate / 1e-6) + 0.6
    right.semilogx(rate, ageing, color=BLUE, lw=1.8, label="steady: ageing, slip law (TPV101)")
    right.semilogx(rate, fast, color=RED, lw=1.8, ls="--", label="steady: fast weakening (TPV104)")
    inside = (rate > 3e-9) & (rate < 3e-4)
    right.semilogx(rate[inside], direct[inside], color=GREEN, lw=1.5, ls="-.",
                   label="at one state (TPV101)")
    right.set(xlabel="slip rate V [m/s]", ylabel="friction coefficient", ylim=(0.15, 0.95),
              xlim=(1e-12, 10), title="rate and state")
    right.legend(loc="upper right", fontsize=8)
    save(figure, "friction")


FIGURES = {f.__name__: f
           for f in (octree, split_nodes, rheology, spectrum, vcycle, clusters, friction)}

if __name__ == "__main__":
    for chosen in sys.argv[1:] or FIGURES:
        if chosen not in FIGURES:
            sys.exit(f"{chosen} is no figure here; there are: {', '.join(FIGURES)}")
        FIGURES[chosen]()
