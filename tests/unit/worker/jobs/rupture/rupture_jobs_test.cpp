// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "solvers/io/export/fault_series.hpp"
#include "solvers/io/export/xdmf.hpp"
#include "solvers/source_time/time_function.hpp"
#include "tests/support/solve_all.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/worker/jobs/rupture/small_rupture.hpp"
#include "worker/jobs/rupture/rupture_package.hpp"
#include "worker/jobs/rupture/rupture_records.hpp"
#include "worker/jobs/stage/solve_options.hpp"

namespace kaname::jobs::rupture_jobs_test {
namespace {

class RuptureJobs : public testing::Test {
protected:
    std::string work(const std::string& name) {
        const auto folder = folder_.path() / name;
        std::filesystem::create_directories(folder);
        return folder.string();
    }
    std::string mesh_of(const RuptureJob& job) {
        const std::string path = (folder_.path() / "mesh.h5").string();
        if (!std::filesystem::exists(path)) {
            (void)mesh_rupture(job, path, [](double, const std::string&) {});
        }
        return path;
    }
    SolveSummary solve(const RuptureJob& job, const std::string& folder, comm::Comm& comm) {
        return test::solve_all(
            unsolved_waves(job, folder),
            [&] { return open_rupture(job, mesh_of(job), folder, comm); }, comm);
    }

    TemporaryFolder folder_;
    comm::SerialComm comm_;
};

/// A pressure north of the fault, whose waves reach the receiver after 0.2 s.
SeismicJob::Source shot() {
    SeismicJob::Source source;
    source.id = source.key = "shot";
    source.field = "sources[0]";
    source.at.xyz_m = {1000.0, 1200.0, -800.0};
    source.moment_nm = {1e16, 1e16, 1e16, 0.0, 0.0, 0.0};
    source.time = source_time::TimeFunction::ricker(4.0, 0.1);
    return source;
}

TEST_F(RuptureJobs, EndInADatasetOfFaultAndWaves) {
    RuptureJob job = test::small_rupture();
    job.fault_receivers[0].id = "\"deep\" one";
    const SeismicPreflight before = preflight_rupture(job);
    ASSERT_TRUE(before.violations.empty()) << before.violations[0].message;
    EXPECT_EQ(before.sources, 1);
    ASSERT_EQ(solve(job, work("one"), comm_).sources_done, 1);

    const std::string path = work("one") + "/rupture_data.h5";
    const PackageSummary summary =
        package_rupture(job, mesh_of(job), find_waves(job, work("one")), path);
    EXPECT_EQ(summary.sources_done, 1);
    EXPECT_TRUE(io::has_seismograms(path));
    EXPECT_TRUE(io::has_rupture(path));

    const h5::File file(path, h5::File::Mode::Read);
    const auto time = file.read<float>("rupture/rupture_time", {h5::kAny});
    const auto slip = file.read<float>("rupture/slip_strike", {time.size()});
    const auto drop = file.read<float>("rupture/stress_drop", {time.size()});
    float largest = 0.0F;
    std::size_t ruptured = 0;
    for (std::size_t k = 0; k < time.size(); ++k) {
        largest = std::max(largest, slip[k]);
        ruptured += std::isnan(time[k]) ? 0 : 1;
    }
    EXPECT_GT(ruptured, time.size() / 2);
    EXPECT_GT(largest, 0.3F);
    EXPECT_NEAR(file.double_attribute("/", "largest_slip"), largest, 1e-4);
    // M0 = mu sum A |D|, also as the tensor's xy: strike is x, the normal -y.
    const double moment = file.double_attribute("/", "moment");
    const auto tensor = file.read<double>("moment", {1, 6});
    EXPECT_NEAR(tensor[5] / moment, -1.0, 0.01);
    EXPECT_NEAR(file.double_attribute("/", "magnitude"), 2.0 / 3.0 * (std::log10(moment) - 9.1),
                1e-12);
    // Elements of order 3, twice as large as they should be, dissipate this share of the energy.
    EXPECT_NEAR(file.double_attribute("/", "energy_residual"), 0.06, 0.06);
    EXPECT_GT(file.double_attribute("/", "radiated_energy"), 0.0);
    // Weak points keep 0.525 x 120 MPa: 7 MPa less than at the beginning.
    const auto rates = file.read<float>("fault_receivers/slip_rate_strike", {1, 51});
    const auto shear = file.read<float>("fault_receivers/traction_strike", {1, 51});
    EXPECT_NEAR(shear[0], 70e6, 1.0);
    EXPECT_NEAR(shear[50], 63e6, 0.2e6);
    EXPECT_EQ(rates[0], 0.0F);
    EXPECT_GT(rates[50], 0.1F);
    EXPECT_EQ(file.dims("rupture/slip_rate"), (h5::Dims{2, time.size(), 2}));
    EXPECT_EQ(file.dims("energy/moment").size(), 1U);
    EXPECT_EQ(io::write_xdmf(path).size(), 3U) << "ground, rupture and views";

    // As the benchmarks have it: right-lateral slip and MPa.
    const auto written = io::export_fault_series(path, work("scec"));
    ASSERT_EQ(written.size(), 3U);
    const std::string series = read_file_if_any(written[0]);
    EXPECT_NE(series.find("on fault, 1.5 km along strike, 1.2 km down-dip"), std::string::npos);
    EXPECT_NE(series.find("\nt h-slip h-slip-rate h-shear-stress v-slip v-slip-rate "
                          "v-shear-stress n-stress\n  0.000000000000e+00   0.000000e+00  "
                          " 0.000000e+00  -7.000000e+01"),
              std::string::npos)
        << series.substr(0, 1500);
    EXPECT_NE(read_file_if_any(written[1]).find("\nj k t\n"), std::string::npos);
    const std::string manifest = read_file_if_any(written[2]);
    EXPECT_NE(manifest.find(R"("\"deep\" one.dat")"), std::string::npos) << manifest;
}

TEST_F(RuptureJobs, GoOnAtACheckpoint) {
    RuptureJob job = test::small_rupture();
    job.end_s = 0.3;
    job.fault_snapshots_s = {0.1, 0.3};
    job.sources = {shot()};
    (void)solve(job, work("whole"), comm_);
    job.checkpoint_interval_s = 0.0;  // after every look
    {
        const auto session = open_rupture(job, mesh_of(job), work("cut"), comm_);
        const std::string folder = work("cut"), kept = folder + "/kept.h5";
        const std::string id = job.event.id;
        int looks = 0;
        (void)session->solve(std::span(&id, 1), [&](const SolveProgress& progress) {
            if (progress.fraction > 0.5 && looks++ == 0) {
                std::filesystem::copy_file(checkpoint_path(folder), kept);
            }
            return looks == 0;
        });
        ASSERT_TRUE(std::filesystem::exists(kept));
        std::filesystem::rename(kept, checkpoint_path(folder));
    }
    int resumed = 0;
    const auto session = open_rupture(job, mesh_of(job), work("cut"), comm_);
    const std::string id = job.event.id;
    (void)session->solve(std::span(&id, 1), [&](const SolveProgress& progress) {
        resumed = std::max(resumed, progress.resumed_step);
        return true;
    });
    EXPECT_GT(resumed, 0);
    const RuptureResult whole = RuptureResult::read(wave_path(work("whole"), id));
    const RuptureResult cut = RuptureResult::read(wave_path(work("cut"), id));
    EXPECT_EQ(whole.values, cut.values);
    EXPECT_EQ(whole.samples, cut.samples);
    EXPECT_EQ(whole.rates, cut.rates);
    EXPECT_EQ(io::read_wave_result(wave_path(work("whole"), id)).seismograms,
              io::read_wave_result(wave_path(work("cut"), id)).seismograms);
}

TEST_F(RuptureJobs, AreTheSameOnTwoRanks) {
    RuptureJob job = test::small_rupture();
    job.end_s = 0.3;
    job.fault_snapshots_s = {0.2};
    job.sources = {shot()};
    (void)solve(job, work("one"), comm_);
    const std::string mesh = mesh_of(job), folder = work("two");
    comm::run_as_threads(2, [&](comm::Comm& comm) { (void)solve(job, folder, comm); });
    const RuptureResult one = RuptureResult::read(wave_path(work("one"), job.event.id));
    const RuptureResult two = RuptureResult::read(wave_path(folder, job.event.id));
    ASSERT_EQ(one.values.size(), two.values.size());
    EXPECT_EQ(one.samples.size(), two.samples.size());
    EXPECT_EQ(one.energy_s, two.energy_s);
    const std::vector<float> alone = io::read_wave_result(wave_path(work("one"), job.event.id))
                                         .seismograms,
                             shared =
                                 io::read_wave_result(wave_path(folder, job.event.id)).seismograms;
    const float peak = *std::ranges::max_element(alone);
    EXPECT_GT(peak, 0.0F);
    ASSERT_EQ(alone.size(), shared.size());
    for (std::size_t k = 0; k < alone.size(); ++k) {
        EXPECT_NEAR(alone[k], shared[k], 1e-5F * peak) << k;
    }
    for (std::size_t face = 0; face < one.values.size() / one.n_points() / rupture::Kept::kFields;
         ++face) {
        EXPECT_NEAR(one.at(face, rupture::Kept::kSlipStrike)[0],
                    two.at(face, rupture::Kept::kSlipStrike)[0], 1e-4);
    }
}

}  // namespace
}  // namespace kaname::jobs::rupture_jobs_test
