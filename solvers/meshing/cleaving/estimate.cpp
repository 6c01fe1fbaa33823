// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/estimate.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace kaname::cleaving {
namespace {

// Tets of the lattice: a leaf has half of the four tets over each of its six faces; all four over a
// face on the box's side; and those that smaller neighbours divide in two.
constexpr double kPerLeaf = 12.0, kPerOuterFace = 2.0, kPerDividedFace = 2.0;
// Tets that cutting adds for every edge in conflict (fitted), between volumes and with the air.
constexpr double kPerCut = 2.5, kPerGroundCut = 3.5;
// A body-centred lattice has a vertex for six tets, and more on its outside; cutting adds more.
constexpr double kVerticesPerTet = 1.0 / 6.0, kVerticesPerOuterFace = 1.17;
constexpr double kVerticesPerCutTet = 0.22;  // fitted

struct Sums {
    double lattice = 0.0, outer_faces = 0.0, cuts = 0.0, ground_cuts = 0.0;
};

Sums count_leaf(const Octree& octree, const Labeller& labeller, const Cell& leaf) {
    const Vec3 x = octree.centre(leaf);
    const Vec3 half = 0.5 * octree.edge(leaf.level);
    const Labels centre = labeller.at(x, 0);
    const earth::HeightField& ground = labeller.sheets().model().surfaces.front().height;
    const bool level = ground.constant();
    std::array<Labels, 8> corners;
    for (int i = 0; i < 8; ++i) {
        Vec3 at{x.x + ((i & 1) != 0 ? half.x : -half.x), x.y + ((i & 2) != 0 ? half.y : -half.y),
                x.z + ((i & 4) != 0 ? half.z : -half.z)};
        if (level && (i & 4) != 0) {
            at.z = std::min(at.z, ground.lowest());  // where the lattice ends, but for rounding
        }
        corners[i] = labeller.at(at, 0);
    }
    Sums sums;
    const auto add_edge = [&](const Labels& p, const Labels& q, double part) {
        if ((p & q).in_conflict()) {
            const bool ground = p.volumes == kAirBit || q.volumes == kAirBit;
            (ground ? sums.ground_cuts : sums.cuts) += part;
        }
    };
    for (int i = 0; i < 8; ++i) {
        add_edge(centre, corners[i], 1.0);
        for (int axis = 0; axis < 3; ++axis) {
            if ((i >> axis & 1) == 0) {
                add_edge(corners[i], corners[i | 1 << axis], 0.25);  // four leaves share it
            }
        }
    }
    if (centre.volumes == kAirBit) {
        return sums;
    }
    sums.lattice = kPerLeaf;
    for (int axis = 0; axis < 3; ++axis) {
        for (const int way : {-1, 1}) {
            Cell neighbour = leaf;
            neighbour.at[axis] += way;
            if (!octree.inside(neighbour)) {
                sums.lattice += kPerOuterFace;
                sums.outer_faces += 1.0;
            } else if (octree.divided(neighbour)) {
                sums.lattice += kPerDividedFace;
            }
        }
    }
    return sums;
}

}  // namespace

meshing::MeshSource::Count estimate_count(const Octree& octree, const Labeller& labeller) {
    const std::vector<Cell>& leaves = octree.leaves();
    constexpr std::size_t kChunk = 1024;
    std::vector<Sums> pieces((leaves.size() + kChunk - 1) / kChunk);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
        const std::size_t end = std::min(leaves.size(), (piece + 1) * kChunk);
        for (std::size_t k = piece * kChunk; k < end; ++k) {
            const Sums leaf = count_leaf(octree, labeller, leaves[k]);
            pieces[piece].lattice += leaf.lattice;
            pieces[piece].outer_faces += leaf.outer_faces;
            pieces[piece].cuts += leaf.cuts;
            pieces[piece].ground_cuts += leaf.ground_cuts;
        }
    }
    double tets = 0.0, vertices = 0.0;
    for (const Sums& sums : pieces) {  // in order: the same for any number of threads
        const double cut = kPerCut * sums.cuts + kPerGroundCut * sums.ground_cuts;
        tets += sums.lattice + cut;
        vertices += kVerticesPerTet * sums.lattice + kVerticesPerCutTet * cut +
                    kVerticesPerOuterFace * sums.outer_faces;
    }
    return {static_cast<std::int64_t>(vertices), static_cast<std::int64_t>(tets)};
}

}  // namespace kaname::cleaving
