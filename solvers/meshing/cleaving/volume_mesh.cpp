// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/volume_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "solvers/meshing/box_frame.hpp"
#include "solvers/meshing/cleaving/cut.hpp"
#include "solvers/meshing/cleaving/estimate.hpp"
#include "solvers/meshing/cleaving/fault_sides.hpp"
#include "solvers/meshing/cleaving/finish.hpp"
#include "solvers/meshing/cleaving/improve.hpp"
#include "solvers/meshing/cleaving/lattice.hpp"
#include "solvers/meshing/cleaving/lattice_planes.hpp"
#include "solvers/meshing/cleaving/octree.hpp"
#include "solvers/meshing/cleaving/rim.hpp"
#include "solvers/meshing/cleaving/roots.hpp"
#include "solvers/meshing/cleaving/settle.hpp"
#include "solvers/meshing/cleaving/size_field.hpp"
#include "solvers/meshing/cleaving/volume_mesh_checks.hpp"
#include "solvers/meshing/cleaving/warp.hpp"

namespace kaname::cleaving {
namespace {

constexpr double kZone = 2.5;  // sizes about a fault's samples that conform to it
constexpr int kAttempts = 5;
constexpr int kMostCuts = 5;
constexpr double kCalmRadius = 1.5;                    // in longest edges of a stuck tet
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
        Calm calm;
        Complex complex = conform(octree, calm, 0, say);
        for (int attempt = 1; attempt < kAttempts && calm.latest > 0; ++attempt) {
            complex = conform(octree, calm, attempt, say);
        }
        mend_sides(complex);
        complex = with_rims(std::move(complex), calm.latest, say);
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
    [[nodiscard]] Complex conform(const Octree& octree, Calm& calm, int attempt,
                                  const Say& say) const {
        say(0.05, "lattice");
        Lattice lattice = make_lattice(octree);
        const LatticePlanes planes(params_.planes, octree.roots());
        if (!planes.none()) {
            std::ranges::transform(lattice.xyz, lattice.xyz.begin(), planes);
        }
        say(0.15, "labels");
        Complex complex = label(std::move(lattice), labeller_);
        const Calm first = attempt < 2 ? Calm{} : calm;
        say(0.2, "cutting");
        warp(complex, labeller_, first, octree.roots().edge);
        bool crossed = cut(complex, labeller_, first, false);
        say(0.3, "cutting");
        for (int cuts = 2; crossed && cuts < kMostCuts; ++cuts) {
            warp(complex, labeller_, calm, {});
            crossed = cut(complex, labeller_, calm, false);
        }
        warp(complex, labeller_, calm, {});
        cut(complex, labeller_, calm, true);
        say(0.4, "improving");
        const Improvement improvement =
            improve(complex, sheets_, kTarget_deg, kMust_deg,
                    [&](double fraction) { say(0.4 + 0.4 * fraction, "improving"); });
        for (const Improvement::Stuck& stuck : improvement.stuck) {
            calm.places.push_back({stuck.at, kCalmRadius * stuck.edge_m});
        }
        calm.latest = improvement.stuck.size();
        settle(complex, sheets_, kSettled_deg);
        return complex;
    }

    void mend_sides(Complex& complex) const {
        for (int fault = 0; fault < static_cast<int>(params_.faults.size()); ++fault) {
            mend_fault_sides(complex, fault);
        }
    }

    /// With the rims of faults on their outlines, or as it was where that leaves more than `stuck`
    /// tets that cannot be mended.
    [[nodiscard]] Complex with_rims(Complex complex, std::size_t stuck, const Say& say) const {
        if (std::ranges::all_of(params_.faults, [](const auto& f) { return f.outline.empty(); })) {
            return complex;
        }
        Complex fitted = complex;
        if (!fit_rims(fitted, sheets_, params_.faults, params_.box)) {
            return complex;
        }
        const Improvement improvement =
            improve(fitted, sheets_, kTarget_deg, kMust_deg,
                    [&](double fraction) { say(0.8 + 0.1 * fraction, "fitting rims"); });
        if (improvement.stuck.size() > stuck) {
            return complex;
        }
        fitted.rims_fitted = true;
        return fitted;
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

}  // namespace kaname::cleaving
