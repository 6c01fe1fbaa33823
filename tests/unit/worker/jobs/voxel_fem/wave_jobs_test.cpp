// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <span>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "tests/support/solve_all.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/worker/jobs/voxel_fem/small_block.hpp"
#include "worker/jobs/stage/solve_options.hpp"
#include "worker/jobs/voxel_fem/wave_model.hpp"
#include "worker/jobs/voxel_fem/wave_package.hpp"

namespace kaname::jobs::wave_jobs_test {
namespace {

class WaveJobs : public testing::Test {
protected:
    std::string work(const std::string& name) {
        const auto folder = folder_.path() / name;
        std::filesystem::create_directories(folder);
        return folder.string();
    }
    static std::vector<std::string> ids_of(const WaveJob& job) {
        std::vector<std::string> ids;
        for (const WaveJob::Source& source : job.sources) {
            ids.push_back(source.id);
        }
        return ids;
    }
    static SolveSummary solve(const WaveJob& job, const std::string& folder, comm::Comm& comm) {
        return test::solve_all(
            unsolved_waves(job, folder), [&] { return open_waves(job, folder, comm); }, comm);
    }
    io::WaveResult result(const std::string& folder, const std::string& id) {
        return io::read_wave_result(wave_path(folder, id));
    }

    TemporaryFolder folder_;
    comm::SerialComm comm_;
};

TEST_F(WaveJobs, FiveSourcesTogetherAreEachAlone) {
    const WaveJob job = small_block(5);
    const SolveSummary summary = solve(job, work("all"), comm_);
    EXPECT_EQ(summary.sources_done, 5);
    EXPECT_EQ(summary.packs, 2);
    for (const WaveJob::Source& source : job.sources) {
        WaveJob alone = job;
        alone.sources = {source};
        (void)solve(alone, work(source.id), comm_);
        const io::WaveResult one = result(work(source.id), source.id),
                             of_all = result(work("all"), source.id);
        EXPECT_EQ(one.seismograms, of_all.seismograms) << source.id;
        EXPECT_EQ(one.snapshots.displacement_m, of_all.snapshots.displacement_m);
        EXPECT_EQ(of_all.n_samples, build_wave_model(job).n_samples(job.every));
        EXPECT_GT(*std::ranges::max_element(of_all.seismograms), 0.0F);
    }
    EXPECT_EQ(solve(job, work("all"), comm_).sources_reused, 5) << "they are there";
}

TEST_F(WaveJobs, RanksMakeTheSameFiles) {
    const WaveJob job = small_block(2);
    (void)solve(job, work("one"), comm_);
    const std::string folder = work("three");
    comm::run_as_threads(3, [&](comm::Comm& comm) { (void)solve(job, folder, comm); });
    for (const std::string& id : ids_of(job)) {
        EXPECT_EQ(result(work("three"), id).seismograms, result(work("one"), id).seismograms);
        EXPECT_EQ(result(work("three"), id).snapshots.displacement_m,
                  result(work("one"), id).snapshots.displacement_m);
    }
}

TEST_F(WaveJobs, APackThatWasKilledGoesOnFromItsCheckpoint) {
    WaveJob job = small_block(3);
    (void)solve(job, work("whole"), comm_);
    job.checkpoint_interval_s = 0.0;
    const std::string folder = work("cut");
    const std::vector<std::string> ids = ids_of(job);
    struct Killed {};
    try {  // on two ranks' worth of state, after the first snapshot
        const auto session = open_waves(job, folder, comm_);
        (void)session->solve(ids, [](const SolveProgress& progress) -> bool {
            if (progress.fraction > 0.5 && !progress.checkpoint.empty()) {
                throw Killed();
            }
            return true;
        });
        FAIL() << "not killed";
    } catch (const Killed&) {
    }
    ASSERT_TRUE(std::filesystem::exists(checkpoint_path(folder)));
    int resumed = 0;
    comm::run_as_threads(2, [&](comm::Comm& comm) {
        const auto session = open_waves(job, folder, comm);
        (void)session->solve(ids, [&](const SolveProgress& progress) {
            resumed = std::max(resumed, progress.resumed_step);
            return true;
        });
    });
    EXPECT_GT(resumed, 0);
    for (const std::string& id : ids) {
        EXPECT_EQ(result(folder, id).seismograms, result(work("whole"), id).seismograms);
        EXPECT_EQ(result(folder, id).snapshots.displacement_m,
                  result(work("whole"), id).snapshots.displacement_m);
    }
    EXPECT_FALSE(std::filesystem::exists(checkpoint_path(folder))) << "of a pack that has ended";
}

TEST_F(WaveJobs, ACheckpointOfOthersOrADamagedOneIsPassedOver) {
    WaveJob job = small_block(1);
    const std::string folder = work("other");
    write_file(checkpoint_path(folder), "no HDF5");
    std::vector<std::string> warnings;
    const auto session = open_waves(job, folder, comm_);
    (void)session->solve(ids_of(job), [&](const SolveProgress& progress) {
        warnings.insert(warnings.end(), progress.warnings.begin(), progress.warnings.end());
        return true;
    });
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("begins at its first step"), std::string::npos) << warnings[0];
    EXPECT_FALSE(result(folder, "S0").failed);
}

TEST_F(WaveJobs, ACancelledPackLeavesNothing) {
    const WaveJob job = small_block(1);
    const auto session = open_waves(job, work("cancel"), comm_);
    const PackOutcome outcome =
        session->solve(ids_of(job), [](const SolveProgress&) { return false; });
    EXPECT_TRUE(outcome.cancelled);
    EXPECT_TRUE(find_waves(job, work("cancel")).empty());
    EXPECT_THROW((void)session->solve(std::vector<std::string>{"nobody"},
                                      [](const SolveProgress&) { return true; }),
                 Error);
}

TEST_F(WaveJobs, ASlipModelIsTheSumOfItsPoints) {
    WaveEarth earth;
    earth.centre = {140.0, 36.0};
    earth.depth_m = 3000.0;
    earth.layers.materials.resize(1);
    earth.layers.materials[0].density_kg_m3 = 2600.0;
    earth.layers.materials[0].lambda_pa = earth.layers.materials[0].mu_pa = 2.2e10;
    earth.layers.layers = {{0, std::nullopt}};
    write_file(folder_.path() / "slip.csv",
               "east_centre_m,north_centre_m,depth_centre_m,length_m,width_m,strike_deg,dip_deg,"
               "rake_deg,slip_m,rupture_time_s,rise_time_s\n"
               "0,-150,1000,300,300,0,60,20,1,0,0.3\n0,150,1000,300,300,0,60,40,2,0.2,0.4\n");
    WaveJob job = small_block(3);
    job.size_m = {4000.0, 3000.0, 3000.0};
    job.spacing_m = 300.0;
    job.base = earth;
    job.shapes.clear();
    job.snapshots_s.clear();
    job.absorbing = {};
    job.end_s = 1.5;
    job.receivers = {{"P0", "receivers[0]", {{500.0, 300.0, 0.0}, {}, {}}}};
    WaveJob::Source& whole = job.sources[0];
    whole.rupture = RuptureRequest{.path = (folder_.path() / "slip.csv").string()};
    whole.rupture->origin = earth.centre;
    whole.force_n = {};
    WaveJob slips = job;
    slips.sources.resize(1);
    const WaveModel model = build_wave_model(slips);
    ASSERT_EQ(model.parts[0].size(), 2U);
    for (std::size_t k = 0; k < 2; ++k) {
        const voxelwave::PointMoment& part = model.parts[0][k];
        WaveJob::Source& point = job.sources[k + 1];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            point.at.xyz_m[axis] = part.position_m[axis] + model.origin_m[axis];
        }
        point.force_n = {};
        point.moment_nm = part.moment_nm;
        point.time = *part.time;
    }
    (void)solve(job, work("slip"), comm_);

    const auto of = [&](const char* id) { return result(work("slip"), id).seismograms; };
    const std::vector<float> all = of("S0"), first = of("S1"), second = of("S2");
    const auto largest = [](const std::vector<float>& values) {
        double most = 0.0;
        for (const float value : values) {
            most = std::max(most, std::abs(double(value)));
        }
        return most;
    };
    const double most = largest(all);
    ASSERT_GT(most, 1e-6);
    for (std::size_t k = 0; k < all.size(); ++k) {
        ASSERT_NEAR(all[k], double(first[k]) + double(second[k]), 3e-7 * most) << k;
    }
    EXPECT_GT(largest(second), 0.1 * most);

    const std::string path = work("slip") + "/seismograms.h5";
    (void)package_waves(job, find_waves(job, work("slip")), path);
    const io::SeismogramDataset rows = io::read_seismogram_rows(path);
    for (std::size_t c = 0; c < 6; ++c) {
        EXPECT_NEAR(rows.sources[0].moment_nm[c],
                    rows.sources[1].moment_nm[c] + rows.sources[2].moment_nm[c], 1e3);
    }
    const auto functions =
        h5::File(path, h5::File::Mode::Read).read<double>("source_function", {3, h5::kAny});
    ASSERT_EQ(functions.size(), 3 * static_cast<std::size_t>(rows.n_samples));
    EXPECT_EQ(std::ranges::max(std::span(functions).first(functions.size() / 3)), 1.0)
        << "moment rate over the largest";
}

TEST_F(WaveJobs, TheDatasetHasAllThatWasSolvedAndSaysWhatIsMissing) {
    const WaveJob job = small_block(3);
    (void)solve(job, work("all"), comm_);
    SourceFiles files = find_waves(job, work("all"));
    files.erase("S1");
    const std::string path = work("all") + "/seismograms.h5";
    const PackageSummary summary = package_waves(job, files, path);
    EXPECT_EQ(summary.sources_done, 2);
    EXPECT_EQ(summary.sources_missing, 1);
    EXPECT_TRUE(io::has_seismograms(path));
    const io::SeismogramDataset rows = io::read_seismogram_rows(path);
    ASSERT_EQ(rows.sources.size(), 3U);
    EXPECT_EQ(rows.sources[1].status, 0);
    EXPECT_EQ(rows.receivers[1].id, "P1");
    EXPECT_EQ(rows.receivers[1].xyz_m, job.receivers[1].at.xyz_m);
    EXPECT_EQ(io::read_seismograms(path, 2), result(work("all"), "S2").seismograms);
    EXPECT_TRUE(std::isnan(io::read_seismograms(path, 1)[0]));

    const io::GreensSlice slice =
        io::read_greens_slice(path, io::IndexRange{2, 1, 1}, {3, 2, 2}, {1, 1, 1});
    EXPECT_EQ(slice.stations, std::vector<std::string>{"P1"});
    const auto samples = static_cast<std::size_t>(rows.n_samples);
    for (std::size_t t = 0; t < 2; ++t) {
        for (std::size_t c = 0; c < 3; ++c) {
            EXPECT_EQ(slice.greens[3 * t + c],
                      double(io::read_seismograms(path, 2)[(3 + c) * samples + 3 + 2 * t]));
        }
    }
    const SourceBlock block = read_waves(job)->read({{"S2", files.at("S2")}});
    EXPECT_EQ(block.values[(3 * 2 + 1) * 3 + 2],
              double(io::read_seismograms(path, 2)[(3 + 2) * samples + 3]))
        << "[epoch 3][station 1][z]";
}

TEST_F(WaveJobs, PreflightNamesWhatIsOutOfReach) {
    WaveJob job = small_block(1);
    job.sources[0].at.xyz_m[0] = -1.0;
    job.receivers[0].at.xyz_m[2] = 99.0;
    job.step_s = 1.0;
    job.end_s = 2.0;
    const Preflight found = preflight_waves(job);
    ASSERT_EQ(found.violations.size(), 3U);
    EXPECT_EQ(found.violations[0].field, "sources[0].at");
    EXPECT_EQ(found.violations[1].field, "receivers[0].at");
    EXPECT_EQ(found.violations[2].field, "time.step_s");

    job = small_block(1);
    job.sources[0].time = source_time::TimeFunction::ricker(900.0, 1e-3);
    const Preflight fast = preflight_waves(job);
    EXPECT_TRUE(fast.violations.empty());
    ASSERT_EQ(fast.warnings.size(), 1U);
    EXPECT_NE(fast.warnings[0].find("voxels in a wavelength"), std::string::npos);
    EXPECT_EQ(fast.steps, build_wave_model(job).n_steps);
    EXPECT_GT(measure_wave_speed(job), 0.0);
}

}  // namespace
}  // namespace kaname::jobs::wave_jobs_test
