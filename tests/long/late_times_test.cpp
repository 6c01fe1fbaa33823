// SPDX-License-Identifier: BSD-3-Clause
// A rectangle inside a Maxwell half-space with everything by default but the sizes, which are those
// that docs/user/accuracy.md recommends: right after the slip and up to twenty Maxwell times.
#include <cmath>

#include "solvers/base/units.hpp"
#include "solvers/earth/projection.hpp"
#include "tests/convergence/dataset_fixture.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence::late_times_test {
namespace {

constexpr double kLon_deg = 138.0;
constexpr double kTimes[] = {0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0};  // Maxwell times
constexpr double kCoseismic = 0.01, kChange = 0.03;

class LateTimes : public Dataset, public testing::WithParamInterface<double> {
protected:
    /// 24 x 12 km under 4 km, 81 stations within 60 km.
    void describe() {
        job_.region = {kLon_deg, kLat_deg, 1000e3, 1000e3, 500e3, 0.0};
        job_.structure.materials = {maxwell_rock()};
        jobs::PlaneGeometry plane;
        plane.centre_lon_deg = kLon_deg;
        plane.centre_lat_deg = kLat_deg;
        plane.top_depth_m = -rectangle_.top_centre().z;
        plane.strike_deg = 0.0;
        plane.dip_deg = GetParam();
        plane.length_m = rectangle_.length_m;
        plane.width_m = rectangle_.width_m;
        job_.fault = plane;
        job_.mesh.size_at_fault_m = 1.5e3;
        job_.mesh.size_far_m = 100e3;
        // As requests leave it: less where slip dips gently.
        job_.mesh.growth = GetParam() < 25.0 ? 0.15 : 0.3;
        const earth::Projection projection({kLon_deg, kLat_deg});
        for (int k = 0; k < 81; ++k) {
            const Vec3 x{(k % 9 - 4) * 10e3 + 1.3e3, (k / 9 - 4) * 10e3 + 1.3e3, 0.0};
            const auto at = projection.inverse({x.x, x.y});
            const std::string id = "S" + std::to_string(k);
            job_.stations.push_back({id, at.lon_deg, at.lat_deg, std::nullopt, id});
            places_.push_back(x);
        }
        for (const double t : kTimes) {
            job_.time.epochs_s.push_back(t * kMaxwellTime_s);
        }
        job_.time.end_s = job_.time.epochs_s.back();
        jobs::build_volumes(job_);
    }
    /// The exact displacement for slip along `source` (0 strike, 1 dip) at a time; with `change`
    /// less that right after the slip.
    [[nodiscard]] Vec3 exact(std::size_t source, double t_s, bool change, const Vec3& x) const {
        const test::OkadaSlip slip{source == 0 ? 1.0 : 0.0, source == 1 ? 1.0 : 0.0, 0.0};
        const auto at = [&](double time_s) {
            return test::okada_displacement(rectangle_.okada(), slip,
                                            test::maxwell_medium_at(kMaxwell, time_s), x);
        };
        return change ? at(t_s) - at(0.0) : at(t_s);
    }
    /// sqrt(sum |u - exact|^2 / sum |exact|^2) over the stations; 0 where nothing changes.
    [[nodiscard]] double error(const GreensDataset& data, std::size_t source, std::size_t epoch) {
        double off = 0.0;
        double size = 0.0;
        for (std::size_t k = 0; k < places_.size(); ++k) {
            const Vec3 u =
                value(data, source, epoch, k) - (epoch > 0 ? value(data, source, 0, k) : Vec3{});
            const Vec3 wanted = exact(source, job_.time.epochs_s[epoch], epoch > 0, places_[k]);
            off += dot(u - wanted, u - wanted);
            size += dot(wanted, wanted);
        }
        return size > 1e-12 ? std::sqrt(off / size) : 0.0;
    }

    Rectangle rectangle_{24e3, 12e3, 4e3, GetParam(), 0.5 * 12e3 * std::cos(GetParam() * kDegree)};
    std::vector<Vec3> places_;
};

TEST_P(LateTimes, OfTheClosedFormByDefault) {
    describe();

    const GreensDataset data = run();

    ASSERT_EQ(data.sources.size(), 2u);
    for (std::size_t source = 0; source < 2; ++source) {
        const double coseismic = error(data, source, 0);
        RecordProperty("coseismic_" + std::to_string(source), std::to_string(coseismic));
        EXPECT_LT(coseismic, kCoseismic) << source;
        for (std::size_t epoch = 1; epoch < std::size(kTimes); ++epoch) {
            const double change = error(data, source, epoch);
            RecordProperty("change_" + std::to_string(source) + "_" + std::to_string(epoch),
                           std::to_string(change));
            EXPECT_LT(change, kChange) << source << " at " << kTimes[epoch];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Dips, LateTimes, testing::Values(10.0, 30.0, 45.0, 90.0),
                         [](const auto& info) {
                             return "dip" + std::to_string(static_cast<int>(info.param));
                         });

}  // namespace
}  // namespace kaname::convergence::late_times_test

#endif
