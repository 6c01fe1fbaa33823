// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "tests/convergence/half_space.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/support/built_job.hpp"
#include "tests/support/solve_all.hpp"
#include "tests/support/temporary_folder.hpp"
#include "worker/jobs/scenario/scenario_stages.hpp"

namespace kaname::convergence {

using io::GreensDataset;
using jobs::GreensJob;

inline constexpr double kLat_deg = 34.0;

/// A small job in a folder of its own, through the verbs.
class Dataset : public testing::Test {
protected:
    void SetUp() override {
        device::set_threads(1);
        std::filesystem::create_directories(path("work"));
        for (int side = 0; side < mesh::kSideCount; ++side) {
            job_.boundaries.kind[side] = static_cast<mesh::Side>(side) == mesh::Side::Top
                                             ? jobs::BoundaryKind::Free
                                             : jobs::BoundaryKind::Fixed;
        }
        job_.name = "small";
        job_.structure.materials = {rock()};
        job_.structure.layers = {{0, std::nullopt}};
        job_.patches = test::unit_slip(1, 1);
        job_.mesh.growth = 0.6;
    }

    /// A vertical rectangle that strikes to true north, 4.5 degrees east of the projection's
    /// centre, and three stations around it: the grid's north is 2.5 degrees from true north there.
    void far_east() {
        job_.region = {135.0, kLat_deg, 1100e3, 500e3, 200e3, 0.0};
        jobs::PlaneGeometry plane;
        plane.centre_lon_deg = 139.5;
        plane.centre_lat_deg = kLat_deg;
        plane.top_depth_m = 6e3;
        plane.strike_deg = 0.0;
        plane.dip_deg = 90.0;
        plane.length_m = 40e3;
        plane.width_m = 20e3;
        job_.fault = plane;
        job_.structure.materials.push_back({"mantle", 6e10, 6e10, 0.0, 6e18});
        job_.structure.layers = {{0, 30e3}, {1, std::nullopt}};
        job_.stations = {{"east", 139.8, kLat_deg, std::nullopt, "stations[0]"},
                         {"west", 139.2, kLat_deg, -800.0, "stations[1]"},
                         {"corner", 139.77, 34.2, std::nullopt, "stations[2]"}};
        job_.mesh.size_at_fault_m = 8e3;
        job_.mesh.size_far_m = 100e3;
        job_.time.step_s = 2e7;
        job_.time.end_s = 1.2e8;
    }

    [[nodiscard]] std::string path(const char* name) const { return folder_.path(name); }
    void mesh() {
        job_ = test::built(job_);
        stages().mesh(job_, path("mesh.h5"), [](double, const std::string&) {});
    }
    jobs::SolveSummary solve() {
        comm::SerialComm comm;
        return test::solve_all(stages(), job_, path("mesh.h5"), path("work"), comm);
    }
    GreensDataset package() {
        summary_ =
            stages().package(job_, path("mesh.h5"), stages().find_results(job_, path("work")),
                             false, path("greens.h5"));
        return io::read_greens_dataset(path("greens.h5"));
    }
    /// mesh, solve and package with nothing left of the job before.
    GreensDataset run() {
        std::filesystem::remove_all(path("work"));
        std::filesystem::create_directories(path("work"));
        mesh();
        solve();
        return package();
    }
    [[nodiscard]] const jobs::Stages& stages() const { return jobs::stages_of(job_); }

    static Vec3 value(const GreensDataset& data, std::size_t source, std::size_t epoch,
                      std::size_t station) {
        const double* u =
            data.greens.data() +
            3 * ((source * data.epochs_s.size() + epoch) * data.stations.size() + station);
        return {u[0], u[1], u[2]};
    }

    support::TemporaryFolder folder_;
    GreensJob job_ = test::bare_job();
    jobs::PackageSummary summary_;
};

}  // namespace kaname::convergence
