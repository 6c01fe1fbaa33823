// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/h5/file.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "tests/support/loh1_box.hpp"
#include "tests/support/solve_all.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "worker/jobs/ader_dg/seismic_model.hpp"
#include "worker/jobs/ader_dg/seismic_package.hpp"
#include "worker/jobs/stage/solve_options.hpp"

namespace kaname::jobs::seismic_jobs_test {
namespace {

/// A cube of 4 km with a layer, sources under its top and two receivers.
SeismicJob small_cube(int n_sources) {
    SeismicJob job;
    job.name = job.title = "cube";
    job.mesh = test::loh1_box(4000.0, 3000.0, 1.0);
    job.mesh.order = 3;
    job.mesh.elements_per_wavelength = 2.0;
    for (int k = 0; k < n_sources; ++k) {
        SeismicJob::Source source;
        source.id = "S" + std::to_string(k);
        source.key = "key " + source.id;
        source.field = "sources[" + std::to_string(k) + "]";
        source.at.xyz_m = {-800.0 + 370.0 * k, 130.0, -1500.0};
        source.moment_nm = {0.0, 0.0, 0.0, 0.0, 0.0, 1e15};
        source.time = source_time::TimeFunction::gaussian(0.2, 0.5);
        job.sources.push_back(source);
    }
    job.receivers = {{"R0", "receivers[0]", {{500.0, 900.0, 0.0}, {}, {}, true}},
                     {"R1", "receivers[1]", {{-700.0, 250.0, -400.0}, {}, {}, false}}};
    job.end_s = 1.2;
    job.interval_s = 0.02;
    job.snapshots_s = {0.5, 1.0};
    job.specification_json = "{}";
    job.version = "0";
    return job;
}

/// How many of the texts have this part.
std::ptrdiff_t count_of(const std::vector<std::string>& texts, const std::string& part) {
    return std::ranges::count_if(
        texts, [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

class SeismicJobs : public testing::Test {
protected:
    std::string work(const std::string& name) {
        const auto folder = folder_.path() / name;
        std::filesystem::create_directories(folder);
        return folder.string();
    }
    std::string mesh_of(const SeismicJob& job) {
        const std::string path = (folder_.path() / "mesh.h5").string();
        if (!std::filesystem::exists(path)) {
            (void)mesh_seismic(job, path, [](double, const std::string&) {});
        }
        return path;
    }
    SolveSummary solve(const SeismicJob& job, const std::string& folder, comm::Comm& comm) {
        return test::solve_all(
            unsolved_waves(job, folder),
            [&] { return open_seismic(job, mesh_of(job), folder, comm); }, comm);
    }
    static io::WaveResult result(const std::string& folder, const std::string& id) {
        return io::read_wave_result(wave_path(folder, id));
    }
    static float largest(const std::vector<float>& values) {
        float most = 0.0F;
        for (const float value : values) {
            most = std::max(most, std::abs(value));
        }
        return most;
    }
    /// Largest difference over the largest value.
    static double difference(const std::vector<float>& a, const std::vector<float>& b) {
        EXPECT_EQ(a.size(), b.size());
        double most = 0.0;
        for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
            most = std::max(most, std::abs(double(a[k]) - double(b[k])));
        }
        return most / largest(b);
    }

    TemporaryFolder folder_;
    comm::SerialComm comm_;
};

TEST_F(SeismicJobs, PreflightKnowsTheMeshBeforeItIsMade) {
    const SeismicJob job = small_cube(5);
    const SeismicPreflight found = preflight_seismic(job);
    ASSERT_TRUE(found.violations.empty()) << found.violations[0].message;
    EXPECT_EQ(found.packs, 2);
    EXPECT_EQ(found.epochs, 61);
    const MeshSummary mesh =
        mesh_seismic(job, work("mesh") + "/m.h5", [](double, const std::string&) {});
    EXPECT_NEAR(double(found.tets), double(mesh.tets), 0.35 * double(mesh.tets));
    EXPECT_EQ(count_of(found.warnings, "filter the seismograms"), 5)
        << "a Gaussian of 0.2 s has frequencies beyond 1 Hz";
}

TEST_F(SeismicJobs, PreflightWarnsOfFrequenciesOfPatchesAsOfPoints) {
    SeismicJob job = small_cube(1);
    job.centre = earth::LonLat{135.0, 34.0};
    PatchRequest patch;
    patch.place = *job.centre;
    patch.depth_m = 600.0;
    patch.dip_deg = 60.0;
    patch.length_m = patch.width_m = 400.0;
    patch.slip_m = 0.1;
    patch.time = job.sources[0].time;
    job.sources[0].rupture = RuptureRequest{.patches = {patch}};

    const SeismicPreflight found = preflight_seismic(job);

    ASSERT_TRUE(found.violations.empty()) << found.violations[0].message;
    EXPECT_EQ(count_of(found.warnings, "filter the seismograms"), 1);
}

TEST_F(SeismicJobs, PreflightRefusesPatchesWhoseCornersAreOutside) {
    SeismicJob job = small_cube(1);
    job.centre = earth::LonLat{135.0, 34.0};
    job.sources[0].field = "sources[0].patches";
    PatchRequest inside;
    inside.place = *job.centre;
    inside.depth_m = 600.0;
    inside.dip_deg = 90.0;
    inside.length_m = 400.0;
    inside.width_m = 1200.0;  // up to the ground
    inside.slip_m = 0.1;
    inside.time = job.sources[0].time;
    PatchRequest above = inside, beyond = inside, below = inside;
    above.width_m = 1300.0;
    beyond.length_m = 4200.0;  // along north, in a box of 4 km
    below.depth_m = 2500.0;
    job.sources[0].rupture = RuptureRequest{.patches = {inside, above, beyond, below}};

    const std::vector<Violation> broken = preflight_seismic(job).violations;

    ASSERT_EQ(broken.size(), 3U);
    EXPECT_EQ(broken[0].field, "sources[0].patches[1]");
    EXPECT_EQ(broken[0].message,
              "must be in the model, every corner z within -3000 to 0 m, got 50");
    EXPECT_EQ(broken[1].field, "sources[0].patches[2]");
    EXPECT_NE(broken[1].message.find("every corner y within -2000 to 2000 m, got -2100"),
              std::string::npos)
        << broken[1].message;
    EXPECT_EQ(broken[2].field, "sources[0].patches[3]");
    EXPECT_NE(broken[2].message.find("z within -3000 to 0 m, got -3100"), std::string::npos);
}

TEST_F(SeismicJobs, PreflightNamesReceiversThatAreTooNearAndSidesThatSendWavesBack) {
    SeismicJob job = small_cube(1);
    job.end_s = 5.0;
    job.receivers[1].at.xyz_m = {-800.0, 130.0, -1300.0};  // 200 m above the source

    const std::vector<std::string> warnings = preflight_seismic(job).warnings;

    EXPECT_EQ(count_of(warnings, "not resolved: R1 (200 m from S0"), 1);
    EXPECT_EQ(count_of(warnings, "send waves back to receivers before time.end_s = 5 s: R0 (from"),
              1);
    job.motion = aderdg::Motion::Displacement;
    EXPECT_EQ(count_of(preflight_seismic(job).warnings, "no static offset"), 1);
    job.mesh.model = LayeredBox{4e6, 4e6, 2e6, std::get<LayeredBox>(job.mesh.model).layers};
    job.mesh.max_frequency_hz = 1e-3;
    job.receivers.pop_back();
    EXPECT_EQ(count_of(preflight_seismic(job).warnings, "absorbing sides"), 0)
        << "a box of 4,000 km";
}

TEST_F(SeismicJobs, ShearInALiquidIsRefused) {
    SeismicJob job = small_cube(2);
    auto box = std::get<LayeredBox>(job.mesh.model);
    box.layers.materials[0].mu_pa = 0.0;
    job.mesh.model = box;
    job.sources[0].at.xyz_m[2] = -0.5 * *box.layers.layers[0].bottom_depth_m;
    job.sources[1].at.xyz_m[2] = job.sources[0].at.xyz_m[2];
    job.sources[1].moment_nm = {1e15, 1e15, 1e15, 0.0, 0.0, 0.0};

    const std::vector<Violation> broken = preflight_seismic(job).violations;

    ASSERT_EQ(broken.size(), 1U) << "a pressure is fine";
    EXPECT_EQ(broken[0].field, "sources[0].moment");
    EXPECT_NE(broken[0].message.find("which holds no shear: source S0"), std::string::npos);
    EXPECT_THROW((void)load_seismic_model(job, mesh_of(job)), ValidationError)
        << "the mesh knows it as well";
}

TEST_F(SeismicJobs, WavesThatGrowWithoutLimitEndTheSolveAtOnce) {
    SeismicJob job = small_cube(2);
    job.cfl = 0.98;
    job.end_s = 40.0;
    int steps = 0, all = 0;
    const SolveSummary summary = test::solve_all(
        unsolved_waves(job, work("blow")),
        [&] { return open_seismic(job, mesh_of(job), work("blow"), comm_); }, comm_,
        [&](const SolveProgress& progress) {
            steps = progress.step;
            all = progress.steps;
        });

    EXPECT_EQ(summary.sources_failed, 2);
    RecordProperty("stopped_at", std::to_string(steps) + " of " + std::to_string(all));
    const double pulse = 0.5 / job.end_s * all;  // what it makes grows from then on
    EXPECT_LT(steps - pulse, 0.02 * all);
    const io::WaveResult failed = result(work("blow"), "S1");
    EXPECT_TRUE(failed.failed);
    EXPECT_NE(failed.failure.find("grows without limit"), std::string::npos) << failed.failure;
    EXPECT_NE(failed.failure.find("solver.cfl = 0.98"), std::string::npos) << failed.failure;
    EXPECT_EQ(failed.n_samples, job.n_samples());
    EXPECT_TRUE(std::isfinite(failed.seismograms[1])) << "what was good is kept";
    EXPECT_TRUE(std::isnan(failed.seismograms.back()));
}

TEST_F(SeismicJobs, PreflightNamesPlacesOutside) {
    SeismicJob job = small_cube(1);
    job.sources[0].at.xyz_m[2] = -3500.0;
    job.receivers[0].at.xyz_m[0] = 2100.0;
    const SeismicPreflight found = preflight_seismic(job);
    ASSERT_EQ(found.violations.size(), 2U);
    EXPECT_EQ(found.violations[0].field, "sources[0].at");
    EXPECT_NE(found.violations[0].message.find("z within -3000 to 0 m"), std::string::npos);
    EXPECT_EQ(found.violations[1].field, "receivers[0].at");
}

TEST_F(SeismicJobs, APackIsItsSourcesEachAlone) {
    const SeismicJob job = small_cube(3);
    EXPECT_EQ(solve(job, work("all"), comm_).sources_done, 3);
    for (const char* id : {"S0", "S2"}) {
        SeismicJob alone = job;
        std::erase_if(alone.sources, [&](const auto& source) { return source.id != id; });
        (void)solve(alone, work(id), comm_);
        const io::WaveResult one = result(work(id), id), of_all = result(work("all"), id);
        EXPECT_LT(difference(of_all.seismograms, one.seismograms), 1e-4) << id;
        EXPECT_LT(difference(of_all.ground.peak_m_per_s, one.ground.peak_m_per_s), 1e-4);
        EXPECT_LT(difference(of_all.ground.velocity_m_per_s, one.ground.velocity_m_per_s), 1e-4);
        EXPECT_EQ(of_all.n_samples, 61);
        EXPECT_EQ(of_all.seismograms[0], 0.0F) << "at rest at first";
        EXPECT_GT(largest(of_all.seismograms), 0.0F);
    }
    EXPECT_EQ(solve(job, work("all"), comm_).sources_reused, 3) << "they are there";
}

TEST_F(SeismicJobs, DisplacementIsTheIntegralOfVelocity) {
    SeismicJob job = small_cube(1);
    (void)solve(job, work("velocity"), comm_);
    job.motion = aderdg::Motion::Displacement;
    (void)solve(job, work("displacement"), comm_);
    const std::vector<float> v = result(work("velocity"), "S0").seismograms,
                             u = result(work("displacement"), "S0").seismograms;
    std::vector<float> sum(u.size());
    for (std::size_t row = 0; row < 6; ++row) {
        for (std::size_t t = 1; t < 61; ++t) {
            const std::size_t k = row * 61 + t;
            sum[k] = sum[k - 1] + float(0.5 * job.interval_s) * (v[k] + v[k - 1]);
        }
    }
    EXPECT_LT(difference(sum, u), 0.01) << "trapezoids of 0.02 s";
}

TEST_F(SeismicJobs, OversampledSeismogramsLoseOnlyWhatIsTooHigh) {
    SeismicJob job = small_cube(1);
    job.mesh.order = 5;  // at order 3 so few elements leave corners between steps, which are high
    job.end_s = 2.4;
    (void)solve(job, work("plain"), comm_);
    job.oversampling = 3;  // nothing of a Gaussian of 0.2 s is above 20 Hz
    (void)solve(job, work("smooth"), comm_);
    const io::WaveResult plain = result(work("plain"), "S0"), smooth = result(work("smooth"), "S0");
    ASSERT_EQ(smooth.n_samples, plain.n_samples);
    EXPECT_LT(difference(smooth.seismograms, plain.seismograms), 0.01);
    job.interval_s = 0.6;  // an interval that aliases, and one that does not
    job.oversampling = 1;
    (void)solve(job, work("aliased"), comm_);
    job.oversampling = 30;
    (void)solve(job, work("filtered"), comm_);
    EXPECT_LT(largest(result(work("filtered"), "S0").seismograms),
              0.8F * largest(plain.seismograms));
}

TEST_F(SeismicJobs, APackThatWasKilledGoesOnFromItsCheckpoint) {
    SeismicJob job = small_cube(2);
    (void)solve(job, work("whole"), comm_);
    job.checkpoint_interval_s = 0.0;
    const std::string folder = work("cut");
    const std::vector<std::string> ids = {"S0", "S1"};
    struct Killed {};
    try {
        const auto session = open_seismic(job, mesh_of(job), folder, comm_);
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
        const auto session = open_seismic(job, mesh_of(job), folder, comm);
        (void)session->solve(ids, [&](const SolveProgress& progress) {
            resumed = std::max(resumed, progress.resumed_step);
            return true;
        });
    });
    EXPECT_GT(resumed, 0);
    for (const std::string& id : ids) {
        const io::WaveResult cut = result(folder, id), whole = result(work("whole"), id);
        EXPECT_LT(difference(cut.seismograms, whole.seismograms), 1e-5) << id;
        EXPECT_LT(difference(cut.ground.peak_m_per_s, whole.ground.peak_m_per_s), 1e-5);
        EXPECT_EQ(cut.ground.times_s, whole.ground.times_s);
    }
    EXPECT_FALSE(std::filesystem::exists(checkpoint_path(folder))) << "of a pack that has ended";
}

TEST_F(SeismicJobs, TheDatasetHasSeismogramsAndTheGroundsMotion) {
    const SeismicJob job = small_cube(2);
    (void)solve(job, work("all"), comm_);
    SourceFiles files = find_waves(job, work("all"));
    files.erase("S0");
    const std::string path = work("all") + "/seismograms.h5";
    const PackageSummary summary = package_seismic(job, mesh_of(job), files, path);
    EXPECT_EQ(summary.sources_done, 1);
    EXPECT_EQ(summary.sources_missing, 1);
    const io::SeismogramDataset rows = io::read_seismogram_rows(path);
    EXPECT_EQ(rows.quantity, "velocity");
    EXPECT_EQ(rows.unit, "m s-1");
    ASSERT_TRUE(rows.elements);
    EXPECT_EQ(rows.elements->order, 3);
    EXPECT_EQ(rows.receivers[0].xyz_m[2], 0.0) << "on the ground";
    EXPECT_TRUE(rows.ground.peaks);
    EXPECT_EQ(rows.ground.snapshots_s.size(), 2U);
    EXPECT_GE(rows.ground.snapshots_s[0], 0.5);
    EXPECT_EQ(io::read_seismograms(path, 1), result(work("all"), "S1").seismograms);
    EXPECT_TRUE(std::isnan(io::read_seismograms(path, 0)[0]));
    const SourceBlock block = read_seismic(job)->read({{"S1", files.at("S1")}});
    EXPECT_EQ(block.values[(3 * 2 + 1) * 3 + 2],
              double(io::read_seismograms(path, 1)[(3 + 2) * 61 + 3]))
        << "[epoch 3][station 1][z]";
}

TEST_F(SeismicJobs, SnapshotsMayBeOfAllElements) {
    SeismicJob job = small_cube(1);
    job.volume_snapshots = true;
    (void)solve(job, work("volume"), comm_);
    const std::string path = work("volume") + "/seismograms.h5";
    (void)package_seismic(job, mesh_of(job), find_waves(job, work("volume")), path);
    const io::WaveResult solved = result(work("volume"), "S0");
    const auto tets = static_cast<std::size_t>(io::read_seismogram_rows(path).elements->count);
    ASSERT_EQ(solved.elements_m_per_s.size(), 2 * tets * 3);
    EXPECT_GT(largest(solved.elements_m_per_s), largest(solved.ground.velocity_m_per_s))
        << "it shakes most at the source";
    const h5::File file(path, h5::File::Mode::Read);
    EXPECT_EQ(file.dims("elements/velocity"), (h5::Dims{1, 2, tets, 3}));
    EXPECT_EQ(file.dims("elements/tets"), (h5::Dims{tets, 4}));
}

TEST_F(SeismicJobs, QualityOfAMaterialDampsItsWaves) {
    SeismicJob job = small_cube(1);
    (void)solve(job, work("elastic"), comm_);
    job.band = {0.05, 2.0, 3, 1.0};
    job.quality = {{"layer", {20.0, 10.0}}, {"half-space", {20.0, 10.0}}};
    (void)solve(job, work("anelastic"), comm_);
    const float elastic = largest(result(work("elastic"), "S0").seismograms),
                damped = largest(result(work("anelastic"), "S0").seismograms);
    EXPECT_LT(damped, 0.95F * elastic);
    EXPECT_GT(damped, 0.3F * elastic);
}

}  // namespace
}  // namespace kaname::jobs::seismic_jobs_test
