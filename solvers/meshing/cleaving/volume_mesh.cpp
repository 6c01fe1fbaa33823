// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/volume_mesh.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/meshing/cleaving/complex.hpp"
#include "solvers/meshing/cleaving/fault_sides.hpp"
#include "solvers/meshing/cleaving/finish.hpp"
#include "solvers/meshing/cleaving/improve.hpp"
#include "solvers/meshing/cleaving/lattice.hpp"
#include "solvers/meshing/cleaving/octree.hpp"
#include "solvers/meshing/cleaving/rim.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/cleaving/warp.hpp"
#include "solvers/meshing/mesh_source.hpp"

namespace kaname::cleaving {
namespace {

constexpr double kZone = 2.5;  // sizes about a fault's samples that conform to it
constexpr int kAttempts = 5;
constexpr int kMostCuts = 5;
constexpr double kUnresolvedRadius = 1.5;              // in longest edges of a stuck tet
constexpr double kTarget_deg = 15.0, kMust_deg = 9.0;  // shape_deg
constexpr double kSettled_deg = 12.0;                  // the shape_deg that settling may leave

class VolumeMesh final : public meshing::MeshSource {
public:
    explicit VolumeMesh(VolumeMeshParams params)
        : params_(std::move(params)),
          sheets_(params_.model, params_.faults, params_.box),
          sizes_(params_.sizes, params_.box, params_.model),
          labeller_(sheets_, zones(), ThinLayers(*params_.model, sizes_, params_.thinnest)) {}

    [[nodiscard]] Count estimate() const override {
        return estimate_count(make_octree(), labeller_);
    }

    [[nodiscard]] mesh::TetMesh build(const meshing::Progress& progress) const override {
        const auto say = [&](double fraction, const char* stage) {
            if (progress) {
                progress(fraction, stage);
            }
        };
        say(0.0, "octree");
        const Octree octree = make_octree();
        UnresolvedRegions unresolved;
        Complex complex = conform(octree, unresolved, 0, say);
        for (int attempt = 1; attempt < kAttempts && unresolved.latest > 0; ++attempt) {
            complex = conform(octree, unresolved, attempt, say);
        }
        mend_sides(complex);
        complex = with_rims(std::move(complex), unresolved.latest, say);
        mend_sides(complex);  // as the improvement about the rims has left them
        say(0.9, "surfaces");
        mesh::TetMesh mesh = finish(std::move(complex), sheets_, params_.faults, params_.box);
        say(1.0, "done");
        return mesh;
    }

private:
    using Say = std::function<void(double fraction, const char* stage)>;

    /// Cuts as often as edges cross sheets: each time an edge gets one vertex, and what lies
    /// between that and its ends is found by the next. In a later attempt places where the one
    /// before got stuck are calm in all but the first cut, then in all; those of this attempt are
    /// added to `calm`.
    [[nodiscard]] Complex conform(const Octree& octree, UnresolvedRegions& unresolved, int attempt,
                                  const Say& say) const {
        say(0.05, "lattice");
        Lattice lattice = make_lattice(octree);
        const LatticePlanes planes(params_.planes, octree.roots());
        if (!planes.none()) {
            std::ranges::transform(lattice.xyz, lattice.xyz.begin(), planes);
        }
        say(0.15, "labels");
        Complex complex = label(std::move(lattice), labeller_);
        const UnresolvedRegions first = attempt < 2 ? UnresolvedRegions{} : unresolved;
        say(0.2, "cutting");
        warp(complex, labeller_, first, octree.roots().edge);
        bool crossed = cut(complex, labeller_, first, false);
        say(0.3, "cutting");
        for (int cuts = 2; crossed && cuts < kMostCuts; ++cuts) {
            warp(complex, labeller_, unresolved, {});
            crossed = cut(complex, labeller_, unresolved, false);
        }
        warp(complex, labeller_, unresolved, {});
        cut(complex, labeller_, unresolved, true);
        say(0.4, "improving");
        const Improvement improvement =
            improve(complex, sheets_, kTarget_deg, kMust_deg,
                    [&](double fraction) { say(0.4 + 0.4 * fraction, "improving"); });
        for (const Improvement::Stuck& stuck : improvement.stuck) {
            unresolved.places.push_back({stuck.at, kUnresolvedRadius * stuck.edge_m});
        }
        unresolved.latest = improvement.stuck.size();
        settle(complex, sheets_, kSettled_deg);
        return complex;
    }

    void mend_sides(Complex& complex) const {
        for (int fault = 0; fault < static_cast<int>(params_.faults.size()); ++fault) {
            mend_fault_sides(complex, fault);
        }
    }

    /// With the rims of faults on their outlines, or as it was where that leaves more than `stuck`
    /// tets that cannot be mended. Rims of sharp faults may leave their outline about such tets.
    [[nodiscard]] Complex with_rims(Complex complex, std::size_t stuck, const Say& say) const {
        if (std::ranges::all_of(params_.faults, [](const auto& f) { return f.outline.empty(); })) {
            return complex;
        }
        const bool sharp = std::ranges::all_of(
            params_.faults, [](const auto& f) { return f.outline.empty() || f.sharp; });
        UnresolvedRegions unresolved;
        for (int attempt = 0; attempt < (sharp ? kAttempts : 1); ++attempt) {
            Complex fitted = complex;
            if (!fit_rims(fitted, sheets_, params_.faults, params_.box, unresolved)) {
                return complex;
            }
            const Improvement improvement =
                improve(fitted, sheets_, kTarget_deg, kMust_deg,
                        [&](double fraction) { say(0.8 + 0.1 * fraction, "fitting rims"); });
            if (improvement.stuck.size() <= stuck) {
                fitted.rims_fitted = true;
                return fitted;
            }
            for (const Improvement::Stuck& at : improvement.stuck) {
                unresolved.places.push_back({at.at, kUnresolvedRadius * at.edge_m});
            }
        }
        return complex;
    }

    [[nodiscard]] Octree make_octree() const {
        const std::int64_t most =
            params_.max_tets > 0 ? params_.max_tets : std::numeric_limits<std::int32_t>::max() / 4;
        const earth::HeightField& ground = params_.model->surfaces.front().height;
        return Octree(choose_roots(params_), most / 12, [&](const Vec3& centre, const Vec3& half) {
            if (!ground.constant() && centre.z - half.z > ground.z(centre.x, centre.y) &&
                centre.z - 3.0 * half.z > highest_corner(ground, centre, half)) {
                return false;  // in the air
            }
            const double reach = std::max({half.x, half.y, half.z});
            return kSizePerEdge * 2.0 * reach > kLargest * sizes_.smallest(centre, reach);
        });
    }

    static double highest_corner(const earth::HeightField& ground, const Vec3& centre,
                                 const Vec3& half) {
        double highest = -std::numeric_limits<double>::infinity();
        for (const double i : {-1.0, 1.0}) {
            for (const double j : {-1.0, 1.0}) {
                highest = std::max(highest, ground.z(centre.x + i * half.x, centre.y + j * half.y));
            }
        }
        return highest;
    }

    [[nodiscard]] std::vector<FaultZone> zones() const {
        const meshing::BoxFrame frame(params_.box.azimuth_rad);
        std::vector<FaultZone> zones;
        for (const FaultRequest& fault : params_.faults) {
            std::map<int, std::pair<double, std::vector<Vec3>>> by_size;  // size of the group
            for (const Vec3& x : fault.samples) {
                const Vec3 at{frame.b(x.x, x.y), frame.a(x.x, x.y), x.z};
                const double size = sizes_.at(at);
                auto& [largest, samples] =
                    by_size[static_cast<int>(std::floor(std::log2(sizes_.far_m() / size)))];
                largest = std::max(largest, size);
                samples.push_back(at);
            }
            FaultZone& zone = zones.emplace_back();
            for (auto& [octave, group] : by_size) {
                zone.groups.push_back({PointTree(std::move(group.second)), kZone * group.first});
            }
        }
        return zones;
    }

    VolumeMeshParams params_;
    Sheets sheets_;
    SizeField sizes_;
    Labeller labeller_;  // borrows the sheets and sizes
};

}  // namespace

std::unique_ptr<meshing::MeshSource> make_volume_mesh(VolumeMeshParams params) {
    check_volume_mesh(params);
    return std::make_unique<VolumeMesh>(std::move(params));
}

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

struct EdgeEnd {
    Vec3 at;
    Labels labels;
};

/// Returns the surfaces that an edge in conflict crosses, as far as its quarters tell them; those
/// after the first are worth two, since they cut what is cut (fitted).
double crossings(const Labeller& labeller, const EdgeEnd& p, const EdgeEnd& q) {
    int found = 0;
    Labels before = p.labels;
    for (const double part : {0.25, 0.5, 0.75, 1.0}) {
        const Labels here = part < 1.0 ? labeller.at(p.at + part * (q.at - p.at), 0) : q.labels;
        found += (before & here).in_conflict() ? 1 : 0;
        before = here;
    }
    return std::max(1, 2 * found - 1);
}

Sums count_leaf(const Octree& octree, const Labeller& labeller, const Cell& leaf) {
    const Vec3 x = octree.centre(leaf);
    const Vec3 half = octree.half(leaf);
    const Labels centre = labeller.at(x, 0);
    const earth::HeightField& ground = labeller.sheets().model().surfaces.front().height;
    const bool level = ground.constant();
    std::array<EdgeEnd, 8> corners;
    for (int i = 0; i < 8; ++i) {
        Vec3 at{x.x + ((i & 1) != 0 ? half.x : -half.x), x.y + ((i & 2) != 0 ? half.y : -half.y),
                x.z + ((i & 4) != 0 ? half.z : -half.z)};
        if (level && (i & 4) != 0) {
            at.z = std::min(at.z, ground.lowest());  // where the lattice ends, but for rounding
        }
        corners[i] = {at, labeller.at(at, 0)};
    }
    Sums sums;
    const auto add_edge = [&](const EdgeEnd& p, const EdgeEnd& q, double part) {
        if ((p.labels & q.labels).in_conflict()) {
            const bool ground = p.labels.volumes == kAirBit || q.labels.volumes == kAirBit;
            sums.ground_cuts += ground ? part : 0.0;
            sums.cuts += part * (crossings(labeller, p, q) - (ground ? 1.0 : 0.0));
        }
    };
    for (int i = 0; i < 8; ++i) {
        add_edge({x, centre}, corners[i], 1.0);
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

namespace {

using meshing::require;
using meshing::require_length;

std::string element(const char* list, std::size_t index) {
    return std::string(list) + "[" + std::to_string(index) + "]";
}

void check_sizes(const SizeRequest& sizes) {
    require_length("sizes.far_m", sizes.far_m);
    require(std::isfinite(sizes.growth) && sizes.growth > 0.0, "sizes.growth", "finite and > 0",
            sizes.growth);
    require(sizes.detail_reach_m >= 0.0, "sizes.detail_reach_m", ">= 0", sizes.detail_reach_m);
    require(std::isfinite(sizes.at_surface_m) && sizes.at_surface_m >= 0.0, "sizes.at_surface_m",
            "finite and >= 0", sizes.at_surface_m);
    for (std::size_t k = 0; k < sizes.points.size(); ++k) {
        require_length(element("sizes.points", k) + ".size_m", sizes.points[k].size_m);
    }
    for (std::size_t k = 0; k < sizes.depths.size(); ++k) {
        require_length(element("sizes.depths", k) + ".size_m", sizes.depths[k].size_m);
    }
}

void check_faults(const VolumeMeshParams& params) {
    const auto count = params.faults.size();
    require(count <= static_cast<std::size_t>(kMaxFaults), "faults",
            ("at most " + std::to_string(kMaxFaults)).c_str(), static_cast<double>(count));
    const int surfaces = static_cast<int>(params.model->surfaces.size());
    for (std::size_t k = 0; k < count; ++k) {
        const FaultRequest& fault = params.faults[k];
        const std::string field = element("faults", k);
        require(fault.surface < surfaces && (fault.surface >= 0 || fault.plane.has_value()),
                field + ".surface", "one of the model's surfaces, or -1 with a plane",
                fault.surface);
        require(fault.outline.empty() || fault.outline.size() == 4, field + ".outline",
                "empty or of four corners", static_cast<double>(fault.outline.size()));
    }
}

}  // namespace

void check_volume_mesh(const VolumeMeshParams& params) {
    meshing::check_box(params.box);
    check_sizes(params.sizes);
    require(params.thinnest >= 0.0 && params.thinnest < 1.0, "thinnest", "in [0, 1)",
            params.thinnest);
    for (const std::int32_t n : params.roots) {
        require(n >= 0 && (n > 0) == (params.roots[0] > 0), "roots", "all > 0, or all 0", n);
    }
    check_faults(params);
}

}  // namespace kaname::cleaving
