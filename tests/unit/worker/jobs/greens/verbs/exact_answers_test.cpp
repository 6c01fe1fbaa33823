// SPDX-License-Identifier: BSD-3-Clause
// docs/examples/benchmark: the tables of exact motion are those of
// tests/support/layered_halfspace.hpp for the requests beside them. With KANAME_WRITE_EXACT in the
// environment they are written anew.
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/load.hpp"
#include "solvers/base/units.hpp"
#include "solvers/earth/projection.hpp"
#include "tests/support/layered_halfspace.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"

#if KANAME_HAVE_PROJ

namespace kaname::compute::exact_answers_test {
namespace {

constexpr double kYear_s = 31557600.0;
const std::string kFolder = std::string(KANAME_SOURCE_DIR) + "/docs/examples/benchmark/";

test::LayeredMedium medium_of(const jobs::GreensJob& job) {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    test::LayeredMedium medium;
    medium.gravity_m_s2 = job.buoyancy ? 9.81 : 0.0;
    for (const earth::Layer& layer : job.structure.layers) {
        const earth::Material& rock = job.structure.materials[layer.material];
        medium.layers.push_back(
            {.bottom_m = layer.bottom_depth_m.value_or(kNone),
             .lambda_pa = rock.lambda_pa,
             .mu_pa = rock.mu_pa,
             .viscosity_pa_s = rock.viscosity_pa_s.value_or(kNone),
             .density_kg_m3 = rock.density_kg_m3,
             .kelvin_mu_pa = rock.kelvin_mu_pa.value_or(kNone),
             .kelvin_viscosity_pa_s = rock.kelvin_viscosity_pa_s.value_or(kNone)});
    }
    return medium;
}

/// Lines of the table: station, years, east, north and up [m], true directions at the station.
std::vector<std::string> exact_lines(const jobs::GreensJob& job) {
    const auto& plane = std::get<jobs::PlaneGeometry>(job.fault);
    const earth::Projection projection({job.region.centre_lon_deg, job.region.centre_lat_deg});
    const auto at = projection.forward({plane.centre_lon_deg, plane.centre_lat_deg});
    const double rake = job.patches.sources.at(0).rake_deg * kDegree;
    const test::OkadaFault fault = {{at.x_m, at.y_m, -plane.top_depth_m},
                                    plane.strike_deg * kDegree,
                                    plane.dip_deg * kDegree,
                                    plane.length_m,
                                    plane.width_m};
    std::vector<Vec3> places;
    double reach_m = 0.0;
    for (const auto& station : job.stations) {
        const auto place = projection.forward({station.lon_deg, station.lat_deg});
        places.push_back({place.x_m, place.y_m, 0.0});
        reach_m = std::max(reach_m, std::hypot(place.x_m - at.x_m, place.y_m - at.y_m));
    }
    const auto moved =
        test::LayeredHalfspace(medium_of(job), job.time.epochs_s, reach_m + plane.length_m)
            .displacement(fault, {std::cos(rake), std::sin(rake), 0.0}, places);
    std::vector<std::string> lines;
    for (std::size_t k = 0; k < places.size(); ++k) {
        const double turn =
            projection.convergence({job.stations[k].lon_deg, job.stations[k].lat_deg});
        const double c = std::cos(turn), s = std::sin(turn);
        for (std::size_t epoch = 0; epoch < job.time.epochs_s.size(); ++epoch) {
            const Vec3& u = moved[k][epoch];
            char line[160];
            std::snprintf(line, sizeof line, "%s,%g,%.8f,%.8f,%.8f", job.stations[k].id.c_str(),
                          job.time.epochs_s[epoch] / kYear_s, c * u.x - s * u.y, s * u.x + c * u.y,
                          u.z);
            lines.push_back(line);
        }
    }
    return lines;
}

class ExactAnswers : public testing::TestWithParam<const char*> {};

TEST_P(ExactAnswers, AreThoseOfTheTables) {
    const request::LoadedBatch loaded = request::load_batch_file(kFolder + GetParam() + ".yaml");
    const auto wanted = exact_lines(job_from_request(loaded, ""));
    const std::string path = kFolder + GetParam() + "_exact.csv";
    if (std::getenv("KANAME_WRITE_EXACT") != nullptr) {
        std::ofstream file(path);
        file << "station,years,east_m,north_m,up_m\n";
        for (const std::string& line : wanted) {
            file << line << '\n';
        }
    }
    std::ifstream file(path);
    std::string line;
    ASSERT_TRUE(std::getline(file, line)) << path;
    std::size_t n = 0;
    while (std::getline(file, line)) {
        ASSERT_LT(n, wanted.size());
        std::istringstream found(line), made(wanted[n++]);
        std::string a, b;
        for (int column = 0; column < 5; ++column) {
            std::getline(found, a, ',');
            std::getline(made, b, ',');
            if (column == 0) {
                ASSERT_EQ(a, b);
            } else {
                ASSERT_NEAR(std::stod(a), std::stod(b), 2e-8) << line;
            }
        }
    }
    EXPECT_EQ(n, wanted.size());
}

INSTANTIATE_TEST_SUITE_P(Benchmark, ExactAnswers,
                         testing::Values("strike_slip", "thrust", "burgers"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kaname::compute::exact_answers_test

#endif
