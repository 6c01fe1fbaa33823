// SPDX-License-Identifier: BSD-3-Clause
// Restart equality: a run that is cut off and goes on gives what an unbroken one gives.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/io/source_file.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/support/built_job.hpp"
#include "tests/support/solve_all.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/worker/jobs/plane_job.hpp"
#include "worker/jobs/greens/checkpoint.hpp"
#include "worker/jobs/greens/reduced_record.hpp"
#include "worker/jobs/greens/viscoelastic_stages.hpp"

namespace kaname::jobs::restart_test {
namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 1e-9;
// As many as the predictors look back on, and some more.
constexpr int kSteps = 8;
constexpr int kCutAfter = 5;
constexpr int kSoon = 2;  ///< the step after which a solve is cut off that is then begun again

struct CutOff {};

using Results = std::map<std::string, io::SourceResult>;

class Restart : public testing::Test {
protected:
    Restart() {
        job = plane_job();
        job.structure.materials[1].kelvin_mu_pa = 4e10;  // a Burgers body: two branches
        job.structure.materials[1].kelvin_viscosity_pa_s = 2e18;
        for (const mesh::Side side : {mesh::Side::West, mesh::Side::East, mesh::Side::South,
                                      mesh::Side::North, mesh::Side::Bottom}) {
            job.boundaries.kind[static_cast<int>(side)] = BoundaryKind::Fixed;
        }
        job.mesh.size_at_fault_m = 10e3;
        job.mesh.size_far_m = 60e3;
        job.mesh.growth = 0.8;
        job.solver.tolerance = kTolerance;
        job.time.step_s = 0.3e8;
        job.time.end_s = kSteps * job.time.step_s;
        job.region.size_east_m = job.region.size_north_m = 80e3;
        job.region.depth_m = 40e3;
        job.placement.device = DeviceChoice::Cpu;
        job.solve_key = "a job";
        job.version = "test";
        job.output.checkpoint.interval_s = 0.0;
        job = test::built(job);
    }

    /// As few steps as there must be behind kSoon.
    void shorten() { job.time.end_s = (kSoon + 1) * job.time.step_s; }

    /// The mesh of all tests, which none of them changes, for the element of the job.
    std::string mesh_path() {
        static const support::TemporaryFolder meshes;
        const fs::path path = meshes.path(
            job.solver.element == ElementChoice::NodalDilatation ? "nodal.h5" : "mesh.h5");
        if (!fs::exists(path)) {
            stages.mesh(job, path.string(), [](double, const std::string&) {});
        }
        return path.string();
    }
    std::string work(const std::string& name) {
        fs::create_directories(folder / name);
        return (folder / name).string();
    }

    /// Run holds what a run reports and leaves. With `cut_after` > 0 it ends as if killed when that
    /// step is solved.
    struct Run {
        SolveSummary summary;
        std::vector<int> steps;
        Results results;
    };
    Run run(const std::string& name, int ranks, int cut_after = 0) {
        const std::string mesh = mesh_path();
        const std::string dir = work(name);
        Run run;
        const auto body = [&](comm::Comm& comm) {
            device::set_threads(1);
            const SolveSummary summary =
                test::solve_all(stages, job, mesh, dir, comm, [&](const SolveProgress& progress) {
                    run.steps.push_back(progress.step);
                    if (progress.step == cut_after && cut_after > 0) {
                        throw CutOff();
                    }
                });
            if (comm.rank() == 0) {
                run.summary = summary;
            }
        };
        if (cut_after > 0) {
            EXPECT_THROW(comm::run_as_threads(ranks, body), CutOff);
            return run;
        }
        comm::run_as_threads(ranks, body);
        for (const auto& [id, path] : stages.find_results(job, dir)) {
            run.results[id] = io::read_source_result(path);
        }
        return run;
    }
    /// An unbroken run on one rank of a job that several tests have; the first of them makes it.
    const Run& whole_of(const std::string& job_name) {
        static std::map<std::string, Run> made;
        const auto found = made.find(job_name);
        return found != made.end() ? found->second
                                   : made.emplace(job_name, run("whole", 1)).first->second;
    }
    /// Cut off on some ranks, ended on others.
    Run cut_and_resumed(const std::string& name, int ranks, int later_ranks) {
        run(name, ranks, kCutAfter);
        EXPECT_TRUE(fs::exists(checkpoint_path(work(name))));
        return run(name, later_ranks);
    }

    support::TemporaryFolder temporary;
    const fs::path& folder = temporary.path();
    GreensJob job = test::bare_job();
    ViscoelasticStages stages;
};

double largest(const std::vector<double>& values) {
    double size = 0.0;
    for (const double value : values) {
        size = std::max(size, std::abs(value));
    }
    return size;
}

void expect_equal(const Results& whole, const Results& resumed) {
    ASSERT_EQ(whole.size(), 2u);
    ASSERT_EQ(resumed.size(), 2u);
    for (const auto& [id, one] : whole) {
        const io::SourceResult& other = resumed.at(id);
        EXPECT_EQ(one.step_time_s, other.step_time_s);
        ASSERT_EQ(one.displacement_m.size(), other.displacement_m.size());
        ASSERT_EQ(one.surface_m.size(), other.surface_m.size());
        ASSERT_EQ(one.iterations.size(), other.iterations.size());
        const double size = largest(one.displacement_m);
        ASSERT_GT(size, 1e-4);
        for (std::size_t i = 0; i < one.displacement_m.size(); ++i) {
            ASSERT_NEAR(one.displacement_m[i], other.displacement_m[i], 10 * kTolerance * size);
        }
        for (std::size_t i = 0; i < one.surface_m.size(); ++i) {
            ASSERT_NEAR(one.surface_m[i], other.surface_m[i], 1e-6);  // FP32
        }
    }
}

void expect_same_bits(const Results& whole, const Results& resumed) {
    ASSERT_EQ(whole.size(), resumed.size());
    for (const auto& [id, one] : whole) {
        const io::SourceResult& other = resumed.at(id);
        EXPECT_EQ(one.displacement_m, other.displacement_m);
        EXPECT_EQ(one.surface_m, other.surface_m);
        EXPECT_EQ(one.iterations, other.iterations);
        EXPECT_EQ(one.residual, other.residual);
        EXPECT_EQ(one.initial_residual, other.initial_residual);
    }
}

TEST_F(Restart, GoesOnAtTheCheckpointsStepOnAnyNumberOfRanks) {
    const Run& whole = whole_of("usual");
    for (const auto& [ranks, later_ranks] : {std::pair(1, 1), std::pair(1, 3), std::pair(3, 2)}) {
        const std::string name = std::to_string(ranks) + "to" + std::to_string(later_ranks);

        const Run resumed = cut_and_resumed(name, ranks, later_ranks);

        EXPECT_EQ(resumed.summary.resumed_step, kCutAfter + 1) << name;
        ASSERT_FALSE(resumed.steps.empty());
        EXPECT_EQ(resumed.steps.front(), kCutAfter + 1) << name;
        EXPECT_TRUE(resumed.summary.warnings.empty());
        expect_equal(whole.results, resumed.results);
        EXPECT_FALSE(fs::exists(checkpoint_path(work(name)))) << "of a pack that has ended";
    }
}

TEST_F(Restart, WithNodalDilatation) {
    job.solver.element = ElementChoice::NodalDilatation;
    const Run whole = run("whole", 2);

    const Run resumed = cut_and_resumed("cut", 3, 2);

    EXPECT_EQ(resumed.summary.resumed_step, kCutAfter + 1);
    expect_equal(whole.results, resumed.results);
}

TEST_F(Restart, FullIsTheSameBitForBitOnTheSameRanks) {
    job.output.checkpoint.mode = CheckpointMode::Full;
    const Run whole = run("whole", 2);

    const Run resumed = cut_and_resumed("cut", 2, 2);

    EXPECT_EQ(resumed.summary.resumed_step, kCutAfter + 1);
    expect_same_bits(whole.results, resumed.results);
}

TEST_F(Restart, FullOfOtherRanksGoesOnFromTheIncrements) {
    job.output.checkpoint.mode = CheckpointMode::Full;
    const Run whole = run("whole", 1);

    const Run resumed = cut_and_resumed("cut", 2, 1);

    EXPECT_EQ(resumed.summary.resumed_step, kCutAfter + 1);
    expect_equal(whole.results, resumed.results);
}

TEST_F(Restart, EveryPredictorGoesOnBitForBit) {
    job.output.checkpoint.mode = CheckpointMode::Full;
    for (const auto kind : {PredictorKind::None, PredictorKind::Cubic, PredictorKind::DataDriven}) {
        const std::string name = text_of(kind);
        job.solver.predictor = kind;
        const Run whole = run("whole_" + name, 1);

        const Run resumed = cut_and_resumed("cut_" + name, 1, 1);

        EXPECT_EQ(resumed.summary.resumed_step, kCutAfter + 1) << name;
        expect_same_bits(whole.results, resumed.results);
    }
}

TEST_F(Restart, TheIncrementsKeepTheFirstGuessGood) {
    const Run& whole = whole_of("usual");

    const Run resumed = cut_and_resumed("cut", 1, 1);

    // Without them the first guess would be zero, its residual one.
    for (const auto& [id, one] : whole.results) {
        const double unbroken = one.initial_residual[kCutAfter + 1];
        const double after = resumed.results.at(id).initial_residual[kCutAfter + 1];
        EXPECT_LT(unbroken, 1e-2);
        EXPECT_LT(after, 1e-1) << id;
    }
}

/// By relaxation spectrum, of one viscosity or of a range.
class RestartSpectrum : public Restart {
protected:
    RestartSpectrum() {
        job.time.method = TimeMethod::Spectrum;
        job.time.step_s = 0.0;
        job.time.epochs_s = {0.0, 1e8, job.time.end_s};
        job.time.spectrum_tolerance = 1e-6;
        job.output.surface = false;
    }
    void give_range() {
        earth::Material& rock = job.structure.materials[1];
        rock.kelvin_mu_pa.reset();
        rock.kelvin_viscosity_pa_s.reset();
        rock.viscosity_range = {*rock.viscosity_pa_s / 5.0, *rock.viscosity_pa_s * 5.0};
        job.time.spectrum_tolerance = 1e-4;
    }
    /// Their motion; the vectors that it is put together of may be others.
    void expect_alike(const Results& whole, const Results& resumed) const {
        ASSERT_EQ(whole.size(), 2u);
        const auto motion = [&](const io::SourceResult& of) {
            return motion_at(of.reduced, of.displacement_m, of.station_xyz_m.size(),
                             job.time.epochs_s);
        };
        for (const auto& [id, one] : whole) {
            const io::SourceResult& other = resumed.at(id);
            EXPECT_FALSE(other.failed) << other.failure;
            EXPECT_EQ(other.iterations.size(), other.shift_per_s.size());
            const std::vector<double> wanted = motion(one), found = motion(other);
            ASSERT_EQ(found.size(), wanted.size());
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                ASSERT_NEAR(found[i], wanted[i], job.time.spectrum_tolerance * largest(wanted));
            }
        }
    }
};

TEST_F(RestartSpectrum, TakesUpWhatWasSolvedBitForBit) {
    for (const bool range : {false, true}) {
        if (range) {
            give_range();
            job.solve_key = "a job with a range";
        }
        const std::string name = range ? "range" : "one";
        const Run whole = run("whole_" + name, 2);
        const int last = whole.steps.back();
        ASSERT_GT(last, 4);
        // A range has more vectors in its checkpoint; that nothing is solved twice at either end is
        // counted alike.
        for (const int cut : range ? std::vector{3} : std::vector{1, 3, last}) {
            const std::string dir = name + std::to_string(cut);
            run(dir, 2, cut);
            ASSERT_TRUE(fs::exists(checkpoint_path(work(dir))));
            const Run resumed = run(dir, 2);

            if (cut < last) {  // else nothing is left to tell of
                EXPECT_EQ(resumed.summary.resumed_step, cut + 1);
            }
            EXPECT_TRUE(resumed.summary.warnings.empty());
            const std::vector<int> rest(whole.steps.begin() + cut + 1, whole.steps.end());
            EXPECT_EQ(resumed.steps, rest) << "something was solved again";
            expect_same_bits(whole.results, resumed.results);
            for (const auto& [id, one] : whole.results) {
                const auto& other = resumed.results.at(id).shift_per_s;
                EXPECT_TRUE(std::equal(one.shift_per_s.begin() + 1, one.shift_per_s.end(),
                                       other.begin() + 1, other.end()));
            }
            EXPECT_FALSE(fs::exists(checkpoint_path(work(dir))));
        }
    }
}

TEST_F(RestartSpectrum, GoesOnOnOtherRanks) {
    give_range();
    const Run whole = run("whole", 1);
    for (const auto& [ranks, later_ranks] : {std::pair(1, 3), std::pair(2, 1)}) {
        const std::string name = std::to_string(ranks) + "to" + std::to_string(later_ranks);
        run(name, ranks, 3);

        const Run resumed = run(name, later_ranks);

        EXPECT_EQ(resumed.summary.resumed_step, 4);
        expect_alike(whole.results, resumed.results);
    }
}

TEST_F(RestartSpectrum, ForcesAtStationsGoOnToo) {
    job.by_receivers = true;
    const Run whole = run("whole", 1);
    run("cut", 1, 3);

    const Run resumed = run("cut", 1);

    EXPECT_EQ(resumed.summary.resumed_step, 4);
    ASSERT_EQ(whole.results.size(), 3u);
    expect_same_bits(whole.results, resumed.results);
    for (const auto& [id, one] : whole.results) {
        EXPECT_FALSE(one.fault_response.empty());
        EXPECT_EQ(one.fault_response, resumed.results.at(id).fault_response);
    }
}

TEST_F(RestartSpectrum, WhatIsDamagedIsSolvedAgain) {
    const Run& whole = whole_of("spectrum");
    run("cut", 1, 3);
    const std::string path = checkpoint_path(work("cut"));
    fs::resize_file(path, fs::file_size(path) * 6 / 10);

    const Run resumed = run("cut", 1);

    EXPECT_EQ(resumed.summary.resumed_step, 0);
    EXPECT_EQ(resumed.summary.warnings.size(), 1u);
    EXPECT_EQ(resumed.steps, whole.steps);
    expect_same_bits(whole.results, resumed.results);
}

TEST_F(RestartSpectrum, ASourceOfThePackGoesOnAlone) {
    const Run& whole = whole_of("spectrum");
    run("cut", 1, 3);
    comm::SerialComm comm;
    const auto session = stages.open(job, mesh_path(), work("cut"), comm);
    const std::vector<std::string> ids = {whole.results.rbegin()->first};
    int resumed_step = 0;

    const PackOutcome outcome = session->solve(ids, [&](const SolveProgress& progress) {
        resumed_step = std::max(resumed_step, progress.resumed_step);
        return true;
    });

    // Which shifts are next may depend on the other source: at least the first are the same.
    EXPECT_GE(resumed_step, 2);
    const auto alone = io::read_source_result(outcome.sources.at(0).file);
    EXPECT_FALSE(alone.failed) << alone.failure;
    EXPECT_EQ(alone.iterations.size(), alone.shift_per_s.size());
}

TEST_F(Restart, WhereStepsChangeTheirLength) {
    job.time.max_step_s = 2.5 * job.time.step_s;
    job.time.end_s = 25 * job.time.step_s;
    const Run whole = run("whole", 1);

    for (const int cut : {21, 22}) {  // before and after the change
        const std::string name = "cut" + std::to_string(cut);
        run(name, 1, cut);
        const Run resumed = run(name, 2);
        EXPECT_EQ(resumed.summary.resumed_step, cut + 1);
        expect_equal(whole.results, resumed.results);
    }
}

TEST_F(Restart, ASourceOfThePackGoesOnAlone) {
    const Run& whole = whole_of("usual");
    run("cut", 1, kCutAfter);
    comm::SerialComm comm;
    const auto session = stages.open(job, mesh_path(), work("cut"), comm);
    const std::vector<std::string> ids = {whole.results.rbegin()->first};
    int first_step = -1;

    const PackOutcome outcome = session->solve(ids, [&](const SolveProgress& progress) {
        first_step = first_step < 0 ? progress.step : first_step;
        return true;
    });

    EXPECT_EQ(first_step, kCutAfter + 1);
    const auto alone = io::read_source_result(outcome.sources.at(0).file);
    const auto& before = whole.results.at(ids[0]);
    ASSERT_EQ(alone.displacement_m.size(), before.displacement_m.size());
    for (std::size_t i = 0; i < alone.displacement_m.size(); ++i) {
        ASSERT_NEAR(alone.displacement_m[i], before.displacement_m[i],
                    10 * kTolerance * largest(before.displacement_m));
    }
}

TEST_F(Restart, AnotherJobsCheckpointIsPassedOver) {
    shorten();
    run("cut", 1, kSoon);
    job.solve_key = "another job";

    const Run other = run("cut", 1);

    EXPECT_EQ(other.summary.resumed_step, 0);
    EXPECT_EQ(other.steps.front(), 0);
    ASSERT_EQ(other.summary.warnings.size(), 1u);
    EXPECT_NE(other.summary.warnings[0].find("is not of source 's00d00/strike_slip'"),
              std::string::npos)
        << other.summary.warnings[0];
}

TEST_F(Restart, ADamagedCheckpointIsPassedOver) {
    shorten();
    const Run& whole = whole_of("short");
    for (const double share : {0.0, 0.3, 0.9}) {
        run("cut", 1, kSoon);
        const std::string path = checkpoint_path(work("cut"));
        fs::resize_file(path, static_cast<std::uintmax_t>(share * double(fs::file_size(path))));

        const Run resumed = run("cut", 1);

        EXPECT_EQ(resumed.summary.resumed_step, 0);
        EXPECT_EQ(resumed.summary.warnings.size(), 1u);
        expect_same_bits(whole.results, resumed.results);
        fs::remove_all(work("cut"));
    }
}

TEST_F(Restart, ChangedBytesAreFoundOut) {
    shorten();
    const Run& whole = whole_of("short");
    run("cut", 1, kSoon);
    const std::string path = checkpoint_path(work("cut"));
    {
        std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));
        for (int i = 0; i < 64; ++i) {
            file.put('\x5a');
        }
    }

    const Run resumed = run("cut", 2);

    EXPECT_EQ(resumed.summary.resumed_step, 0);
    ASSERT_EQ(resumed.summary.warnings.size(), 1u);
    EXPECT_NE(resumed.summary.warnings[0].find("was damaged"), std::string::npos)
        << resumed.summary.warnings[0];
    expect_equal(whole.results, resumed.results);
}

TEST_F(Restart, AFolderThatRefusesCheckpointsDoesNotEndTheSolve) {
    shorten();
    const Run& whole = whole_of("short");
    fs::create_directories(checkpoint_path(work("full")) + ".part");  // in the way

    const Run refused = run("full", 2);

    ASSERT_EQ(refused.summary.warnings.size(), 1u) << "said once";
    EXPECT_NE(refused.summary.warnings[0].find("no checkpoint: "), std::string::npos);
    expect_equal(whole.results, refused.results);
}

TEST_F(Restart, NoneWritesNone) {
    job.output.checkpoint.mode = CheckpointMode::None;

    run("cut", 1, kSoon);

    EXPECT_FALSE(fs::exists(checkpoint_path(work("cut"))));
}

TEST(CheckpointClock, WritesEveryMinuteOrTwentyWriteTimes) {
    using namespace std::chrono_literals;
    const CheckpointClock::Clock::time_point start{};
    CheckpointClock clock(std::nullopt);
    clock.restart(start);

    EXPECT_FALSE(clock.due(start + 59s));
    EXPECT_TRUE(clock.due(start + 60s));
    clock.wrote(start + 60s, start + 61s);
    EXPECT_FALSE(clock.due(start + 120s));
    EXPECT_TRUE(clock.due(start + 121s));
    clock.wrote(start + 121s, start + 131s);  // ten seconds
    EXPECT_FALSE(clock.due(start + 330s));
    EXPECT_TRUE(clock.due(start + 331s));
}

TEST(CheckpointClock, AnIntervalOfItsOwnReplacesBoth) {
    using namespace std::chrono_literals;
    const CheckpointClock::Clock::time_point start{};
    CheckpointClock clock(0.0);
    clock.restart(start);
    clock.wrote(start, start + 10s);

    EXPECT_TRUE(clock.due(start + 10s));
}

}  // namespace
}  // namespace kaname::jobs::restart_test
