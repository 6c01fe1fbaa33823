// SPDX-License-Identifier: BSD-3-Clause
// Made-up layered half-spaces with stations to 500 km from the slip, region and mesh by
// defaults, against the answer of tests/support/layered_halfspace.hpp, which has no mesh, at
// every station that moves more than a hundredth of the largest motion.
#include <cmath>
#include <fstream>
#include <sstream>

#include "tests/convergence/layered_earth.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5) && defined(KANAME_BY_DEFAULTS)

#include "proto/spec/greens/canonical_batch.hpp"
#include "proto/spec/greens/load.hpp"
#include "worker/compute/greens/job_from_spec.hpp"

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
        {"lid40", {layer(40, 40, 40), layer(0, 80, 70, 2e19)}, fault(8, 75, 30, 100, 50), 90, 100},
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

    /// The job that a specification without region and mesh asks for.
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
        spec::LoadedSpec spec = spec::load_spec_json(file);
        chosen_ = spec.chosen;
        job_ = compute::job_from_spec(spec, spec::canonical_json(spec.batch));
        medium_.layers = made.layers;
        medium_.gravity_m_s2 = 0.0;
        jobs::build_volumes(job_);
    }

    std::ostringstream stations_;
    std::string chosen_;
};

TEST_P(FarStations, MoveAsWithoutAMesh) {
    const Made made = far_stations_test::made()[GetParam()];
    describe(made);
    // Predictions are within a factor; sizes at the fault and the box have their half per cent.
    constexpr double kMost = 0.03, kMostAtOnce = 0.015, kMoves = 0.01;

    const GreensDataset data = run();

    const double rake = made.rake_deg * kDegree;
    const auto wanted = exact(made.fault, {std::cos(rake), std::sin(rake), 0.0}, kEquator_deg);
    RecordProperty("chosen", chosen_);
    RecordProperty("unknowns", std::to_string(data.dof));
    for (std::size_t epoch = 0; epoch < job_.time.epochs_s.size(); ++epoch) {
        const auto since = [&](const std::vector<Vec3>& u) {
            return epoch > 0 ? u[epoch] - u[0] : u[0];
        };
        double largest = 0.0, worst = 0.0, worst_m = 0.0;
        for (const auto& u : wanted) {
            largest = std::max(largest, norm(since(u)));
        }
        for (std::size_t at = 0; at < places_.size(); ++at) {
            const Vec3 u = value(data, 0, epoch, at) - (epoch > 0 ? value(data, 0, 0, at) : Vec3{});
            const double moved = norm(since(wanted[at]));
            const double off = norm(u - since(wanted[at])) / moved;
            if (moved > kMoves * largest && off > worst) {
                worst = off;
                worst_m = std::hypot(places_[at].x, places_[at].y);
            }
        }
        RecordProperty("off_" + std::to_string(epoch),
                       std::to_string(worst) + " at " + std::to_string(worst_m / 1e3));
        EXPECT_LT(worst, epoch > 0 ? kMost : kMostAtOnce) << made.name << " epoch " << epoch;
    }
}

INSTANTIATE_TEST_SUITE_P(Structures, FarStations, testing::Range(std::size_t{0}, std::size_t{2}),
                         [](const auto& info) { return made()[info.param].name; });

}  // namespace
}  // namespace kaname::convergence::far_stations_test

#endif
