// SPDX-License-Identifier: BSD-3-Clause
// Predictions before a run are compared with what is found, at stations two to ten widths from slip
// in a half-space whose answer is known: the prediction is 0.4 to 3 times the error of the worst of
// them.
#include <algorithm>
#include <cmath>

#include "solvers/earth/projection.hpp"
#include "tests/convergence/dataset_fixture.hpp"
#include "tests/support/okada.hpp"
#include "worker/jobs/geometry/job_geometry.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence::predicted_error_test {
namespace {

constexpr double kWidth_m = 10e3, kLon_deg = 138.0, kEquator_deg = 0.0;

class PredictedError : public Dataset {
protected:
    void describe(double dip_deg, double size_m, double growth) {
        jobs::PlaneGeometry plane;
        plane.centre_lon_deg = kLon_deg;
        plane.centre_lat_deg = kEquator_deg;
        plane.top_depth_m = 0.4 * kWidth_m;
        plane.strike_deg = 0.0;
        plane.dip_deg = dip_deg;
        plane.length_m = 2.0 * kWidth_m;
        plane.width_m = kWidth_m;
        fault_ = {{0.0, 0.0, -plane.top_depth_m}, 0.0, dip_deg * kDegree, plane.length_m, kWidth_m};
        job_.fault = plane;
        job_.patches = test::unit_slip(1, 1, {test::kStrikeSlip, test::kDipSlip});
        job_.region = {kLon_deg, kEquator_deg, 4000e3, 4000e3, 2000e3, 0.0};
        job_.mesh.size_at_fault_m = size_m;
        job_.mesh.size_far_m = 400e3;
        job_.mesh.growth = growth;
        const earth::Projection projection({kLon_deg, kEquator_deg});
        for (int k = 0; k < 40; ++k) {  // evenly by the logarithm of the distance
            const double r = 2.0 * kWidth_m * std::pow(5.0, k / 39.0), azimuth = 2.39996 * k;
            places_.push_back({r * std::sin(azimuth), r * std::cos(azimuth), 0.0});
            const auto at = projection.inverse({places_.back().x, places_.back().y});
            const std::string id = "S" + std::to_string(k);
            job_.stations.push_back({id, at.lon_deg, at.lat_deg, std::nullopt, id});
        }
    }
    /// The largest error of a station that moves more than a hundredth of the largest motion.
    [[nodiscard]] double worst(const GreensDataset& data, std::size_t source) const {
        const test::OkadaSlip slip =
            source == 0 ? test::OkadaSlip{1.0, 0.0, 0.0} : test::OkadaSlip{0.0, 1.0, 0.0};
        std::vector<Vec3> exact;
        double largest = 0.0, worst = 0.0;
        for (const Vec3& at : places_) {
            exact.push_back(test::okada_displacement(fault_, slip, {}, at));
            largest = std::max(largest, norm(exact.back()));
        }
        for (std::size_t at = 0; at < exact.size(); ++at) {
            if (norm(exact[at]) > 0.01 * largest) {
                worst =
                    std::max(worst, norm(value(data, source, 0, at) - exact[at]) / norm(exact[at]));
            }
        }
        return worst;
    }
    void expect_as_predicted() {
        const GreensDataset data = run();
        double predicted = 0.0;
        const jobs::PredictedErrors errors = jobs::JobGeometry(job_).predicted_errors();
        for (const auto& place : errors.places()) {
            predicted = std::max(predicted, place.at_once.total());
        }
        EXPECT_EQ(data.predicted_error, errors.text());
        for (const std::size_t source : {0, 1}) {
            const double found = worst(data, source);
            EXPECT_GT(predicted, 0.4 * found) << source << ": " << errors.text();
            EXPECT_LT(predicted, 3.0 * found) << source << ": " << errors.text();
        }
    }

    test::OkadaFault fault_;
    std::vector<Vec3> places_;
};

TEST_F(PredictedError, OfAVerticalPlaneIsWhatIsFound) {
    describe(90.0, kWidth_m / 6.0, 0.4);
    expect_as_predicted();
}

TEST_F(PredictedError, OfAThrustIsWhatIsFound) {
    describe(30.0, kWidth_m / 4.0, 0.4);
    expect_as_predicted();
}

}  // namespace
}  // namespace kaname::convergence::predicted_error_test

#endif
