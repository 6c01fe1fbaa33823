// SPDX-License-Identifier: BSD-3-Clause
// A relaxation spectrum whose tolerance is beyond double precision.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/io/source_file.hpp"
#include "tests/support/built_job.hpp"
#include "tests/support/solve_all.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"

namespace kaname::jobs::spectrum_tolerance_test {
namespace {

namespace fs = std::filesystem;

constexpr double kBeyond = 1e-14;

class SpectrumTolerance : public testing::Test {
protected:
    SpectrumTolerance() {
        job_ = plane_job();
        for (const mesh::Side side : {mesh::Side::West, mesh::Side::East, mesh::Side::South,
                                      mesh::Side::North, mesh::Side::Bottom}) {
            job_.boundaries.kind[static_cast<int>(side)] = BoundaryKind::Fixed;
        }
        job_.mesh.size_at_fault_m = 10e3;
        job_.mesh.size_far_m = 60e3;
        job_.mesh.growth = 0.8;
        job_.solver.tolerance = 1e-9;
        job_.region.size_east_m = job_.region.size_north_m = 80e3;
        job_.region.depth_m = 40e3;
        job_.time.step_s = 0.0;
        job_.time.end_s = 31e8;  // the mantle's Maxwell time is 1e8 s: 155 steps
        job_.time.epochs_s = {0.0, 2e8, 31e8};
        job_.output.surface = false;
        job_.placement.device = DeviceChoice::Cpu;
        job_.solve_key = "a job";
        job_.version = "test";
        job_ = test::built(job_);
    }

    struct Run {
        SolveSummary solved;
        PackageSummary packaged;
        io::SourceResult result;  ///< of the first source
        io::GreensDataset dataset;
    };
    /// The mesh of all tests, which none of them changes.
    std::string mesh_path() {
        static const support::TemporaryFolder meshes;
        const std::string path = meshes.path("mesh.h5");
        if (!fs::exists(path)) {
            stages_.mesh(job_, path, [](double, const std::string&) {});
        }
        return path;
    }
    Run run(TimeMethod method, double tolerance) {
        job_.time.method = method;
        job_.time.spectrum_tolerance = tolerance;
        const std::string mesh = mesh_path();
        const std::string work = (folder_ / ("work" + std::to_string(n_runs_++))).string();
        fs::create_directories(work);
        Run run;
        comm::SerialComm comm;
        device::set_threads(1);
        run.solved = test::solve_all(stages_, job_, mesh, work, comm);
        const SourceFiles files = stages_.find_results(job_, work);
        run.result = io::read_source_result(files.begin()->second);
        const std::string path = work + "/greens.h5";
        run.packaged = stages_.package(job_, mesh, files, false, path);
        run.dataset = io::read_greens_dataset(path, io::FieldGroups::Read);
        return run;
    }

    /// The run whose spectrum is out of reach; the first test that looks at it makes it.
    const Run& beyond_reach() {
        static const Run made = run(TimeMethod::Auto, kBeyond);
        job_.time.method = TimeMethod::Auto;
        job_.time.spectrum_tolerance = kBeyond;
        return made;
    }

    /// Warnings of the package about it; the mesh has others.
    static std::vector<std::string> said_of_spectrum(const Run& run) {
        std::vector<std::string> said;
        std::ranges::copy_if(run.packaged.warnings, std::back_inserter(said), [](const auto& text) {
            return text.find("relaxation spectrum") != std::string::npos;
        });
        return said;
    }

    support::TemporaryFolder temporary_;
    const fs::path& folder_ = temporary_.path();
    GreensJob job_;
    ViscoelasticStages stages_;
    int n_runs_ = 0;
};

TEST_F(SpectrumTolerance, AutoTakesStepsWhereItIsOutOfReach) {
    const Run wanted = run(TimeMethod::Auto, 1e-5);
    ASSERT_TRUE(wanted.result.by_spectrum());
    EXPECT_TRUE(said_of_spectrum(wanted).empty());
    ASSERT_EQ(wanted.dataset.sources.size(), 2u);
    for (const auto& source : wanted.dataset.sources) {
        EXPECT_GT(source.spectrum_error, 0.0);
        EXPECT_LE(source.spectrum_error, 1e-5);
    }

    const Run& found = beyond_reach();

    EXPECT_EQ(found.solved.sources_failed, 0);
    EXPECT_FALSE(found.result.by_spectrum());
    EXPECT_EQ(wanted.dataset.time_method, "spectrum");
    EXPECT_EQ(found.dataset.time_method, "stepping");
    const std::string said = "solved by 155 time steps in its place";
    ASSERT_EQ(found.solved.warnings.size(), 1u);
    EXPECT_NE(found.solved.warnings[0].find(said), std::string::npos) << found.solved.warnings[0];
    const auto packaged = said_of_spectrum(found);
    ASSERT_EQ(packaged.size(), 1u);
    EXPECT_NE(packaged[0].find(said), std::string::npos);
    EXPECT_NE(packaged[0].find("and 1 others"), std::string::npos);
    ASSERT_EQ(found.dataset.greens.size(), wanted.dataset.greens.size());
    double largest = 0.0;
    for (const double value : wanted.dataset.greens) {
        largest = std::max(largest, std::abs(value));
    }
    ASSERT_GT(largest, 1e-3);
    for (std::size_t i = 0; i < wanted.dataset.greens.size(); ++i) {
        ASSERT_NEAR(found.dataset.greens[i], wanted.dataset.greens[i], 2e-4 * largest);
    }
}

TEST_F(SpectrumTolerance, StepsInItsPlaceGoOnAtTheirCheckpoint) {
    struct CutOff {};
    constexpr int kCutAfter = 3;
    const Run& whole = beyond_reach();
    const std::string mesh = mesh_path();
    const std::string work = (folder_ / "cut").string();
    fs::create_directories(work);
    comm::SerialComm comm;
    bool by_steps = false;
    const auto cut = [&](const SolveProgress& progress) {
        by_steps = by_steps || !progress.warnings.empty();
        if (by_steps && progress.step == kCutAfter) {
            throw CutOff();
        }
    };
    job_.output.checkpoint.interval_s = 0.0;
    EXPECT_THROW((void)test::solve_all(stages_, job_, mesh, work, comm, cut), CutOff);
    ASSERT_TRUE(by_steps);
    job_.output.checkpoint.interval_s = 1e9;

    std::vector<int> steps;
    const SolveSummary rest =
        test::solve_all(stages_, job_, mesh, work, comm,
                        [&](const SolveProgress& told) { steps.push_back(told.step); });

    EXPECT_EQ(rest.resumed_step, kCutAfter + 1);
    ASSERT_FALSE(steps.empty());
    EXPECT_EQ(steps.front(), kCutAfter + 1);
    EXPECT_TRUE(rest.warnings.empty());
    const SourceFiles files = stages_.find_results(job_, work);
    const io::SourceResult result = io::read_source_result(files.begin()->second);
    EXPECT_EQ(result.note, whole.result.note);
    ASSERT_EQ(result.displacement_m.size(), whole.result.displacement_m.size());
    for (std::size_t i = 0; i < result.displacement_m.size(); ++i) {
        ASSERT_NEAR(result.displacement_m[i], whole.result.displacement_m[i], 1e-8);  // of 0.05 m
    }
}

TEST_F(SpectrumTolerance, OfASpectrumThatWasAskedForFailsWithWhatWasReachedOrKeepsWhatIsNear) {
    const Run beyond = run(TimeMethod::Spectrum, kBeyond);

    EXPECT_TRUE(beyond.result.failed);
    EXPECT_NE(beyond.result.failure.find("times time.spectrum_tolerance = 1e-14; take"),
              std::string::npos)
        << beyond.result.failure;
    EXPECT_EQ(beyond.solved.sources_failed, 2);
    const double reached = beyond.result.spectrum_error;
    ASSERT_GT(reached, 3.0 * kBeyond);
    EXPECT_LT(reached, 1e-6);
    EXPECT_LT(beyond.result.iterations.size(), 40u) << "goes on where nothing is gained";

    const Run near = run(TimeMethod::Spectrum, 0.5 * reached);

    EXPECT_FALSE(near.result.failed) << near.result.failure;
    EXPECT_TRUE(near.result.by_spectrum());
    EXPECT_NE(near.result.note.find("the values are kept"), std::string::npos);
    const auto packaged = said_of_spectrum(near);
    ASSERT_EQ(packaged.size(), 1u);
    EXPECT_NE(packaged[0].find("times time.spectrum_tolerance"), std::string::npos);
}

}  // namespace
}  // namespace kaname::jobs::spectrum_tolerance_test
