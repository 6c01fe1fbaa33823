// SPDX-License-Identifier: BSD-3-Clause
// Coulomb stress on receiver faults at places around a thrust whose slip is smooth, against
// dislocations in a half-space (Okada 1992) whose gradients are differences.
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>

#include "solvers/earth/projection.hpp"
#include "tests/convergence/dataset_fixture.hpp"
#include "tests/support/okada.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence::receiver_stress_test {
namespace {

constexpr double kLambda_pa = 45e9, kMu_pa = 30e9;
constexpr double kLength_m = 16e3, kWidth_m = 8e3, kTop_m = 2828.427;
constexpr double kStrike_deg = 60.0, kDip_deg = 50.0, kRake_deg = 70.0, kFriction = 0.4;

/// Slip at parts of length and width: nothing at the edges.
double slip_m(double along, double down) {
    return std::pow(std::sin(std::numbers::pi * along) * std::sin(std::numbers::pi * down), 2);
}

class ReceiverStress : public Dataset {
protected:
    void SetUp() override {
        Dataset::SetUp();
        job_.region = {0.0, 0.0, 480e3, 480e3, 240e3, 0.0};
        job_.structure.materials = {{"rock", kLambda_pa, kMu_pa, 0.0, {}}};
        job_.mesh.size_far_m = 90e3;
        job_.mesh.growth = 0.3;
        job_.output.surface = false;
        const earth::Projection projection({0.0, 0.0});
        const earth::LonLat top = projection.inverse({0.0, -kTop_m});
        jobs::PlaneGeometry plane;
        plane.centre_lon_deg = top.lon_deg;
        plane.centre_lat_deg = top.lat_deg;
        plane.top_depth_m = kTop_m;
        plane.strike_deg = 90.0;
        plane.dip_deg = 45.0;
        plane.length_m = kLength_m;
        plane.width_m = kWidth_m;
        job_.fault = plane;
        job_.patches = {};
        job_.stations = {{"far", 0.5, 0.5, std::nullopt, "stations[0]"}};
        jobs::SlipModelSource model;
        model.id = model.field = model.key = "thrust";
        model.path = path("slip.csv");
        model.format = "points";
        write_slip(model.path);
        jobs::Scenario scenario;
        scenario.total_id = "total";
        scenario.models = {model};
        scenario.events.resize(1);
        scenario.events[0].name = "thrust";
        scenario.volume.epochs_s = {0.0};
        for (const Vec3& at : kPlaces) {
            const earth::LonLat place = projection.inverse({at.x, at.y});
            scenario.volume.receivers.push_back(
                {.name = "p" + std::to_string(scenario.volume.receivers.size()),
                 .strike_deg = kStrike_deg,
                 .dip_deg = kDip_deg,
                 .rake_deg = kRake_deg,
                 .friction = kFriction,
                 .at = {{place.lon_deg, place.lat_deg, -at.z}}});
        }
        job_.scenario = scenario;
    }
    static void write_slip(const std::string& file) {
        constexpr int kAlong = 81, kDown = 41;
        std::ofstream out(file);
        out << "x_m,y_m,z_m,strike_slip_m,dip_slip_m\n";
        for (int i = 0; i < kAlong; ++i) {
            for (int j = 0; j < kDown; ++j) {
                const double along = i / (kAlong - 1.0), down = j / (kDown - 1.0);
                const double deeper_m = down * kWidth_m * std::numbers::sqrt2 / 2.0;
                out << (along - 0.5) * kLength_m << "," << -kTop_m - deeper_m << ","
                    << -kTop_m - deeper_m << ",0," << slip_m(along, down) << "\n";
            }
        }
    }
    /// Coulomb stress [Pa], n . S . d + friction n . S . n.
    static double coulomb_pa(const test::OkadaPatches& patches, const Vec3& x) {
        const test::OkadaMedium medium = test::okada_medium(kLambda_pa, kMu_pa);
        constexpr double kStep_m = 30.0;
        double slope[3][3];
        for (int j = 0; j < 3; ++j) {
            Vec3 step;
            step[j] = kStep_m;
            const Vec3 u = (0.5 / kStep_m) * (patches.displacement(medium, x + step)[1] -
                                              patches.displacement(medium, x - step)[1]);
            for (int i = 0; i < 3; ++i) {
                slope[i][j] = u[i];
            }
        }
        const double strike = kStrike_deg * kDegree, dip = kDip_deg * kDegree,
                     rake = kRake_deg * kDegree;
        const Vec3 normal{std::cos(strike) * std::sin(dip), -std::sin(strike) * std::sin(dip),
                          std::cos(dip)};
        const Vec3 up_dip{-std::cos(strike) * std::cos(dip), std::sin(strike) * std::cos(dip),
                          std::sin(dip)};
        const Vec3 slip = std::cos(rake) * Vec3{std::sin(strike), std::cos(strike), 0.0} +
                          std::sin(rake) * up_dip;
        const double pressure = kLambda_pa * (slope[0][0] + slope[1][1] + slope[2][2]);
        const Vec3 across = slip + kFriction * normal;
        double sum = pressure * dot(normal, across);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                sum += kMu_pa * (slope[i][j] + slope[j][i]) * normal[i] * across[j];
            }
        }
        return sum;
    }

    static constexpr std::array<Vec3, 6> kPlaces = {Vec3{0, -5e3, -12e3}, {6e3, 6e3, -5e3},
                                                    {12e3, -6e3, -6e3},   {-4e3, -14e3, -9e3},
                                                    {0, 8e3, -3e3},       {9e3, -12e3, -12e3}};
};

TEST_F(ReceiverStress, AtPlacesNearPatchesIsOkadas) {
    constexpr int kColumns = 20, kRows = 16;
    const test::OkadaPatches patches(
        {{0.0, -kTop_m, -kTop_m}, 90.0 * kDegree, 45.0 * kDegree, kLength_m, kWidth_m}, kColumns,
        kRows,
        [](int column, int row) { return slip_m((column + 0.5) / kColumns, (row + 0.5) / kRows); });
    job_.mesh.size_at_fault_m = kWidth_m / 3.0;

    const GreensDataset data = run();

    ASSERT_EQ(data.volume->receivers.size(), kPlaces.size());
    for (std::size_t k = 0; k < kPlaces.size(); ++k) {
        const double right = coulomb_pa(patches, kPlaces[k]);
        const double off = data.volume->receivers[k].coulomb_pa.at(0) / right - 1.0;
        RecordProperty("p" + std::to_string(k) + "_percent", std::to_string(100.0 * off));
        EXPECT_LT(std::abs(off), 0.05) << k << ": " << right << " Pa";
        EXPECT_GT(std::abs(right), 20e3) << k;
        EXPECT_GT(data.volume->receivers[k].coulomb_error_pa.at(0), 0.0) << k;
    }
}

}  // namespace
}  // namespace kaname::convergence::receiver_stress_test

#endif
