// SPDX-License-Identifier: BSD-3-Clause
// Moment tensors at a point of a half-space, as events of a scenario, against closed forms: slip
// and opening on a very small rectangle (Okada 1992) at once and after relaxation, and a centre of
// dilatation (Mogi 1958).
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "solvers/earth/projection.hpp"
#include "tests/convergence/dataset_fixture.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence::point_moment_test {
namespace {

constexpr double kLon_deg = 135.0;
constexpr double kSource_m = 10e3;  // depth
constexpr double kSide_m = 20.0;    // of the rectangle that stands for the point
constexpr double kMoment_nm = 1e18;
constexpr double kMost = 0.01;  // of the largest motion at that distance

/// The small rectangle about the point, strike north.
test::OkadaFault rectangle(double dip_deg) {
    const double dip = dip_deg * std::numbers::pi / 180.0;
    return {{-0.5 * kSide_m * std::cos(dip), 0.0, -kSource_m + 0.5 * kSide_m * std::sin(dip)},
            0.0,
            dip,
            kSide_m,
            kSide_m};
}

/// Slip of which the rectangle has that moment; of opening that moment is that across it.
constexpr double kSlip_m = kMoment_nm / (kModulus_pa * kSide_m * kSide_m);
constexpr double kOpening_m = kMoment_nm / (3.0 * kModulus_pa * kSide_m * kSide_m);

class PointMoment : public Dataset {
protected:
    void SetUp() override {
        Dataset::SetUp();
        job_.region = {kLon_deg, kLat_deg, 1000e3, 1000e3, 500e3, 0.0};
        job_.fault = jobs::PlaneOfSlipModel{};
        job_.patches = {};
        // Two to four depths away, in directions of no symmetry.
        const earth::Projection projection({kLon_deg, kLat_deg});
        const std::array<std::array<double, 2>, 8> from = {{{20e3, 0.4},
                                                            {20e3, 1.3},
                                                            {20e3, 2.2},
                                                            {20e3, 4.0},
                                                            {30e3, 0.9},
                                                            {30e3, 2.9},
                                                            {40e3, 1.7},
                                                            {40e3, 3.6}}};
        for (const auto& [away_m, azimuth] : from) {
            places_.push_back({away_m * std::sin(azimuth), away_m * std::cos(azimuth), 0.0});
            const earth::LonLat at = projection.inverse({places_.back().x, places_.back().y});
            job_.stations.push_back({"s" + std::to_string(places_.size()), at.lon_deg, at.lat_deg,
                                     std::nullopt, "stations"});
        }
        job_.mesh.size_at_fault_m = 1250.0;
        job_.mesh.size_far_m = 100e3;
        job_.mesh.growth = 0.3;
        job_.output.surface = false;
    }
    void add(const std::string& id, const std::array<double, 6>& moment_nm) {
        if (!job_.scenario) {
            job_.scenario.emplace();
            job_.scenario->total_id = "total";
        }
        jobs::SlipModelSource model;
        model.id = model.field = model.key = id;
        model.moment = {kLon_deg, kLat_deg, kSource_m, moment_nm};
        jobs::ScenarioEvent event;
        event.name = id;
        event.model = static_cast<int>(job_.scenario->models.size());
        job_.scenario->models.push_back(model);
        job_.scenario->events.push_back(event);
    }
    /// Largest error at each distance over the largest motion there.
    double error(const GreensDataset& data, std::size_t event, std::size_t epoch,
                 const std::function<Vec3(const Vec3& x)>& exact) const {
        double worst = 0.0;
        for (const double away_m : {20e3, 30e3, 40e3}) {
            double most = 0.0, off = 0.0;
            for (std::size_t k = 0; k < places_.size(); ++k) {
                if (std::abs(norm(places_[k]) - away_m) < 1.0) {
                    const Vec3 wanted = exact(places_[k]);
                    most = std::max(most, norm(wanted));
                    off = std::max(off, norm(value(data, 1 + event, epoch, k) - wanted));
                }
            }
            worst = std::max(worst, off / most);
        }
        return worst;
    }
    std::vector<Vec3> places_;
};

/// (1 - nu) / pi dV (x, y, d) / R^3, with M = (lambda + 2 mu) dV of each diagonal component.
Vec3 mogi(const Vec3& x) {
    constexpr double kNu = 0.25;
    const double volume_m3 = kMoment_nm / (3.0 * kModulus_pa);
    const double distance_m = std::hypot(x.x, x.y, kSource_m);
    return (1.0 - kNu) / std::numbers::pi * volume_m3 / std::pow(distance_m, 3) *
           Vec3{x.x, x.y, kSource_m};
}

TEST_F(PointMoment, IsSlipOpeningOrADilatationAtAPoint) {
    add("strike-slip", {0.0, 0.0, 0.0, 0.0, 0.0, kMoment_nm});
    add("thrust", {-kMoment_nm, 0.0, kMoment_nm, 0.0, 0.0, 0.0});
    add("dike", {kMoment_nm, kMoment_nm / 3.0, kMoment_nm / 3.0, 0.0, 0.0, 0.0});
    add("dilatation", {kMoment_nm, kMoment_nm, kMoment_nm, 0.0, 0.0, 0.0});
    mesh();
    solve();

    const GreensDataset data = package();

    const test::OkadaMedium medium = test::okada_medium(kModulus_pa, kModulus_pa);
    const auto okada = [&](double dip_deg, const test::OkadaSlip& slip) {
        return [=](const Vec3& x) {
            return test::okada_displacement(rectangle(dip_deg), slip, medium, x);
        };
    };
    EXPECT_LT(error(data, 0, 0, okada(90.0, {kSlip_m, 0.0, 0.0})), kMost);
    EXPECT_LT(error(data, 1, 0, okada(45.0, {0.0, kSlip_m, 0.0})), kMost);
    EXPECT_LT(error(data, 2, 0, okada(90.0, {0.0, 0.0, kOpening_m})), kMost);
    EXPECT_LT(error(data, 3, 0, mogi), kMost);

    ASSERT_EQ(data.events.size(), 4U);
    EXPECT_NEAR(data.events[0].moment_nm / kMoment_nm, 1.0, 1e-12);
    EXPECT_NEAR(data.events[0].mw, (18.0 - 9.1) / 1.5, 1e-12);
    for (const std::size_t source : {0, 1}) {  // their sum, and one of them
        EXPECT_NEAR(data.sources[source].depth_m, kSource_m, 1e-6);
        EXPECT_NEAR(data.sources[source].lon_deg, kLon_deg, 1e-9);
        EXPECT_TRUE(std::isnan(data.sources[source].outline_lat_deg[0])) << "nothing slips";
    }
    EXPECT_NEAR(data.sources[1].potency_m3 * kModulus_pa / kMoment_nm, 1.0, 1e-12);
}

/// The strain at the point stays while its rock relaxes, as slip does.
TEST_F(PointMoment, RelaxesAsSlipDoes) {
    job_.structure.materials = {maxwell_rock()};
    job_.time.end_s = kMaxwellTime_s;
    job_.time.epochs_s = {0.0, job_.time.end_s};
    add("strike-slip", {0.0, 0.0, 0.0, 0.0, 0.0, kMoment_nm});
    add("dike", {kMoment_nm, kMoment_nm / 3.0, kMoment_nm / 3.0, 0.0, 0.0, 0.0});
    mesh();
    solve();

    const GreensDataset data = package();

    const auto relaxed = [](const test::OkadaSlip& slip) {
        return [=](const Vec3& x) {
            return test::maxwell_halfspace(rectangle(90.0), slip, kMaxwell, x, kMaxwellTime_s);
        };
    };
    EXPECT_LT(error(data, 0, 1, relaxed({kSlip_m, 0.0, 0.0})), kMost);
    EXPECT_LT(error(data, 1, 1, relaxed({0.0, 0.0, kOpening_m})), kMost);
    // The motion has changed by much more than that.
    EXPECT_GT(error(data, 0, 0, relaxed({kSlip_m, 0.0, 0.0})), 5.0 * kMost);
}

}  // namespace
}  // namespace kaname::convergence::point_moment_test

#endif
