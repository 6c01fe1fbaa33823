// SPDX-License-Identifier: BSD-3-Clause
// Submits one block of a source to every kind of request that takes one: the moment is the same.
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>

#include "proto/request/ader_dg/load_seismic_waves.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/slip_places.hpp"
#include "proto/request/greens/slip_size.hpp"
#include "proto/request/rupture/load_rupture.hpp"
#include "proto/request/voxel_fem/load_voxel_waves.hpp"
#include "solvers/base/files.hpp"

namespace kaname::request::one_source_test {
namespace {

constexpr double kMagnitude = 6.5;
const std::string kAngles = "strike_deg: 40, dip_deg: 30, rake_deg: 70";
const std::string kSides = "length_km: 20, width_km: 10, " + kAngles;
/// The upper edge lies at 9.5 km, the lower one at 14.5 km: half a kilometre of soil.
const std::string kPatches = "patches: [{centre: {lon_deg: 142, lat_deg: 38, depth_km: 12}, " +
                             kSides + ", magnitude: 6.5}]";
const std::string kPoint = "at: {lon_deg: 142, lat_deg: 38, depth_km: 12}, double_couple: {" +
                           kAngles + ", magnitude: 5.5}";

const std::string kRock = R"(name: quake
region: {centre_lon_deg: 142, centre_lat_deg: 38, size_east_km: 120, size_north_km: 120, depth_km: 60}
structure:
  materials:
    - {name: soil, vp_km_per_s: 4, vs_km_per_s: 2, density_g_per_cm3: 2.5}
    - {name: rock, vp_km_per_s: 6, vs_km_per_s: 3.464, density_g_per_cm3: 2.7}
  layers:
    - {material: soil, bottom_depth_km: 10}
    - {material: rock}
)";
constexpr double kSoil_pa = 2.5e3 * 2e3 * 2e3, kRock_pa = 2.7e3 * 3464.0 * 3464.0;
constexpr double kMean_pa = 0.1 * kSoil_pa + 0.9 * kRock_pa;

std::string scenario(const std::string& source) {
    std::string rock = kRock;  // the box is chosen
    rock.erase(rock.find("region"), rock.find("structure") - rock.find("region"));
    return "schema: kaname.v1.Scenario\n" + rock + "stations: {list: [{id: A, lon_deg: 142.3, " +
           "lat_deg: 38.1}]}\nevents:\n  - {name: quake, " + source + "}\n";
}
std::string seismic(const std::string& source) {
    return "schema: kaname.v1.SeismicWaves\n" + kRock +
           "mesh: {max_frequency_hz: 0.2}\ntime: {end_s: 60}\nreceivers: [{id: A, at: {lon_deg: " +
           "142.3, lat_deg: 38.1}}]\nsources:\n  - {id: quake, time_function: {kind: cosine, " +
           "duration_s: 8}, " + source + "}\n";
}
/// A rupture beside which the source radiates.
std::string ruptured(const std::string& source) {
    std::string text = seismic(source);
    text.replace(text.find("SeismicWaves"), std::string("SeismicWaves").size(), "Rupture");
    return text +
           "faults:\n  - {id: main, plane: {at: {lon_deg: 142, lat_deg: 38}, top_depth_km: 2, "
           "strike_deg: 0, dip_deg: 90, length_km: 20, width_km: 5}, friction: {static: 0.6, "
           "dynamic: 0.5, slip_weakening_m: 0.4}, stress: {normal_mpa: -120, strike_mpa: 70}}\n";
}
std::string voxels(const std::string& source) {
    return "schema: kaname.v1.VoxelWaves\n" + kRock +
           "model: {spacing_km: 2}\ntime: {end_s: 60}\nreceivers: [{id: A, at: {lon_deg: 142.3, " +
           "lat_deg: 38.1, depth_m: 0}}]\nsources:\n  - {id: quake, time_function: {kind: " +
           "smoothed_step, duration_s: 8}, " + source + "}\n";
}

double scalar_moment(const v1::MomentTensor& m) {
    return std::sqrt(
        0.5 * (m.xx_n_m() * m.xx_n_m() + m.yy_n_m() * m.yy_n_m() + m.zz_n_m() * m.zz_n_m()) +
        m.yz_n_m() * m.yz_n_m() + m.xz_n_m() * m.xz_n_m() + m.xy_n_m() * m.xy_n_m());
}

class OneSource : public testing::Test {
protected:
    template <class Message>
    Message load(const Kind& kind, const std::string& text) const {
        write_file(folder_.path() / "spec.yaml", text);
        return dynamic_cast<const Message&>(kind.load(folder_.path() / "spec.yaml")->message());
    }
    /// "field: message" of the first rule that is broken.
    std::string broken(const Kind& kind, const std::string& text) const {
        write_file(folder_.path() / "spec.yaml", text);
        try {
            (void)kind.load(folder_.path() / "spec.yaml");
        } catch (const ValidationError& error) {
            return error.violations()[0].field + ": " + error.violations()[0].message;
        }
        return "";
    }
    std::size_t n_broken(const Kind& kind, const std::string& text) const {
        write_file(folder_.path() / "spec.yaml", text);
        try {
            (void)kind.load(folder_.path() / "spec.yaml");
        } catch (const ValidationError& error) {
            return error.violations().size();
        }
        return 0;
    }
    v1::SlipRectangle of_scenario(const std::string& source) const {
        return load<v1::GreensBatch>(greens_kind(), scenario(source)).events(0).patches(0);
    }
    TemporaryFolder folder_;
};

/// Nanometres of slip, and places to a tenth of a millimetre.
void expect_same(const v1::SlipRectangle& a, const v1::SlipRectangle& b) {
    EXPECT_NEAR(a.slip_m(), b.slip_m(), 1e-9);
    EXPECT_NEAR(a.lon_deg(), b.lon_deg(), 1e-9);
    EXPECT_NEAR(a.lat_deg(), b.lat_deg(), 1e-9);
    EXPECT_NEAR(a.depth_m(), b.depth_m(), 1e-6);
}

TEST_F(OneSource, ARectangleHasTheSameMomentInEveryKind) {
    const v1::SlipRectangle static_slip = of_scenario(kPatches);
    const auto waves = load<v1::SeismicWaves>(seismic_waves_kind(), seismic(kPatches));
    const auto blocks = load<v1::VoxelWaves>(voxel_waves_kind(), voxels(kPatches));
    const double area_m2 = 20e3 * 10e3;

    EXPECT_NEAR(static_slip.slip_m() * area_m2 * kMean_pa / moment_of(kMagnitude), 1.0, 1e-12);
    EXPECT_FALSE(static_slip.has_magnitude());
    expect_same(waves.sources(0).patches(0), static_slip);
    expect_same(blocks.sources(0).patches(0), static_slip);
}

TEST_F(OneSource, APatchOfAPlaneIsThatRectangle) {
    const auto waves = load<v1::SeismicWaves>(
        seismic_waves_kind(),
        seismic("patch: {plane: {centre: {lon_deg: 142, lat_deg: 38, depth_km: 12}, strike_deg: "
                "40, dip_deg: 30, length_km: 20, width_km: 10}, rake_deg: 70, magnitude: 6.5}"));
    const v1::SeismicPatch& patch = waves.sources(0).patch();
    EXPECT_NEAR(patch.slip_m(), of_scenario(kPatches).slip_m(), 1e-9);
    EXPECT_FALSE(patch.has_magnitude());
    EXPECT_NEAR(patch.plane().top_depth_m(), 9500.0, 1e-6);
    // From the middle of its upper edge back to the centre.
    const LonLat centre = moved_to({patch.plane().centre_lon_deg(), patch.plane().centre_lat_deg()},
                                   130.0, 5e3 * std::cos(std::acos(-1.0) / 6.0));
    EXPECT_NEAR(centre.lon_deg, 142.0, 2e-5);
    EXPECT_NEAR(centre.lat_deg, 38.0, 2e-5);
}

TEST_F(OneSource, APointHasTheSameMomentInEveryKind) {
    const double moment_nm = moment_of(5.5);
    const v1::SlipRectangle square = of_scenario(kPoint);
    const auto waves = load<v1::SeismicWaves>(seismic_waves_kind(), seismic(kPoint));
    const auto blocks = load<v1::VoxelWaves>(voxel_waves_kind(), voxels(kPoint));

    EXPECT_NEAR(square.length_m(), 2400.0, 1e-9);
    EXPECT_NEAR(square.slip_m() * square.length_m() * square.width_m() * kRock_pa / moment_nm, 1.0,
                1e-12);
    EXPECT_NEAR(scalar_moment(waves.sources(0).moment()) / moment_nm, 1.0, 1e-12);
    EXPECT_EQ(waves.sources(0).moment().SerializeAsString(),
              blocks.sources(0).moment().SerializeAsString());
    EXPECT_FALSE(waves.sources(0).has_double_couple() || blocks.sources(0).has_double_couple());
}

TEST_F(OneSource, ARupturesSourcesAreThoseOfSeismicWaves) {
    for (const std::string& source :
         {kPatches, kPoint,
          std::string("at: {lon_deg: 142, lat_deg: 38, depth_km: 12}, moment: {xx_n_m: 1e17}, "
                      "force: {x_n: 1e9}"),
          std::string("patch: {plane: {centre: {lon_deg: 142, lat_deg: 38, depth_km: 12}, "
                      "length_km: 20, width_km: 10, strike_deg: 40, dip_deg: 30}, magnitude: "
                      "6.5}")}) {
        const auto waves = load<v1::SeismicWaves>(seismic_waves_kind(), seismic(source));
        const auto beside = load<v1::Rupture>(rupture_kind(), ruptured(source));
        ASSERT_EQ(beside.sources_size(), 1);
        EXPECT_EQ(beside.sources(0).SerializeAsString(), waves.sources(0).SerializeAsString())
            << source;
    }
}

TEST_F(OneSource, AMomentTensorIsOneBlockInEveryKind) {
    const std::string tensor =
        "at: {lon_deg: 142, lat_deg: 38, depth_km: 12}, moment: {xx_n_m: 1e17, yz_n_m: -2e16}";
    const auto event = load<v1::GreensBatch>(greens_kind(), scenario(tensor)).events(0);
    const auto waves = load<v1::SeismicWaves>(seismic_waves_kind(), seismic(tensor));
    const auto blocks = load<v1::VoxelWaves>(voxel_waves_kind(), voxels(tensor));
    EXPECT_EQ(event.moment().SerializeAsString(), waves.sources(0).moment().SerializeAsString());
    EXPECT_EQ(event.moment().SerializeAsString(), blocks.sources(0).moment().SerializeAsString());
    EXPECT_EQ(event.at().SerializeAsString(), waves.sources(0).at().SerializeAsString());

    const auto batch = load<v1::GreensBatch>(greens_kind(), scenario(tensor));
    EXPECT_GE(batch.mesh().size_at_fault_m(), 12e3 / 16.0 * 0.95) << "by its depth";
    EXPECT_LE(batch.mesh().size_at_fault_m(), 12e3 / 6.0);
    EXPECT_GT(batch.region().size_east_m(), 100e3) << "a box is chosen";

    const auto refused = [&](const std::string& old, const std::string& now) {
        std::string changed = tensor;
        changed.replace(changed.find(old), old.size(), now);
        return broken(greens_kind(), scenario(changed));
    };
    EXPECT_NE(refused("moment: {xx_n_m: 1e17, yz_n_m: -2e16}", "moment: {}")
                  .find("events[0].moment: must have a component that is not 0"),
              std::string::npos);
    EXPECT_NE(refused("depth_km: 12", "depth_km: 0").find("events[0].at.depth_m: must be > 0"),
              std::string::npos);
    EXPECT_NE(refused("at: {lon_deg: 142, lat_deg: 38, depth_km: 12}, ", "").find("events[0].at."),
              std::string::npos);
    EXPECT_NE(refused("moment:", "interpolation: constant, moment:")
                  .find("events[0].interpolation: must be left out"),
              std::string::npos);
    EXPECT_NE(refused("moment:", kPatches + ", moment:")
                  .find("exactly one of slip_model, patches, double_couple and moment"),
              std::string::npos);
}

TEST_F(OneSource, ADoubleCoupleIsTheTensorOfItsSlipAndNormal) {
    v1::DoubleCouple couple;
    couple.set_strike_deg(90.0);
    couple.set_dip_deg(45.0);
    couple.set_rake_deg(90.0);
    couple.set_moment_n_m(2.0);
    v1::MomentTensor reverse;
    ASSERT_TRUE(settle_couple(couple, 0.0, reverse));
    EXPECT_NEAR(reverse.yy_n_m(), -2.0, 1e-12);  // pressed from north to south
    EXPECT_NEAR(reverse.zz_n_m(), 2.0, 1e-12);
    couple.set_strike_deg(0.0);
    couple.set_dip_deg(90.0);
    couple.set_rake_deg(0.0);
    v1::MomentTensor left_lateral, turned;
    ASSERT_TRUE(settle_couple(couple, 0.0, left_lateral));
    EXPECT_NEAR(left_lateral.xy_n_m(), 2.0, 1e-12);
    ASSERT_TRUE(settle_couple(couple, 45.0, turned));  // y is the northeast
    EXPECT_NEAR(turned.xy_n_m(), 0.0, 1e-12);
    EXPECT_NEAR(std::abs(turned.xx_n_m()), 2.0, 1e-12);
}

TEST_F(OneSource, CentreAndTopCentreAreOneRectangle) {
    const v1::SlipRectangle by_centre = of_scenario(kPatches);
    const LonLat top = moved_to({142.0, 38.0}, -50.0, 5e3 * std::cos(std::acos(-1.0) / 6.0));
    v1::SlipRectangle by_top = of_scenario("patches: [{top_centre: {lon_deg: " + show(top.lon_deg) +
                                           ", lat_deg: " + show(top.lat_deg) +
                                           ", depth_km: 9.5}, " + kSides + ", magnitude: 6.5}]");
    // The strike counts at the centre; meridians converge by 0.02 degrees from there.
    EXPECT_NEAR(by_top.lon_deg(), 142.0, 2e-5);
    EXPECT_NEAR(by_top.lat_deg(), 38.0, 2e-5);
    EXPECT_NEAR(by_top.depth_m(), 12e3, 1e-6);
    const v1::SlipRectangle older =
        of_scenario("patches: [{lon_deg: 142, lat_deg: 38, depth_km: 12, " + kSides +
                    ", slip_m: " + show(by_centre.slip_m()) + "}]");
    expect_same(by_centre, older);
}

TEST_F(OneSource, AFaultAndARupturesPlaneTakeBothPoints) {
    const std::string plane = "strike_deg: 40, dip_deg: 30, length_km: 20, width_km: 10";
    const auto batch = load<v1::GreensBatch>(
        greens_kind(), "schema: kaname.v1.GreensBatch\n" + kRock +
                           "stations: {list: [{id: A, lon_deg: 142.3, lat_deg: 38.1}]}\n" +
                           "fault: {plane: {centre: {lon_deg: 142, lat_deg: 38, depth_km: 12}, " +
                           plane + "}}\n");
    EXPECT_NEAR(batch.fault().plane().top_depth_m(), 9500.0, 1e-6);
    const auto ruptured = [&](const std::string& point) {
        return load<v1::Rupture>(
                   rupture_kind(),
                   "schema: kaname.v1.Rupture\n" + kRock +
                       "mesh: {max_frequency_hz: 0.2}\ntime: {end_s: 60}\nreceivers: [{id: A, at: "
                       "{lon_deg: 142.3, lat_deg: 38.1}}]\nfaults:\n  - {id: main, plane: {" +
                       point + ", " + plane +
                       "}, friction: {static: 0.6, dynamic: 0.5, slip_weakening_m: 0.4}, stress: "
                       "{normal_mpa: -120, strike_mpa: 70}}\n")
            .faults(0)
            .plane();
    };
    const v1::RupturePlane settled = ruptured("centre: {lon_deg: 142, lat_deg: 38, depth_km: 12}");
    EXPECT_EQ(settled.at().lon_deg(), batch.fault().plane().centre_lon_deg());
    EXPECT_NEAR(settled.top_depth_m(), 9500.0, 1e-6);
    const v1::RupturePlane top = ruptured("top_centre: {lon_deg: 142, lat_deg: 38, depth_km: 3}");
    EXPECT_EQ(top.at().lon_deg(), 142.0);
    EXPECT_EQ(top.top_depth_m(), 3000.0);
}

TEST_F(OneSource, SizesThatAreAbsurdOrTwiceGivenAreRefused) {
    const auto patch = [](const std::string& size) {
        return scenario("patches: [{centre: {lon_deg: 142, lat_deg: 38, depth_km: 12}, " + kSides +
                        size + "}]");
    };
    const std::string field = "events[0].patches[0]";
    EXPECT_EQ(broken(greens_kind(), patch(", slip_m: 1, magnitude: 6")),
              field + ".magnitude: excludes slip_m; keep one (line 12)");
    EXPECT_EQ(broken(greens_kind(), patch("")),
              field + ".slip_m: must be given, or magnitude in its place");
    EXPECT_NE(broken(greens_kind(), patch(", magnitude: 8.5")).find("slip of at most 100 m"),
              std::string::npos);
    EXPECT_NE(broken(greens_kind(), patch(", magnitude: 65")).find("in -3..10.5, got 65"),
              std::string::npos);
    EXPECT_NE(broken(greens_kind(), scenario("at: {lon_deg: 142, lat_deg: 38, depth_km: 5}, "
                                             "double_couple: {" +
                                             kAngles + ", magnitude: 7.5}"))
                  .find("too large for a point"),
              std::string::npos);
    EXPECT_NE(broken(seismic_waves_kind(), seismic(kPoint + ", moment: {xx_n_m: 1}"))
                  .find("excludes moment"),
              std::string::npos);
}

TEST_F(OneSource, PointsThatAreTwiceGivenOrAboveTheGroundAreRefused) {
    const auto patch = [](const std::string& place) {
        return scenario("patches: [{" + place + kSides + ", slip_m: 1}]");
    };
    const std::string field = "events[0].patches[0].centre";
    EXPECT_NE(broken(greens_kind(), patch("lon_deg: 142, centre: {lon_deg: 142, lat_deg: 38, "
                                          "depth_km: 12}, "))
                  .find(field + ": excludes lon_deg, lat_deg and depth_m; keep one (line 12)"),
              std::string::npos);
    EXPECT_NE(broken(greens_kind(), patch("centre: {lon_deg: 142, lat_deg: 38, depth_km: 2}, "))
                  .find(".depth_m: must be at least half the width down the dip, 2.5"),
              std::string::npos)
        << broken(greens_kind(), patch("centre: {lon_deg: 142, lat_deg: 38, depth_km: 2}, "));
    const std::string american = scenario(
        "patches: [{top_center: {lon_deg: 142, lat_deg: 38, "
        "depth_km: 12}, " +
        kSides + ", slip_m: 1}]");
    EXPECT_NE(broken(greens_kind(), american).find("did you mean top_centre?"), std::string::npos);
    EXPECT_EQ(n_broken(greens_kind(), american), 1U);
    EXPECT_NE(broken(greens_kind(), patch("centre: {lon_deg: 142, lat_deg: 38}, "))
                  .find(field + ".depth_m: must be given"),
              std::string::npos);
}

}  // namespace
}  // namespace kaname::request::one_source_test
