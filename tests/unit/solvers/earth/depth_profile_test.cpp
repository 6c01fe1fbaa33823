// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/earth/depth_profile.hpp"

#include <cmath>

#include "tests/unit/solvers/earth/model_files.hpp"

namespace kaname::earth::depth_profile_test {
namespace {

constexpr const char* kNd =
    "  0.0 5.8 3.4 2.7 1456.0 600.0\n 20.0 5.8 3.4 2.7 1456.0 600.0\nmoho\n"
    " 20.0 8.0 4.5 3.3 1456.0 600.0\n120.0 8.4 4.7 3.5 195.0 80.0\nouter-core\n"
    "120.0 8.0 0.0 9.9 57822.0 0.0\n200.0 8.0 0.0 9.9 57822.0 0.0\n";

class ProfileFile : public testing::Test {
protected:
    std::string write(const std::string& name, const std::string& text) const {
        const std::string path = (folder_.path() / name).string();
        std::ofstream(path) << text;
        return path;
    }
    void expect_refusal(const std::string& name, const std::string& text,
                        const std::string& part) const {
        try {
            (void)read_depth_profile(write(name, text));
            ADD_FAILURE() << "no error for " << text;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
                << part << " is not in:\n"
                << error.what();
        }
    }
    TemporaryFolder folder_;
};

TEST_F(ProfileFile, TheThreeKindsHoldTheSame) {
    const DepthProfile nd = read_depth_profile(write("a.nd", kNd));
    const DepthProfile tvel = read_depth_profile(
        write("a.tvel", "Model - P\n1 2 3 4\n0 5.8 3.4 2.7\n20 5.8 3.4 2.7\n20 8.0 4.5 3.3\n"));
    const DepthProfile csv = read_depth_profile(
        write("a.csv", "# by hand\nvs,vp,density,depth_km\n3.4,5.8,2.7,0\n3.4,5.8,2.7,20\n"));

    ASSERT_EQ(nd.rows.size(), 6U);
    ASSERT_EQ(tvel.rows.size(), 3U);
    for (const DepthProfile* profile : {&nd, &tvel, &csv}) {
        EXPECT_EQ(profile->rows[1].depth_m, 20e3);
        EXPECT_EQ(profile->rows[1].speeds.vp_m_per_s, 5800.0);
        EXPECT_EQ(profile->rows[1].speeds.vs_m_per_s, 3400.0);
        EXPECT_EQ(profile->rows[1].speeds.density_kg_per_m3, 2700.0);
    }
}

TEST_F(ProfileFile, NamesWhatIsWrong) {
    expect_refusal("a.txt", kNd, "must be .nd, .tvel or .csv");
    expect_refusal("a.nd", "0 5 3 2.7\n-1 5 3 2.7\n", ":2: depth must not decrease");
    expect_refusal("a.nd", "0 5 3\n", ":1: must have depth, vp, vs and density");
    expect_refusal("a.nd", "0 5 nan 2.7\n", ":1: vs: 'nan'");
    expect_refusal("a.nd", "0 -5 3 2.7\n", "must have vp > 0");
    expect_refusal("a.nd", "moho\n", "holds no row");
    expect_refusal("a.csv", "depth_km,vp,vs\n0,5,3\n", "density is missing");
    expect_refusal("a.csv", "vp,vs,rho\n5,3,2\n", "depth_km and depth_m");
}

TEST_F(ProfileFile, MeanIsTheIntegralOverTheThickness) {
    const DepthProfile profile = read_depth_profile(write("a.nd", kNd));

    EXPECT_NEAR(profile.mean(-5e3, 10e3).vp_m_per_s, 5800.0, 1e-9);
    // 10 km at 5.8 and 50 km from 8.0 to 8.2 km/s
    EXPECT_NEAR(profile.mean(10e3, 70e3).vp_m_per_s, (10 * 5800.0 + 50 * 8100.0) / 60.0, 1e-9);
    EXPECT_NEAR(profile.mean(110e3, 120e3).density_kg_per_m3, 3490.0, 1e-9);
    EXPECT_NEAR(profile.mean(300e3, 400e3).density_kg_per_m3, 9900.0, 1e-9);
}

TEST_F(ProfileFile, StepsKeepJumpsAndHalveWhereItVariesMost) {
    const DepthProfile profile = read_depth_profile(write("a.nd", kNd));

    const std::vector<double> few = cut_profile(profile, 0.0, 100e3, 2);
    const std::vector<double> more = cut_profile(profile, 0.0, 100e3, 4);
    const std::vector<double> all = cut_profile(profile, 0.0, 100e3, 1000);

    EXPECT_EQ(few, (std::vector<double>{0.0, 20e3, 100e3}));
    EXPECT_EQ(more.size(), 5U);
    EXPECT_EQ(more[1], 20e3);  // the constant crust is never cut
    EXPECT_EQ(more[3], 60e3);
    EXPECT_GT(all.size(), 8U);
    EXPECT_LT(all.size(), 40U);
    try {
        (void)cut_profile(profile, 0.0, 150e3, 2);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("must be at least 3"), std::string::npos);
    }
}

}  // namespace
}  // namespace kaname::earth::depth_profile_test
