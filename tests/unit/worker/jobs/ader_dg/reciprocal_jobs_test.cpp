// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"
#include "solvers/base/units.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "tests/support/loh1_box.hpp"
#include "tests/support/solve_all.hpp"
#include "worker/jobs/ader_dg/mesh_places.hpp"
#include "worker/jobs/ader_dg/seismic_model.hpp"
#include "worker/jobs/ader_dg/seismic_package.hpp"

namespace kaname::jobs::reciprocal_jobs_test {
namespace {

/// A cube of 4 km with a layer, two points below it with two components each, and a patch of a
/// fault through the layer's bottom.
SeismicJob unit_sources(bool reciprocal) {
    SeismicJob job;
    job.name = job.title = "cube";
    job.mesh = test::loh1_box(4000.0, 3000.0, 1.0);
    job.mesh.order = 4;
    job.mesh.elements_per_wavelength = 2.0;
    job.centre = earth::LonLat{138.0, 36.0};
    const auto time = source_time::TimeFunction::gaussian(0.25, 0.8);
    const auto add = [&](const std::string& id) -> SeismicJob::Source& {
        SeismicJob::Source& source = job.sources.emplace_back();
        source.id = id;
        source.key = "key " + id;
        source.field = "green." + id;
        source.time = time;
        return source;
    };
    for (const auto& [id, z_m] : {std::pair{"P", -1500.0}, std::pair{"Q", -700.0}}) {
        for (const auto& [name, component] : {std::pair{"/xx", 0}, std::pair{"/yz", 3}}) {
            SeismicJob::Source& source = add(std::string(id) + name);
            source.at.xyz_m = {-300.0, 130.0, z_m};
            source.moment_nm[static_cast<std::size_t>(component)] = 1e15;
        }
    }
    PatchRequest patch;
    patch.place = *job.centre;
    patch.depth_m = 600.0;
    patch.strike_deg = 20.0;
    patch.dip_deg = 60.0;
    patch.rake_deg = 90.0;
    patch.down_m = 400.0;
    patch.length_m = 900.0;
    patch.width_m = 800.0;
    patch.slip_m = 0.1;
    patch.time = time;
    add("s00d00/dip_slip").rupture = RuptureRequest{.patches = {patch}};
    job.receivers = {{"R", "receivers[0]", {{500.0, 900.0, 0.0}, {}, {}, true}}};
    job.end_s = 2.0;
    job.interval_s = 0.05;
    job.peak_ground_velocity = false;
    job.specification_json = "{}";
    job.version = "0";
    job.method_note = "5 unit sources";
    if (reciprocal) {
        for (const char* id : {"R/x", "R/y", "R/z"}) {
            job.forces.push_back({id, std::string("key ") + id, "receivers[0]"});
        }
    }
    return job;
}

class ReciprocalJobs : public testing::Test {
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
    void solve(const SeismicJob& job, const std::string& folder) {
        comm::SerialComm comm;
        const SolveSummary summary = test::solve_all(
            unsolved_waves(job, folder),
            [&] { return open_seismic(job, mesh_of(job), folder, comm); }, comm);
        EXPECT_EQ(summary.sources_done, std::ssize(job.names()));
    }
    PackageSummary package(const SeismicJob& job, const SourceFiles& files,
                           const std::string& path) {
        return package_seismic(job, mesh_of(job), files, path);
    }

    TemporaryFolder folder_;
};

double largest(const std::vector<float>& values) {
    double most = 0.0;
    for (const float value : values) {
        most = std::max(most, std::abs(double(value)));
    }
    return most;
}

TEST_F(ReciprocalJobs, TheDatasetIsThatOfTheSources) {
    const SeismicJob direct = unit_sources(false), reciprocal = unit_sources(true);
    solve(direct, work("direct"));
    solve(reciprocal, work("reciprocal"));
    const std::string a = work("direct") + "/seismograms.h5",
                      b = work("reciprocal") + "/seismograms.h5";
    (void)package(direct, find_waves(direct, work("direct")), a);
    const PackageSummary summary =
        package(reciprocal, find_waves(reciprocal, work("reciprocal")), b);

    EXPECT_EQ(summary.sources_done, 5);
    const io::SeismogramDataset of_direct = io::read_seismogram_rows(a),
                                of_forces = io::read_seismogram_rows(b);
    ASSERT_EQ(of_forces.sources.size(), 5U);
    ASSERT_TRUE(of_forces.globe) << "the model has a place";
    EXPECT_EQ(of_forces.globe->lon_deg, 138.0);
    EXPECT_NEAR(of_forces.receivers[0].lon_deg, 138.0, 0.1);
    EXPECT_NEAR(of_forces.receivers[0].lat_deg, 36.0, 0.1);
    for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_EQ(of_forces.sources[k].id, of_direct.sources[k].id);
        EXPECT_EQ(of_forces.sources[k].moment_nm, of_direct.sources[k].moment_nm);
        const std::vector<float> one = io::read_seismograms(a, k),
                                 other = io::read_seismograms(b, k);
        ASSERT_EQ(one.size(), 3U * 41);
        ASSERT_EQ(other.size(), one.size());
        double most = 0.0;
        for (std::size_t t = 0; t < one.size(); ++t) {
            most = std::max(most, std::abs(double(one[t]) - double(other[t])));
        }
        EXPECT_LT(most, 0.03 * largest(one)) << of_direct.sources[k].id;
        EXPECT_GT(largest(one), 0.0);
    }
}

TEST_F(ReciprocalJobs, WithoutAForceThereIsNoSource) {
    SeismicJob job = unit_sources(true);
    job.end_s = 0.1;
    solve(job, work("all"));
    SourceFiles files = find_waves(job, work("all"));
    files.erase("R/y");
    const std::string path = work("all") + "/seismograms.h5";
    const PackageSummary summary = package(job, files, path);

    EXPECT_EQ(summary.sources_missing, 5);
    EXPECT_EQ(summary.lacks, std::vector<std::string>{"the force R/y: has no result"});
    EXPECT_TRUE(std::isnan(io::read_seismograms(path, 0)[0]));
    EXPECT_THROW((void)read_seismic(job), Error);
}

TEST_F(ReciprocalJobs, StrainsAreReadInPartsThatFitInMemory) {
    StrainPoints points;
    points.places.resize(5);
    points.sources = {{{4, {1e12, 0, 0, 0, 0, 0}}},
                      {{1, {0, 0, 0, 1e12, 0, 0}}, {3, {0, 0, 2e12, 0, 0, 0}}}};
    io::WaveResult result;
    result.n_samples = 2;
    result.interval_s = 1.0;
    for (int row = 0; row < 30; ++row) {
        result.seismograms.push_back(static_cast<float>(row));
        result.seismograms.push_back(static_cast<float>(100 + row));
    }
    const std::string path = work("strains") + "/f.h5";
    io::write_wave_result(path, result);
    for (const double bytes : {1.0, 1e6}) {
        ReciprocalSeismograms seismograms(points, {path}, 2, bytes);
        EXPECT_EQ(seismograms.of_source(0), (std::vector<float>{24, 124}));
        // yz stands twice in M : e.
        EXPECT_EQ(seismograms.of_source(1),
                  (std::vector<float>{2 * 9 + 2 * 20, 2 * 109 + 2 * 120}));
    }
}

TEST_F(ReciprocalJobs, APatchHasTheMomentOfItsSlip) {
    const SeismicJob job = unit_sources(true);
    const SeismicModel model = load_seismic_model(job, mesh_of(job));
    const SeismicSource& patch = model.sources[4];
    const auto& m = patch.moment_nm;
    // The pure dip slip of a plane that dips at 60 degrees: M_zz = M0 sin 2 dip.
    const double moment_nm = m[2] / std::sin(120.0 * kDegree);
    const double soft = 2600.0 * 2000.0 * 2000.0, stiff = 2700.0 * 3464.0 * 3464.0;
    const double area_m2 = 900.0 * 800.0;

    EXPECT_GT(moment_nm, 0.1 * area_m2 * soft);
    EXPECT_LT(moment_nm, 0.1 * area_m2 * stiff);
    EXPECT_NEAR(m[0] + m[1] + m[2], 0.0, 1e-9 * moment_nm) << "no change of volume";
    // Its middle is 400 m down dip of the place at 600 m depth, between the two solids.
    EXPECT_NEAR(patch.at_m.z, -600.0 - 400.0 * std::sin(60.0 * kDegree), 150.0);
}

TEST_F(ReciprocalJobs, PreflightCountsForces) {
    const SeismicPreflight found = preflight_seismic(unit_sources(true));
    ASSERT_TRUE(found.violations.empty()) << found.violations[0].message;
    EXPECT_EQ(found.sources, 3);
    EXPECT_EQ(found.packs, 1);
    EXPECT_EQ(found.notes.back(), "5 unit sources");
}

}  // namespace
}  // namespace kaname::jobs::reciprocal_jobs_test
