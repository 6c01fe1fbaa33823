// SPDX-License-Identifier: BSD-3-Clause
#include "proto/request/ader_dg/seismic_green.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "solvers/base/files.hpp"

namespace kaname::request::seismic_green_test {
namespace {

const std::string kHead = R"(schema: kaname.v1.SeismicWaves
name: green
structure:
  materials: [{name: rock, vp_km_per_s: 6, vs_km_per_s: 3.464, density_g_per_cm3: 2.7}]
  layers: [{material: rock}]
mesh: {max_frequency_hz: 1}
receivers:
  - {id: R1, at: {x_km: 0.6, y_km: 0.8}}
  - {id: R2, at: {x_km: -0.6, y_km: 0.8}}
time: {end_s: 9}
)";
const std::string kBox = "box: {size_x_km: 6, size_y_km: 5, depth_km: 4}\n";
const std::string kRegion =
    "region: {centre_lon_deg: 138, centre_lat_deg: 36, size_east_km: 60, size_north_km: 60, "
    "depth_km: 30}\n";
const std::string kPulse = "time_function: {kind: gaussian, width_s: 0.4}";
const std::string kPoints = "points: [{id: P, at: {x_km: 0, y_km: 0, z_km: -2}}]";
const std::string kPlane =
    "plane: {centre_lon_deg: 138, centre_lat_deg: 36, top_depth_km: 2, strike_deg: 30, dip_deg: "
    "40, length_km: 12, width_km: 9, n_strike: 3, n_dip: 2}";

std::string with(const std::string& where, const std::string& green) {
    return kHead + where + "green: {" + green + "}\n";
}

class SeismicGreen : public testing::Test {
protected:
    std::unique_ptr<Request> load(const std::string& text) const {
        write_file(folder_.path() / "spec.yaml", text);
        return seismic_waves_kind().load(folder_.path() / "spec.yaml");
    }
    v1::SeismicWaves message(const std::string& text) const {
        return dynamic_cast<const v1::SeismicWaves&>(load(text)->message());
    }
    /// Labels of the tasks that solve.
    std::vector<std::string> solved(const std::string& text) const {
        std::vector<std::string> labels;
        for (const Task& task : load(text)->graph().tasks) {
            if (task.source) {
                labels.push_back(task.label);
            }
        }
        return labels;
    }
    std::vector<std::string> keys(const std::string& text) const {
        std::vector<std::string> found;
        for (const Task& task : load(text)->graph().tasks) {
            if (task.source) {
                found.push_back(task.key);
            }
        }
        return found;
    }
    /// Just this rule is broken.
    void expect(const std::string& text, const std::string& field, const std::string& rule) const {
        try {
            (void)load(text);
            ADD_FAILURE() << "nothing is wrong with " << text;
        } catch (const ValidationError& error) {
            ASSERT_EQ(error.violations().size(), 1U) << error.violations().back().field;
            EXPECT_NE(error.violations()[0].field.find(field), std::string::npos)
                << error.violations()[0].field;
            EXPECT_NE(error.violations()[0].message.find(rule), std::string::npos)
                << error.violations()[0].message;
        }
    }

    TemporaryFolder folder_;
};

TEST_F(SeismicGreen, PointsHaveSixComponents) {
    const std::string text = with(kBox, kPoints + ", method: direct, " + kPulse);

    EXPECT_EQ(solved(text),
              (std::vector<std::string>{"P/xx", "P/yy", "P/zz", "P/yz", "P/xz", "P/xy"}));
    const std::vector<ListedSource> sources = listed_sources(message(text));
    EXPECT_EQ(sources[3].source.moment().yz_n_m(), 1e15);
    EXPECT_EQ(sources[3].source.moment().xx_n_m(), 0.0);
    EXPECT_EQ(sources[3].source.time_function().kind(), "gaussian");
    EXPECT_EQ(sources[3].field, "green.points[0]");
    EXPECT_FALSE(message(text).output().peak_ground_velocity());
}

TEST_F(SeismicGreen, GridsGoFromCornerToCorner) {
    const std::string text = with(
        kBox,
        "grid: {from: {x_km: -1, y_km: 0, z_km: -1}, to: {x_km: 1, y_km: 0, z_km: -3}, n_x: 3, "
        "n_z: 2}, moments: [xx, yz], moment_n_m: 2e14, method: direct, " +
            kPulse);
    const std::vector<ListedSource> sources = listed_sources(message(text));

    ASSERT_EQ(sources.size(), 12U);
    EXPECT_EQ(count_sources(message(text)), 12);
    EXPECT_EQ(sources[0].source.id(), "g00_00_00/xx");
    EXPECT_EQ(sources[11].source.id(), "g02_00_01/yz");
    EXPECT_DOUBLE_EQ(sources[11].source.at().x_m(), 1000.0);
    EXPECT_DOUBLE_EQ(sources[11].source.at().z_m(), -3000.0);
    EXPECT_EQ(sources[11].source.moment().yz_n_m(), 2e14);
}

TEST_F(SeismicGreen, PatchesSlipAlongStrikeAndDip) {
    const std::string text = with(kRegion, kPlane + ", method: direct, " + kPulse);
    const std::vector<ListedSource> sources = listed_sources(message(text));

    ASSERT_EQ(sources.size(), 12U);
    EXPECT_EQ(count_sources(message(text)), 12);
    EXPECT_EQ(sources[0].source.id(), "s00d00/strike_slip");
    EXPECT_EQ(sources[11].source.id(), "s02d01/dip_slip");
    EXPECT_EQ(sources[11].source.patch().column(), 2U);
    EXPECT_EQ(sources[11].source.patch().row(), 1U);
    EXPECT_EQ(sources[11].source.patch().rake_deg(), 90.0);
    EXPECT_EQ(sources[11].source.patch().slip_m(), 1.0);
}

TEST_F(SeismicGreen, APatchIsASourceOfItsOwnToo) {
    const std::string text = kHead + kRegion + "sources: [{id: A, patch: {" + kPlane +
                             ", column: 2, row: 1, rake_deg: 90, slip_m: 1}, " + kPulse + "}]\n";

    EXPECT_EQ(solved(text), std::vector<std::string>{"A"});
    std::string far = text;
    expect(far.replace(far.find("column: 2"), 9, "column: 3"), "sources[0].patch.column",
           "must be < 3, got 3");
}

TEST_F(SeismicGreen, ForcesAreSolvedWhereTheyAreFewer) {
    const std::string twelve =
        "points: [{id: P, at: {x_km: 0, y_km: 0, z_km: -2}}, {id: Q, at: {x_km: 1, y_km: 0, z_km: "
        "-2}}], ";

    EXPECT_EQ(solved(with(kBox, twelve + kPulse)),
              (std::vector<std::string>{"R1/x", "R1/y", "R1/z", "R2/x", "R2/y", "R2/z"}));
    EXPECT_EQ(solved(with(kBox, kPoints + ", " + kPulse)).size(), 6U) << "as many: the sources";
    EXPECT_EQ(solved(with(kBox, kPoints + ", " + kPulse))[0], "P/xx");
    EXPECT_EQ(solved(with(kBox, kPoints + ", method: reciprocal, " + kPulse))[0], "R1/x");
    EXPECT_EQ(solved(with(kBox, twelve + kPulse) + "output: {peak_ground_velocity: true}\n").size(),
              12U)
        << "the ground's motion is of the sources";
}

TEST_F(SeismicGreen, KeysAreOfWhatIsSolved) {
    const std::string direct = with(kBox, kPoints + ", method: direct, " + kPulse);
    const std::string reciprocal = with(kBox, kPoints + ", method: reciprocal, " + kPulse);
    const std::string fewer =
        with(kBox, kPoints + ", moments: [xy], moment_n_m: 1e13, method: reciprocal, " + kPulse);

    EXPECT_EQ(keys(reciprocal), keys(fewer)) << "the forces' strains are the same";
    EXPECT_NE(keys(direct)[0], keys(reciprocal)[0]);
    EXPECT_EQ(keys(with(kRegion, kPlane + ", method: reciprocal, " + kPulse)),
              keys(with(kRegion, kPlane + ", slip_m: 3, method: reciprocal, " + kPulse)));
    const std::vector<std::string> forces = keys(reciprocal);
    EXPECT_EQ(std::set<std::string>(forces.begin(), forces.end()).size(), 6U) << "each its own";
    EXPECT_EQ(keys(with(kBox, kPoints + ", moments: [xx, yy], method: direct, " + kPulse))[0],
              keys(direct)[0])
        << "a unit source does not depend on the others";
}

TEST_F(SeismicGreen, SaysWhatIsWrong) {
    expect(with(kBox, kPulse), "green", "points, a grid or a plane");
    expect(with(kBox, kPoints + ", moments: [xz, zx], " + kPulse), "green.moments[1]", "zx");
    expect(with(kBox, kPoints + ", moments: [xz, xz], " + kPulse), "green.moments[1]", "once");
    expect(with(kBox, kPoints + ", moment_n_m: -1, " + kPulse), "green.moment_n_m", "must be > 0");
    expect(with(kBox, kPoints + ", method: fast, " + kPulse), "green.method", "fast");
    expect(with(kBox, kPlane + ", " + kPulse), "green.plane", "must have a region");
    expect(with(kRegion, kPlane + ", moments: [xx], " + kPulse), "green.moments", "left out");
    expect(with(kBox, kPoints + ", slip_m: 2, " + kPulse), "green.plane", "must be given");
    expect(with(kBox, kPoints + ", method: reciprocal, " + kPulse) + "output: {snapshots_s: [1]}\n",
           "output.snapshots_s", "reciprocal");
    expect(with(kBox, kPoints + ", method: reciprocal, " + kPulse) +
               "output: {peak_ground_velocity: true}\n",
           "output.peak_ground_velocity", "reciprocal");
    expect(with(kBox,
                "grid: {from: {x_km: -1, y_km: 0, z_km: -1}, to: {x_km: 1, y_km: 0, z_km: -3}, "
                "n_x: 30000, n_y: 30000, n_z: 30000}, " +
                    kPulse),
           "green", "at most 100000 sources");
    expect(with(kBox, kPoints + ", " + kPulse) +
               "sources: [{id: A, at: {x_km: 0, y_km: 0, z_km: -2}, force: {z_n: 1}, " + kPulse +
               "}]\n",
           "green", "beside sources");
}

}  // namespace
}  // namespace kaname::request::seismic_green_test
