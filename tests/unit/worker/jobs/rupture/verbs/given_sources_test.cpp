// SPDX-License-Identifier: BSD-3-Clause
// Sources of known motion in a rupture are those of SeismicWaves.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "proto/request/rupture/load_rupture.hpp"
#include "solvers/base/files.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/io/dataset/wave_datasets.hpp"
#include "tests/support/solve_all.hpp"
#include "worker/jobs/ader_dg/verbs/seismic_waves_kind.hpp"
#include "worker/jobs/frame/waves_report.hpp"
#include "worker/jobs/rupture/rupture_package.hpp"
#include "worker/jobs/rupture/verbs/rupture_kind.hpp"

namespace kaname::compute::given_sources_test {
namespace {

const std::string kModel = R"(name: both
region: {centre_lon_deg: 142, centre_lat_deg: 38, size_east_km: 7.2, size_north_km: 7.2, depth_km: 4.8}
structure:
  materials:
    - {name: rock, vp_km_per_s: 6, vs_km_per_s: 3.464, density_g_per_cm3: 2.67}
  layers:
    - {material: rock}
mesh: {max_frequency_hz: 1, elements_per_wavelength: 1.5, growth: 0.6}
receivers:
  - {id: R1, at: {lon_deg: 142.01, lat_deg: 38.016}}
  - {id: R2, at: {lon_deg: 142.005, lat_deg: 37.984}}
time: {end_s: 0.6, interval_s: 0.05}
solver: {order: 3, precision: double, local_time_steps: false}
)";
const std::string kSources = R"(sources:
  - id: shot
    at: {lon_deg: 142.01, lat_deg: 38.018, depth_km: 2}
    double_couple: {strike_deg: 30, dip_deg: 60, rake_deg: 40, magnitude: 5}
    time_function: {kind: cosine, duration_s: 0.4}
  - id: slip
    patches:
      - {centre: {lon_deg: 142, lat_deg: 37.982, depth_km: 2.4}, strike_deg: 90, dip_deg: 50, length_km: 1, width_km: 1, rake_deg: 90, slip_m: 0.2}
    time_function: {kind: cosine, duration_s: 0.4}
)";
/// A slip model of two patches, one of which begins later.
const std::string kSlipModel = R"(  - id: model
    rupture: {file: slip.csv, rate: cosine}
)";
constexpr const char* kSlipTable =
    "patch,lon_centre_deg,lat_centre_deg,depth_centre_km,length_km,width_km,strike_deg,dip_deg,"
    "rake_deg,slip_m,rupture_time_s,rise_time_s\n"
    "1,141.98,37.982,2.4,0.5,0.5,90,50,90,0.6,0,0.3\n"
    "2,141.986,37.982,2.4,0.5,0.5,90,50,90,0.6,0.1,0.3\n";
/// Cohesion that no wave overcomes.
const std::string kFault = R"(faults:
  - id: main
    plane: {at: {lon_deg: 142, lat_deg: 38}, top_depth_km: 0, strike_deg: 90, dip_deg: 90, length_km: 2.4, width_km: 1.2}
    element_size_m: 600
    friction: {static: 0.6, dynamic: 0.5, slip_weakening_m: 0.4, cohesion_mpa: 10000}
    stress: {normal_mpa: -100, strike_mpa: 30}
)";

class GivenSources : public testing::Test {
protected:
    std::string written(const std::string& text) const {
        write_file(folder_.path() / "spec.yaml", text);
        return folder_.path() / "spec.yaml";
    }
    jobs::RuptureJob rupture(const std::string& sources = kSources) const {
        return rupture_job_from_request(request::load_rupture(
            written("schema: kaname.v1.Rupture\n" + kModel + kFault + sources)));
    }
    std::string work(const std::string& name) const {
        const auto folder = folder_.path() / name;
        std::filesystem::create_directories(folder);
        return folder.string();
    }
    TemporaryFolder folder_;
    comm::SerialComm comm_;
};

TEST_F(GivenSources, RadiateAsInSeismicWavesWhereNoFaultSlips) {
    write_file(folder_.path() / "slip.csv", kSlipTable);
    const jobs::RuptureJob job = rupture(kSources + kSlipModel);
    const jobs::SeismicJob waves = seismic_job_from_request(request::load_seismic_waves(
        written("schema: kaname.v1.SeismicWaves\n" + kModel + kSources + kSlipModel)));
    const std::string mesh = folder_.path() / "mesh.h5", in_one = folder_.path() / "one.h5",
                      each = folder_.path() / "each.h5";
    (void)jobs::mesh_rupture(job, mesh, [](double, const std::string&) {});
    const auto solve = [&](const jobs::WaveRequest& what, const auto& open) {
        return test::solve_all(unsolved_waves(what, work(what.names()[0].id)), open, comm_);
    };
    ASSERT_EQ(
        solve(job, [&] { return open_rupture(job, mesh, work("rupture"), comm_); }).sources_done,
        1);
    ASSERT_EQ(
        solve(waves, [&] { return open_seismic(waves, mesh, work("shot"), comm_); }).sources_done,
        3);
    (void)package_rupture(job, mesh, find_waves(job, work("rupture")), in_one);
    (void)package_seismic(waves, mesh, find_waves(waves, work("shot")), each);

    const std::vector<float> both = io::read_seismograms(in_one, 0),
                             shot = io::read_seismograms(each, 0),
                             slip = io::read_seismograms(each, 1),
                             model = io::read_seismograms(each, 2);
    ASSERT_EQ(both.size(), 2U * 3U * 13U);
    double of_shot = 0.0, of_slip = 0.0, of_model = 0.0, off = 0.0;
    for (std::size_t k = 0; k < both.size(); ++k) {
        of_shot = std::max(of_shot, std::abs(double(shot[k])));
        of_slip = std::max(of_slip, std::abs(double(slip[k])));
        of_model = std::max(of_model, std::abs(double(model[k])));
        off = std::max(
            off, std::abs(double(both[k]) - double(shot[k]) - double(slip[k]) - double(model[k])));
    }
    EXPECT_GT(of_slip, 0.01 * of_shot) << "all are in the sum";
    EXPECT_GT(of_model, 0.01 * of_shot);
    EXPECT_GT(of_shot, 0.01 * of_slip);
    EXPECT_LT(off, 1e-6 * std::max(of_shot, of_slip)) << of_shot << " " << of_slip;

    const h5::File file(in_one, h5::File::Mode::Read);
    EXPECT_EQ(file.double_attribute("/", "largest_slip"), 0.0);
    EXPECT_TRUE(std::isnan(file.double_attribute("/", "energy_residual")));
    // The dataset has the sources by the names and numbers of the other one.
    const io::SeismogramDataset beside = io::read_seismogram_rows(in_one),
                                alone = io::read_seismogram_rows(each);
    ASSERT_EQ(beside.sources.size(), 1U);
    ASSERT_EQ(beside.given_sources.size(), 3U);
    EXPECT_TRUE(alone.given_sources.empty());
    for (std::size_t k = 0; k < 3; ++k) {
        const auto& one = beside.given_sources[k];
        const auto& other = alone.sources[k];
        EXPECT_EQ(one.id, other.id);
        EXPECT_EQ(one.xyz_m, other.xyz_m);
        EXPECT_EQ(one.lon_deg, other.lon_deg);
        EXPECT_EQ(one.moment_nm, other.moment_nm);
        EXPECT_EQ(one.highest_hz, other.highest_hz);
    }
    EXPECT_EQ(file.read<double>("given_sources/source_function", {3, 13}),
              h5::File(each, h5::File::Mode::Read).read<double>("source_function", {3, 13}));
    const v1::WavesReport report = report_of(beside, "rupture.h5");
    const std::size_t listed = report.text().find("known motion in its run:\n  shot ");
    ASSERT_NE(listed, std::string::npos) << report.text();
    EXPECT_NE(report.text().find(" m, Mw 5.00\n  slip ", listed), std::string::npos)
        << report.text();
    ASSERT_EQ(report.sources_size(), 4);
    EXPECT_EQ(report.sources(0).status(), "done");
    EXPECT_EQ(report.sources(3).id(), "model");
    EXPECT_EQ(report.sources(3).status(), "given");
}

TEST_F(GivenSources, AreRefusedBesideAFault) {
    const auto broken = [&](const std::string& old, const std::string& now) {
        std::string text = kSources;
        text.replace(text.find(old), old.size(), now);
        const jobs::RuptureJob job = rupture(text);
        const jobs::SeismicPreflight before = jobs::preflight_rupture(job);
        EXPECT_TRUE(before.violations.empty()) << before.violations[0].message;
        EXPECT_TRUE(std::ranges::any_of(before.warnings, [](const std::string& warning) {
            return warning.find("m from fault main, elements of 600 m") != std::string::npos;
        })) << now;
        try {
            (void)jobs::mesh_rupture(job, folder_.path() / "other.h5",
                                     [](double, const std::string&) {});
        } catch (const ValidationError& error) {
            return error.violations()[0].field + ": " + error.violations()[0].message;
        }
        return std::string();
    };

    EXPECT_TRUE(broken("lat_deg: 38.018, depth_km: 2", "lat_deg: 38.0003, depth_km: 0.5")
                    .starts_with("sources[0].at: must lie outside of the elements beside fault "
                                 "main, got ("));
    const std::string slip = broken("lat_deg: 37.982, depth_km: 2.4", "lat_deg: 38, depth_km: 0.6");
    EXPECT_TRUE(
        slip.starts_with("sources[1].patches: must lie outside of the elements beside "
                         "fault main, got ("))
        << slip;
    EXPECT_NE(slip.find(" points of source slip in them"), std::string::npos) << slip;
}

TEST_F(GivenSources, AreCountedAndCheckedBeforeAnythingIsComputed) {
    const jobs::SeismicPreflight found = jobs::preflight_rupture(rupture());
    EXPECT_EQ(found.sources, 1) << "one run";
    const auto says = [](const std::vector<std::string>& texts, const std::string& part) {
        return std::ranges::any_of(
            texts, [&](const std::string& text) { return text.find(part) != std::string::npos; });
    };
    EXPECT_TRUE(says(found.notes, "sources of known motion that radiate in the same run: 2, of "));
    EXPECT_TRUE(says(found.notes, "source slip: "));
    EXPECT_TRUE(says(found.notes, "nothing but the waves of sources can begin a rupture"));
    EXPECT_FALSE(says(found.warnings, "begin")) << "which is no mistake here";
    EXPECT_FALSE(says(found.warnings, "from fault main"));

    const auto broken = [&](const std::string& old, const std::string& now) {
        std::string text = kSources;
        text.replace(text.find(old), old.size(), now);
        const jobs::SeismicPreflight bad = jobs::preflight_rupture(rupture(text));
        return bad.violations.empty() ? std::string()
                                      : bad.violations[0].field + ": " + bad.violations[0].message;
    };
    EXPECT_TRUE(broken("lat_deg: 38.018", "lat_deg: 38.1")
                    .starts_with("sources[0].at: must be in the model, y within -3600 to 3600 m"));
    EXPECT_TRUE(broken("depth_km: 2}", "depth_km: 5}")
                    .starts_with("sources[0].at: must be in the model, z within -4800 to "));
    EXPECT_TRUE(broken("lat_deg: 37.982", "lat_deg: 37.97")
                    .starts_with("sources[1].patches[0]: must be in the model, every corner y"));
}

}  // namespace
}  // namespace kaname::compute::given_sources_test
