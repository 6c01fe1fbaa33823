// SPDX-License-Identifier: BSD-3-Clause
// Planes of patches beside each other, and the job that they make.
#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/base/units.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/support/okada.hpp"
#include "tests/support/solve_all.hpp"
#include "tests/unit/worker/jobs/geometry_parts.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

#ifdef KANAME_HAVE_PROJ

namespace kaname::jobs::several_faults_test {

inline constexpr double kLambda_pa = 3e10, kMu_pa = 3e10;

/// n x m patches of 4 x 4 km about a centre (x, y, depth) on the map, slip 1 m in the middle ones.
inline std::vector<slip_model::SlipPatch> plane_of_patches(const earth::Projection& projection,
                                                           double x, double y, double depth_m,
                                                           double strike_deg, double dip_deg,
                                                           double rake_deg, int n, int m) {
    constexpr double kPatch_m = 4e3;
    slip_model::PlacedPatch plane;
    plane.strike_rad = strike_deg * kDegree;
    plane.dip_rad = dip_deg * kDegree;
    std::vector<slip_model::SlipPatch> patches;
    for (int j = 0; j < m; ++j) {
        for (int i = 0; i < n; ++i) {
            const Vec3 at = Vec3{x, y, -depth_m} +
                            (i - 0.5 * (n - 1)) * kPatch_m * plane.along_strike() +
                            (j - 0.5 * (m - 1)) * kPatch_m * plane.down_dip();
            const earth::LonLat place = projection.inverse({at.x, at.y});
            slip_model::SlipPatch patch;
            patch.lon_deg = place.lon_deg;
            patch.lat_deg = place.lat_deg;
            patch.depth_m = -at.z;
            patch.length_m = patch.width_m = kPatch_m;
            patch.strike_deg = strike_deg - projection.convergence(place) / kDegree;
            patch.dip_deg = dip_deg;
            patch.rake_deg = rake_deg;
            patch.slip_m = 1.0;
            patches.push_back(patch);
        }
    }
    return patches;
}

inline void append(std::vector<slip_model::SlipPatch>& to,
                   const std::vector<slip_model::SlipPatch>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// Displacement of all segments, each bilinear between its patches: as many small dislocations.
inline Vec3 dislocations(const slip_model::PlacedModel& placed, const Vec3& station) {
    constexpr int kCells = 4;  // per patch
    const auto medium = test::okada_medium(kLambda_pa, kMu_pa);
    Vec3 sum;
    for (int segment = 0; segment < std::ssize(placed.segments); ++segment) {
        slip_model::PlacedModel one{{}, placed.segments};
        std::ranges::copy_if(placed.patches, std::back_inserter(one.patches),
                             [&](const auto& patch) { return patch.segment == segment; });
        const slip_model::SlipSampler sampler(one, {});
        const auto grid = sampler.grids()[static_cast<std::size_t>(segment)];
        const slip_model::PlacedPatch& first = one.patches.front();
        const double cell = first.length_m / kCells;
        for (int v = -2 * kCells; v < (grid.n_dip + 2) * kCells; ++v) {
            for (int u = -2 * kCells; u < (grid.n_strike + 2) * kCells; ++u) {
                const Vec3 top = first.centre + ((u + 0.5) * cell) * first.along_strike() +
                                 (v * cell) * first.down_dip();
                const Vec3 slip = sampler.slip_at(top + 0.5 * cell * first.down_dip());
                if (norm(slip) > 0.0) {
                    sum += test::okada_displacement(
                        {top, first.strike_rad, std::min(first.dip_rad, M_PI / 2), cell, cell},
                        {dot(slip, first.along_strike()), -dot(slip, first.down_dip()), 0.0},
                        medium, station);
                }
            }
        }
    }
    return sum;
}

/// An elastic half-space with three planes in one model: two that cross at 60 degrees, and one
/// that goes on from the first, turned by 30.
class SeveralFaults : public testing::Test {
protected:
    SeveralFaults() {
        device::set_threads(1);
        job.region = {115.5, 32.3, 600e3, 600e3, 300e3, 0.0};
        job.structure.materials = {{"rock", kLambda_pa, kMu_pa, 0.0, std::nullopt}};
        job.structure.layers = {{0, std::nullopt}};
        job.fault = PlaneOfSlipModel{};
        job.mesh.size_at_fault_m = 4e3;
        job.mesh.size_far_m = 120e3;
        job.mesh.growth = 0.5;
        job.solver.tolerance = 1e-8;
        job.placement.device = DeviceChoice::Cpu;
        for (BoundaryKind& kind : job.boundaries.kind) {
            kind = BoundaryKind::Fixed;
        }
        job.boundaries.kind[static_cast<int>(mesh::Side::Top)] = BoundaryKind::Free;
        job.scenario.emplace();
        job.scenario->total_id = "total";
        SlipModelSource model;
        model.id = "shock";
        model.field = "events[0].patches";
        model.interpolation = slip_model::Interpolation::Bilinear;
        model.patches = plane_of_patches(projection, 0, 0, 12e3, 0, 80, 180, 5, 3);
        append(model.patches, plane_of_patches(projection, 0, 0, 12e3, 60, 90, 0, 5, 3));
        append(model.patches, plane_of_patches(projection, 6e3, 22e3, 12e3, 30, 60, 90, 4, 3));
        job.scenario->models = {model};
        job.scenario->events.resize(1);
        job.scenario->events[0].name = "shock";
    }
    SlipModelSource& model() { return job.scenario->models[0]; }
    void build() { build_volumes(job); }
    /// The dataset, and what packaging it warns of.
    std::pair<io::GreensDataset, std::vector<std::string>> run() {
        const TemporaryFolder folder;
        const std::string mesh = (folder.path() / "mesh.h5").string();
        const std::string file = (folder.path() / "greens.h5").string();
        const Stages& stages = stages_of(job);
        comm::SerialComm comm;
        stages.mesh(job, mesh, [](double, const std::string&) {});
        (void)test::solve_all(stages, job, mesh, folder.path().string(), comm);
        const PackageSummary summary = stages.package(
            job, mesh, stages.find_results(job, folder.path().string()), false, file);
        return {io::read_greens_dataset(file), summary.warnings};
    }
    static PlaneGeometry main_plane() {
        PlaneGeometry plane;
        plane.centre_lon_deg = 115.5;
        plane.centre_lat_deg = 32.3;
        plane.top_depth_m = 2e3;
        plane.dip_deg = 80.0;
        plane.length_m = 40e3;
        plane.width_m = 20e3;
        return plane;
    }

    GreensJob job = test::bare_job();
    earth::Projection projection{{115.5, 32.3}};
    [[nodiscard]] std::vector<ScenarioModel> models(const JobGeometry& geometry) const {
        return read_models(*job.scenario, geometry.domain().optional_projection());
    }
};

}  // namespace kaname::jobs::several_faults_test

#endif
