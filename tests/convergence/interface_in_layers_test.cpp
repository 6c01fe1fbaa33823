// SPDX-License-Identifier: BSD-3-Clause
// An interface in layers relaxes as the plane that it is: layers do not change where it cuts them.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "solvers/base/units.hpp"
#include "solvers/earth/projection.hpp"
#include "tests/convergence/dataset_fixture.hpp"
#include "tests/support/bare_job.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence::interface_in_layers_test {
namespace {

constexpr double kLon_deg = 135.0;
constexpr double kDip_deg = 15.0;
constexpr double kTop_m = 14e3;  // depth of the rectangle's top
constexpr double kHat_m = 24e3;

class InterfaceInLayers : public Dataset {
protected:
    /// The slip begins in an elastic crust and ends in the mantle.
    void earth() {
        job_.region = {kLon_deg, kLat_deg, 360e3, 360e3, 180e3, 0.0};
        job_.structure.materials = {rock(), {"mantle", 6e10, 6e10, 0.0, 6e18}};
        job_.structure.layers = {{0, 18e3}, {1, std::nullopt}};
        for (int k = 0; k < 9; ++k) {
            const std::string id = std::to_string(k);
            job_.stations.push_back({"S" + id, kLon_deg + 0.3 * (k % 3 - 1),
                                     kLat_deg + 0.1 + 0.25 * (k / 3 - 1), std::nullopt,
                                     "stations[" + id + "]"});
        }
        job_.mesh.size_at_fault_m = 8e3;
        job_.mesh.size_far_m = 50e3;
        job_.time.step_s = 1e8;
        job_.time.end_s = 2e8;
    }
    /// Two hats on a rectangle that dips to the north.
    void plane() {
        jobs::PlaneGeometry plane;
        plane.centre_lon_deg = kLon_deg;
        plane.centre_lat_deg = kLat_deg;
        plane.top_depth_m = kTop_m;
        plane.strike_deg = 270.0;
        plane.dip_deg = kDip_deg;
        plane.length_m = 3.0 * kHat_m;
        plane.width_m = 2.0 * kHat_m;
        job_.patches = test::unit_slip(2, 1, {test::kDipSlip});
        job_.fault = plane;
    }
    /// Places the two hats on a gridded surface.
    void interface() {
        const double dip = kDip_deg * kDegree;
        const earth::Projection projection({kLon_deg, kLat_deg});
        std::ofstream csv(path("slab.csv"));
        csv << "lon_deg,lat_deg,depth_km\n";
        for (int j = 0; j <= 80; ++j) {
            for (int i = 0; i <= 40; ++i) {
                const earth::LonLat at{kLon_deg - 4.0 + 0.2 * i, kLat_deg - 2.0 + 0.05 * j};
                const double north_m = projection.forward(at).y_m;
                csv << at.lon_deg << ',' << at.lat_deg << ','
                    << std::max(kTop_m + std::tan(dip) * north_m, 500.0) / 1e3 << '\n';
            }
        }
        csv.close();
        jobs::InterfaceGeometry interface;
        interface.surface_path = path("slab.csv");
        interface.min_depth_m = 5e3;
        interface.max_depth_m = 60e3;
        const auto first = projection.inverse({0.5 * kHat_m, kHat_m * std::cos(dip)});
        interface.origin_lon_deg = first.lon_deg;
        interface.origin_lat_deg = first.lat_deg;
        interface.strike_deg = 270.0;
        interface.hat = fault::Hat::Bilinear;
        job_.patches = test::unit_slip(2, 1, {test::kDipSlip});
        interface.spacing_strike_m = interface.spacing_dip_m = kHat_m;
        job_.fault = interface;
    }
    GreensDataset run_layers() {
        GreensJob layers = job_;
        jobs::build_volumes(job_);
        const GreensDataset data = run();
        job_ = std::move(layers);
        return data;
    }
    /// Relative L2 of the difference: of what moves at once, and of what is added.
    static std::pair<double, double> differences(const GreensDataset& a, const GreensDataset& b) {
        double off[2] = {}, all[2] = {};
        const std::size_t last = b.epochs_s.size() - 1;
        for (std::size_t source = 0; source < b.sources.size(); ++source) {
            for (std::size_t k = 0; k < b.stations.size(); ++k) {
                const Vec3 at_once[] = {value(a, source, 0, k), value(b, source, 0, k)};
                const Vec3 added[] = {value(a, source, last, k) - at_once[0],
                                      value(b, source, last, k) - at_once[1]};
                off[0] += dot(at_once[0] - at_once[1], at_once[0] - at_once[1]);
                all[0] += dot(at_once[1], at_once[1]);
                off[1] += dot(added[0] - added[1], added[0] - added[1]);
                all[1] += dot(added[1], added[1]);
            }
        }
        return {std::sqrt(off[0] / all[0]), std::sqrt(off[1] / all[1])};
    }
};

TEST_F(InterfaceInLayers, RelaxesAsThePlaneThatItIs) {
    earth();
    plane();
    const GreensDataset by_plane = run_layers();
    interface();

    const GreensDataset by_interface = run_layers();

    const auto [at_once, added] = differences(by_interface, by_plane);
    RecordProperty("at_once", std::to_string(at_once));
    RecordProperty("added", std::to_string(added));
    EXPECT_LT(at_once, 0.02);
    EXPECT_LT(added, 0.02);
}

}  // namespace
}  // namespace kaname::convergence::interface_in_layers_test

#endif
