// SPDX-License-Identifier: BSD-3-Clause
// A dataset from forces at the stations is the one from slip on the patches.
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "tests/support/built_job.hpp"
#include "tests/support/solve_all.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/greens/regrid.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"

namespace kaname::jobs::receivers_test {
namespace {

class Receivers : public testing::TestWithParam<TimeMethod> {
protected:
    void SetUp() override {
        if (!h5::available()) {
            GTEST_SKIP() << "built without HDF5";
        }
        job = plane_job();
        job.patches = test::unit_slip(2, 1);
        job.stations.push_back({"S2", 134.9, 34.2, std::nullopt, "stations[1]"});
        job.stations.back().look = Vec3{0.6, 0.0, 0.8};
        for (const mesh::Side side : {mesh::Side::West, mesh::Side::East, mesh::Side::South,
                                      mesh::Side::North, mesh::Side::Bottom}) {
            job.boundaries.kind[static_cast<int>(side)] = BoundaryKind::Fixed;
        }
        // The fault reaches down into what relaxes.
        job.structure.layers = {{0, 8e3}, {1, std::nullopt}};
        job.mesh.size_at_fault_m = 4e3;
        job.mesh.size_far_m = 60e3;
        job.mesh.growth = 0.8;
        job.time.method = GetParam();
        job.time.step_s = GetParam() == TimeMethod::Stepping ? 0.25e8 : 0.0;
        job.time.end_s = 1e8;
        job.time.epochs_s = {0.0, 0.3e8, 1e8};
        job.time.spectrum_tolerance = 1e-7;
        job.solver.tolerance = 1e-10;
        job.region.size_east_m = job.region.size_north_m = 120e3;
        job.region.depth_m = 60e3;
        job.placement.device = DeviceChoice::Cpu;
        job.output.surface = false;
        job = test::built(job);
    }
    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder.path() / name).string();
    }
    io::GreensDataset solved(const std::string& name) {
        const ViscoelasticStages stages;
        const std::string mesh = path(name + "_mesh.h5"), work = path(name);
        std::filesystem::create_directory(work);
        stages.mesh(job, mesh, [](double, const std::string&) {});
        comm::SerialComm comm;
        summary = test::solve_all(stages, job, mesh, work, comm);
        const SourceFiles files = stages.find_results(job, work);
        stages.package(job, mesh, files, false, path(name + ".h5"));
        return io::read_greens_dataset(path(name + ".h5"));
    }
    /// Largest difference over the largest number.
    static double apart(const io::GreensDataset& a, const io::GreensDataset& b) {
        EXPECT_EQ(a.greens.size(), b.greens.size());
        double size = 0.0;
        double apart = 0.0;
        for (std::size_t i = 0; i < a.greens.size(); ++i) {
            EXPECT_FALSE(std::isnan(a.greens[i])) << i;
            size = std::max(size, std::abs(b.greens[i]));
            apart = std::max(apart, std::abs(a.greens[i] - b.greens[i]));
        }
        EXPECT_GT(size, 1e-3);
        return apart / size;
    }

    TemporaryFolder folder;
    GreensJob job;
    SolveSummary summary;
};

TEST_P(Receivers, GiveTheDatasetOfTheSourcesAndOfOtherPatchesLater) {
    const io::GreensDataset direct = solved("direct");
    EXPECT_EQ(summary.sources_done, 4);
    job.by_receivers = true;

    const io::GreensDataset turned = solved("turned");

    EXPECT_EQ(summary.sources_done, 4);  // three components, and one line of sight
    EXPECT_LT(apart(turned, direct), 1e-6);
    for (std::size_t k = 0; k < direct.sources.size(); ++k) {
        EXPECT_EQ(turned.sources[k].id, direct.sources[k].id);
        EXPECT_EQ(turned.sources[k].status, 1);
        EXPECT_EQ(turned.sources[k].potency_m3, direct.sources[k].potency_m3);
    }
    EXPECT_EQ(turned.stations[1].look_up, 0.8);
    EXPECT_EQ(direct.stations[1].look_up, 0.8);
    EXPECT_TRUE(std::isnan(direct.stations[0].look_up));
    // Along the line of sight alone.
    const std::size_t of_second = 3;
    EXPECT_NEAR(direct.greens[of_second] * 0.8, direct.greens[of_second + 2] * 0.6, 1e-12);

    job.patches = test::unit_slip(1, 2, {test::kDipSlip});
    regrid(job, path("turned.h5"), path("again.h5"));
    job.by_receivers = false;
    const io::GreensDataset other = solved("other");
    const io::GreensDataset again = io::read_greens_dataset(path("again.h5"));
    EXPECT_LT(apart(again, other), 1e-6);
    EXPECT_EQ(again.sources[1].id, "s00d01/dip_slip");
}

TEST_P(Receivers, ADatasetOfSourcesHasNoOtherPatches) {
    job.stations.resize(1);
    (void)solved("direct");
    try {
        regrid(job, path("direct.h5"), path("again.h5"));
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("solve_by receivers"), std::string::npos)
            << error.what();
    }
}

INSTANTIATE_TEST_SUITE_P(InTime, Receivers,
                         testing::Values(TimeMethod::Stepping, TimeMethod::Spectrum),
                         [](const auto& info) { return text_of(info.param); });

}  // namespace
}  // namespace kaname::jobs::receivers_test
