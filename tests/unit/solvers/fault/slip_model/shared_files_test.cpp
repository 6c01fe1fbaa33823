// SPDX-License-Identifier: BSD-3-Clause
// Slip models that may not be copied into this repository, read from shared/data/slip_scenarios
// beside it where that folder is; without it this file has no test.
#include <cmath>
#include <tuple>
#include <vector>

#include "solvers/base/units.hpp"
#include "solvers/fault/place_on_map.hpp"
#include "solvers/fault/slip_model/patch_rules.hpp"
#include "solvers/fault/slip_model/placed_model.hpp"
#include "solvers/fault/slip_model/slip_sampler.hpp"
#include "tests/unit/solvers/fault/slip_model/slip_files.hpp"

namespace kaname::slip_model::shared_files_test {
namespace {

const std::filesystem::path kShared =
    std::filesystem::path(KANAME_SOURCE_DIR).parent_path() / "shared/data/slip_scenarios";

/// The folder, when it is there.
std::vector<std::filesystem::path> folders() {
    return std::filesystem::is_directory(kShared) ? std::vector{kShared}
                                                  : std::vector<std::filesystem::path>{};
}

class SharedFiles : public testing::TestWithParam<std::filesystem::path> {
protected:
    [[nodiscard]] static SlipModel read(const std::string& name, const ReadOptions& options = {}) {
        return read_slip_model(GetParam() / name, options);
    }
};

/// Horizontal distance [m] between patches a and b.
double apart_on_globe(const SlipModel& model, std::size_t a, std::size_t b) {
    const SlipPatch& p = model.patches[a];
    const SlipPatch& q = model.patches[b];
    const double middle = 0.5 * (p.lat_deg + q.lat_deg);
    const Vec3 d = local_offset({p.lon_deg, middle, 0.0}, {q.lon_deg, middle, 0.0}) +
                   local_offset({0.0, p.lat_deg, 0.0}, {0.0, q.lat_deg, 0.0});
    return std::hypot(d.x, d.y);
}
double apart_in_frame(const SlipModel& model, std::size_t a, std::size_t b) {
    const SlipPatch& p = model.patches[a];
    const SlipPatch& q = model.patches[b];
    return std::hypot(q.east_m - p.east_m, q.north_m - p.north_m);
}

TEST_P(SharedFiles, TohokuIsThirtyMetresNotThreeThousand) {
    const SlipModel flt = read("tohoku2011_wei_original_local_km.flt");
    const SlipModel csv = read("tohoku2011_wei.csv");

    ASSERT_EQ(flt.patches.size(), 350u);
    ASSERT_EQ(csv.patches.size(), 350u);
    EXPECT_EQ(flt.patches[0].slip_m, 2.0);  // 200.000 under slip(cm)
    for (std::size_t i = 0; i < 350; ++i) {
        EXPECT_NEAR(flt.patches[i].slip_m, csv.patches[i].slip_m, 1e-9);
        EXPECT_EQ(flt.patches[i].rake_deg, csv.patches[i].rake_deg);
        // x3 is rounded to 10 m; its centre is half a width down dip.
        EXPECT_NEAR(flt.patches[i].depth_m, csv.patches[i].depth_m, 5.1);
    }
    const MomentSum sum = moment_over_depth(csv, [](double) { return 40e9; });
    EXPECT_EQ(sum.max_slip_m, 31.0);
    EXPECT_NEAR(sum.mw(), 9.0925, 1e-4);
}

TEST_P(SharedFiles, KumamotoFltAndCsvHaveTheSameCentres) {
    const SlipModel flt = read("kumamoto2016_hayes_prelim_original_local_km.flt");
    const SlipModel csv = read("kumamoto2016_hayes_prelim.csv");

    ASSERT_EQ(flt.patches.size(), 162u);
    ASSERT_EQ(csv.patches.size(), 162u);
    for (std::size_t i = 0; i < 162; ++i) {
        EXPECT_NEAR(flt.patches[i].depth_m, csv.patches[i].depth_m, 0.2);
        EXPECT_EQ(flt.patches[i].strike_deg, 224.0);
        EXPECT_NEAR(flt.patches[i].slip_m, csv.patches[i].slip_m, 1e-9);
    }
    // Row 1: 32.65 north, 37.55 east, then half of 5 km along strike 224 and half of 2.9 km down
    // dip 66.
    EXPECT_NEAR(flt.patches[0].north_m, 32650.0 - 1798.3 + 409.7, 0.1);
    EXPECT_NEAR(flt.patches[0].east_m, 37550.0 - 1736.6 - 424.2, 0.1);
    // Lengths in a UTM zone and on the globe differ by its scale, 0.9996 to 1.0004.
    for (const std::size_t far : {17u, 90u, 161u}) {
        EXPECT_NEAR(apart_in_frame(flt, 0, far) / apart_on_globe(csv, 0, far), 1.0, 1.5e-3) << far;
    }
}

TEST_P(SharedFiles, HawaiiParamAndFspAgreePatchByPatch) {
    const SlipModel param = read("hawaii2018_usgs.param");
    const SlipModel fsp = read("hawaii2018_usgs.fsp");

    ASSERT_EQ(param.patches.size(), 270u);
    ASSERT_EQ(fsp.patches.size(), 270u);
    for (std::size_t i = 0; i < 270; ++i) {
        EXPECT_NEAR(param.patches[i].lat_deg, fsp.patches[i].lat_deg, 1.6e-4);
        EXPECT_NEAR(param.patches[i].lon_deg, fsp.patches[i].lon_deg, 1.6e-4);
        EXPECT_NEAR(param.patches[i].depth_m, fsp.patches[i].depth_m, 0.2);
    }
    const double moment =
        moment_over_depth(fsp, [&](double z) { return fsp.rigidity->mu_pa(z); }).moment_nm;
    EXPECT_NEAR(moment / *fsp.published_moment_nm, 1.0018, 2e-4);
}

TEST_P(SharedFiles, EveryModelFormsGrids) {
    for (const auto& [name, n_strike, n_dip, centre] :
         {std::tuple{"tohoku2011_wei.csv", 25, 14, earth::LonLat{143.0, 38.0}},
          {"kumamoto2016_hayes_prelim.csv", 18, 9, earth::LonLat{130.7, 32.8}},
          {"hawaii2018_usgs.param", 27, 10, earth::LonLat{-155.0, 19.4}}}) {
        const SlipSampler sampler(fault::place_on_map(read(name), earth::Projection(centre)), {});

        ASSERT_EQ(sampler.grids().size(), 1u) << name;
        EXPECT_EQ(sampler.grids()[0].n_strike, n_strike) << name;
        EXPECT_EQ(sampler.grids()[0].n_dip, n_dip) << name;
    }
}

INSTANTIATE_TEST_SUITE_P(Beside, SharedFiles, testing::ValuesIn(folders()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SharedFiles);

}  // namespace
}  // namespace kaname::slip_model::shared_files_test
