// SPDX-License-Identifier: BSD-3-Clause
// Twelve made-up layered half-spaces with stations to 500 km from the slip, region and mesh by
// defaults, against the answer of tests/support/layered_halfspace.hpp, which has no mesh. Errors
// are parts of the largest motion at the station's distance, in whatever direction, which is what
// the prediction speaks of: a station near a node of the motion is off by as much as its
// neighbours. At distances beyond 100 km that move by more than a hundredth of the largest motion
// no station is off by more than twice what was predicted for it before the run, the largest
// prediction is at most three times what was found, and without a warning nothing is off by more
// than 3 %.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

#include "tests/convergence/layered_earth.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5) && defined(KANAME_BY_DEFAULTS)

#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/load.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"

namespace kaname::convergence::far_stations_test {
namespace {

constexpr double kElastic = std::numeric_limits<double>::infinity();
constexpr double kYear_s = 31557600.0;

struct Made {
    const char* name;
    std::vector<test::MaxwellLayer> layers;
    test::OkadaFault fault;
    double rake_deg, end_years;
};

test::MaxwellLayer layer(double bottom_km, double lambda_gpa, double mu_gpa,
                         double viscosity_pa_s = kElastic) {
    return {bottom_km > 0.0 ? 1e3 * bottom_km : kElastic, 1e9 * lambda_gpa, 1e9 * mu_gpa,
            viscosity_pa_s, 0.0};
}

test::OkadaFault fault(double top_km, double strike_deg, double dip_deg, double length_km,
                       double width_km) {
    return {{0.0, 0.0, -1e3 * top_km},
            strike_deg * kDegree,
            dip_deg * kDegree,
            1e3 * length_km,
            1e3 * width_km};
}

std::vector<Made> made() {
    return {
        {"lid25_slip_below",
         {layer(25, 36, 36), layer(0, 75, 64, 1e19)},
         fault(40, 330, 60, 100, 48),
         -105,
         50},
        {"lid12", {layer(12, 30, 30), layer(0, 70, 60, 5e18)}, fault(20, 20, 45, 90, 45), 90, 20},
        {"lid40", {layer(40, 40, 40), layer(0, 80, 70, 2e19)}, fault(8, 75, 30, 100, 50), 90, 100},
        {"lid18_strike_slip",
         {layer(18, 35, 33), layer(0, 75, 65, 1e19)},
         fault(6, 140, 80, 120, 40),
         0,
         40},
        {"soft_over_stiff_lid",
         {layer(10, 15, 12), layer(30, 50, 45), layer(0, 78, 67, 1e19)},
         fault(12, 200, 35, 100, 48),
         90,
         40},
        {"stiff_over_soft_lid",
         {layer(15, 60, 55), layer(32, 25, 22), layer(0, 75, 66, 1e19)},
         fault(16, 300, 50, 100, 48),
         75,
         40},
        {"channel",
         {layer(20, 35, 35), layer(45, 60, 55, 3e18), layer(0, 80, 70)},
         fault(6, 10, 40, 90, 40),
         90,
         20},
        {"weak_channel_over_mantle",
         {layer(30, 35, 35), layer(80, 70, 60, 5e18), layer(0, 90, 80, 1e20)},
         fault(10, 110, 30, 110, 50),
         90,
         30},
        {"four_layers",
         {layer(8, 22, 20), layer(20, 36, 34), layer(35, 48, 44), layer(0, 78, 67, 1e19)},
         fault(10, 250, 35, 100, 48),
         90,
         50},
        {"deep_lid_two_mantles",
         {layer(50, 45, 42), layer(200, 80, 70, 2e19), layer(0, 110, 95, 2e20)},
         fault(15, 45, 60, 110, 50),
         -90,
         100},
        {"five_layers",
         {layer(6, 18, 16), layer(16, 30, 28), layer(28, 40, 38), layer(40, 60, 52, 1e20),
          layer(0, 80, 68, 8e18)},
         fault(12, 170, 25, 100, 48),
         90,
         30},
        {"elastic_layers",
         {layer(12, 14, 12), layer(30, 40, 36), layer(0, 78, 67)},
         fault(15, 60, 45, 100, 48),
         60,
         0},
    };
}

class FarStations : public LayeredEarth, public testing::WithParamInterface<std::size_t> {
protected:
    static constexpr double kEquator_deg = 0.0;

    void place_stations() {
        const earth::Projection projection({kLon_deg, kEquator_deg});
        for (int k = 0; k < 36; ++k) {  // evenly by the logarithm of the distance
            const double r = 30e3 * std::pow(500.0 / 30.0, k / 35.0), azimuth = 2.39996 * k;
            places_.push_back({r * std::sin(azimuth), r * std::cos(azimuth), 0.0});
            const auto at = projection.inverse({places_[k].x, places_[k].y});
            stations_ << (k > 0 ? "," : "") << R"({"id":"s)" << k << R"(","lon_deg":)" << at.lon_deg
                      << R"(,"lat_deg":)" << at.lat_deg << "}";
        }
        reach_m_ = 700e3;
    }

    /// The job that a request without region and mesh asks for.
    void describe(const Made& made) {
        stations_.precision(12);
        place_stations();
        std::ostringstream text;
        text.precision(12);
        text << R"({"schema":"kaname.v1.GreensBatch","name":"far","gravity":"none","structure":{)"
             << R"("materials":[)";
        std::string layers;
        for (std::size_t k = 0; k < made.layers.size(); ++k) {
            const test::MaxwellLayer& of = made.layers[k];
            text << (k > 0 ? "," : "") << R"({"name":"m)" << k << R"(","lambda_pa":)"
                 << of.lambda_pa << R"(,"mu_pa":)" << of.mu_pa;
            if (std::isfinite(of.viscosity_pa_s)) {
                text << R"(,"viscosity_pa_s":)" << of.viscosity_pa_s;
            }
            text << "}";
            layers +=
                (k > 0 ? "," : "") + std::string(R"({"material":"m)") + std::to_string(k) + "\"";
            if (std::isfinite(of.bottom_m)) {
                layers += R"(,"bottom_depth_m":)" + std::to_string(of.bottom_m);
            }
            layers += "}";
        }
        text << R"(],"layers":[)" << layers << R"(]},"fault":{"plane":{"centre_lon_deg":)"
             << kLon_deg << R"(,"centre_lat_deg":)" << kEquator_deg << R"(,"top_depth_m":)"
             << -made.fault.top_centre.z << R"(,"strike_deg":)" << made.fault.strike_rad / kDegree
             << R"(,"dip_deg":)" << made.fault.dip_rad / kDegree << R"(,"length_m":)"
             << made.fault.length_m << R"(,"width_m":)" << made.fault.width_m << R"(,"rake_deg":[)"
             << made.rake_deg << R"(]}},"stations":{"list":[)" << stations_.str()
             << R"(]},"time":{"end_s":)" << made.end_years * kYear_s << R"(,"epochs_s":[0)";
        for (const double part : {0.1, 1.0}) {
            if (made.end_years > 0.0) {
                text << "," << part * made.end_years * kYear_s;
            }
        }
        text << "]}}";
        const std::string file = path("far.json");
        std::ofstream(file) << text.str();
        request::LoadedBatch loaded = request::load_batch_json(file);
        chosen_ = loaded.chosen;
        job_ = compute::job_from_request(loaded, request::canonical_json(loaded.batch));
        medium_.layers = made.layers;
        medium_.gravity_m_s2 = 0.0;
        jobs::build_volumes(job_);
        predicted_ = jobs::JobGeometry(job_).predicted_errors();
    }

    /// The largest motion right after the slip and change since, in any direction, at the distance
    /// of each station: [station][epoch].
    [[nodiscard]] std::vector<std::vector<double>> largest_around(
        const test::OkadaFault& fault, const test::OkadaSlip& slip) const {
        constexpr int kDirections = 24;
        std::vector<Vec3> places;
        for (const Vec3& at : places_) {
            for (int k = 0; k < kDirections; ++k) {
                const double turn = 360.0 * kDegree * k / kDirections;
                const double c = std::cos(turn), s = std::sin(turn);
                places.push_back({c * at.x - s * at.y, s * at.x + c * at.y, 0.0});
            }
        }
        const auto moved = test::LayeredHalfspace(medium_, job_.time.epochs_s, reach_m_)
                               .displacement(fault, slip, places);
        std::vector<std::vector<double>> largest(places_.size(),
                                                 std::vector<double>(job_.time.epochs_s.size()));
        for (std::size_t k = 0; k < places.size(); ++k) {
            std::vector<double>& of = largest[k / kDirections];
            for (std::size_t epoch = 0; epoch < of.size(); ++epoch) {
                const Vec3 u = moved[k][epoch] - (epoch > 0 ? moved[k][0] : Vec3{});
                of[epoch] = std::max(of[epoch], norm(u));
            }
        }
        return largest;
    }

    std::optional<jobs::PredictedErrors> predicted_;
    std::ostringstream stations_;
    std::string chosen_;
};

TEST_P(FarStations, MoveAsWithoutAMesh) {
    const Made made = far_stations_test::made()[GetParam()];
    describe(made);
    constexpr double kMost = 0.03, kWarned = 0.02, kMoves = 0.01, kFar_m = 100e3;
    constexpr double kTooLow = 2.0, kTooHigh = 3.0, kExact = 0.003;

    const GreensDataset data = run();

    const double rake = made.rake_deg * kDegree;
    const test::OkadaSlip slip{std::cos(rake), std::sin(rake), 0.0};
    const auto wanted = exact(made.fault, slip, kEquator_deg);
    const auto around = largest_around(made.fault, slip);
    RecordProperty("chosen", chosen_);
    RecordProperty("predicted", predicted_->text());
    RecordProperty("unknowns", std::to_string(data.dof));
    std::array<double, 2> found{}, told{};  // right after the slip, of the change since
    for (std::size_t epoch = 0; epoch < job_.time.epochs_s.size(); ++epoch) {
        const std::size_t since = epoch > 0 ? 1 : 0;
        double largest = 0.0, worst = 0.0, worst_m = 0.0;
        for (const auto& u : around) {
            largest = std::max(largest, u[epoch]);
        }
        std::ostringstream each;  // km, motion and the largest at that distance, error, predicted
        for (std::size_t at = 0; at < places_.size(); ++at) {
            const Vec3 u = value(data, 0, epoch, at) - (since ? value(data, 0, 0, at) : Vec3{});
            const Vec3 right = wanted[at][epoch] - (since ? wanted[at][0] : Vec3{});
            const double off = norm(u - right) / around[at][epoch];
            const double away_m = std::hypot(places_[at].x, places_[at].y);
            const auto& place = predicted_->places()[at];
            const double predicted = (since ? place.since : place.at_once).total();
            each << away_m / 1e3 << " " << norm(right) / largest << " "
                 << around[at][epoch] / largest << " " << off << " " << predicted << "; ";
            if (away_m < kFar_m || around[at][epoch] < kMoves * largest) {
                continue;
            }
            EXPECT_LT(off, std::max(kExact, kTooLow * predicted))
                << made.name << " epoch " << epoch << " at " << away_m / 1e3 << " km\n"
                << chosen_;
            EXPECT_TRUE(off < kMost || predicted > kWarned) << made.name << " epoch " << epoch;
            found[since] = std::max(found[since], off);
            told[since] = std::max(told[since], predicted);
            if (off > worst) {
                worst = off;
                worst_m = away_m;
            }
        }
        const std::string of_epoch = "_" + std::to_string(epoch);
        RecordProperty("stations" + of_epoch, each.str());
        RecordProperty("off" + of_epoch,
                       std::to_string(worst) + " at " + std::to_string(worst_m / 1e3));
    }
    RecordProperty("told", std::to_string(told[0]) + ", " + std::to_string(told[1]));
    for (const std::size_t since : {0, 1}) {
        EXPECT_LE(told[since], kTooHigh * std::max(found[since], kExact))
            << made.name << (since ? " since" : " right after") << "\n"
            << predicted_->text();
    }
}

INSTANTIATE_TEST_SUITE_P(Structures, FarStations, testing::Range(std::size_t{0}, std::size_t{12}),
                         [](const auto& info) { return made()[info.param].name; });

}  // namespace
}  // namespace kaname::convergence::far_stations_test

#endif
