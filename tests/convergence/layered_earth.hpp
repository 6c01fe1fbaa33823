// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <vector>

#include "solvers/base/units.hpp"
#include "solvers/earth/projection.hpp"
#include "tests/convergence/dataset_fixture.hpp"
#include "tests/support/bare_job.hpp"
#include "tests/support/layered_halfspace.hpp"
#include "worker/jobs/geometry/build_volumes.hpp"

#if defined(KANAME_HAVE_PROJ) && defined(KANAME_HAVE_HDF5)

namespace kaname::convergence {

/// A thrust in a layered relaxing half-space through the verbs, beside tests/support's answer that
/// has no mesh.
class LayeredEarth : public Dataset {
protected:
    static constexpr double kLon_deg = 138.0;

    /// Crust and lid over a Maxwell mantle, its relaxation time 4.7 years; stations to `reach_m`.
    void describe(bool gravity, double box_m, int n_stations, double reach_m) {
        medium_.gravity_m_s2 = gravity ? 9.81 : 0.0;
        job_.structure.materials.clear();
        job_.structure.layers.clear();
        for (std::size_t at = 0; at < medium_.layers.size(); ++at) {
            const test::MaxwellLayer& layer = medium_.layers[at];
            const bool last = at + 1 == medium_.layers.size();
            job_.structure.materials.push_back(
                {"rock" + std::to_string(at), layer.lambda_pa, layer.mu_pa, layer.density_kg_m3,
                 last ? std::optional(layer.viscosity_pa_s) : std::nullopt});
            job_.structure.layers.push_back(
                {static_cast<int>(at), last ? std::nullopt : std::optional(layer.bottom_m)});
        }
        reach_m_ = reach_m + 60e3;
        job_.buoyancy = gravity;
        job_.region = {kLon_deg, kLat_deg, box_m, box_m, 0.5 * box_m, 0.0};
        const earth::Projection projection({kLon_deg, kLat_deg});
        for (int k = 0; k < n_stations; ++k) {  // evenly over a circle
            const double r = reach_m * std::sqrt((k + 0.5) / n_stations), azimuth = 2.39996 * k;
            places_.push_back({r * std::sin(azimuth), r * std::cos(azimuth), 0.0});
            const auto at = projection.inverse({places_[k].x, places_[k].y});
            const std::string id = "S" + std::to_string(k);
            job_.stations.push_back({id, at.lon_deg, at.lat_deg, std::nullopt, id});
        }
    }
    void plane(const test::OkadaFault& fault, int n_strike, int n_dip) {
        jobs::PlaneGeometry plane;
        plane.centre_lon_deg = kLon_deg;
        plane.centre_lat_deg = kLat_deg;
        plane.top_depth_m = -fault.top_centre.z;
        plane.strike_deg = fault.strike_rad / kDegree;
        plane.dip_deg = fault.dip_rad / kDegree;
        plane.length_m = fault.length_m;
        plane.width_m = fault.width_m;
        job_.patches = test::unit_slip(n_strike, n_dip, {{"reverse", 90.0}});
        job_.fault = plane;
    }
    void epochs(std::vector<double> times_s) {
        job_.time.epochs_s = std::move(times_s);
        job_.time.end_s = job_.time.epochs_s.back();
        jobs::build_volumes(job_);
    }
    /// Reverse slip, in the frame of the dataset: true directions at each station.
    [[nodiscard]] std::vector<std::vector<Vec3>> exact(const test::OkadaFault& fault,
                                                       const test::SlipRamp& ramp) const {
        return exact(fault, {0.0, 1.0, 0.0}, kLat_deg, ramp);
    }
    [[nodiscard]] std::vector<std::vector<Vec3>> exact(const test::OkadaFault& fault,
                                                       const test::OkadaSlip& slip, double lat_deg,
                                                       const test::SlipRamp& ramp = {}) const {
        auto moved = test::LayeredHalfspace(medium_, job_.time.epochs_s, reach_m_)
                         .displacement(fault, slip, places_, ramp);
        const earth::Projection projection({kLon_deg, lat_deg});
        for (std::size_t at = 0; at < places_.size(); ++at) {
            const double turn =
                projection.convergence({job_.stations[at].lon_deg, job_.stations[at].lat_deg});
            const double c = std::cos(turn), s = std::sin(turn);
            for (Vec3& u : moved[at]) {
                u = {c * u.x - s * u.y, s * u.x + c * u.y, u.z};
            }
        }
        return moved;
    }
    /// sqrt(sum |u - exact|^2 / sum |exact|^2), of the first epoch the motion, of later ones the
    /// change since; `only` a component, or all.
    static double error(const GreensDataset& data, std::size_t source, std::size_t epoch,
                        const std::vector<std::vector<Vec3>>& exact, int only = -1) {
        double off = 0.0;
        double size = 0.0;
        for (std::size_t at = 0; at < exact.size(); ++at) {
            const Vec3 before = epoch > 0 ? value(data, source, 0, at) : Vec3{};
            const Vec3 u = value(data, source, epoch, at) - before;
            const Vec3 wanted = exact[at][epoch] - (epoch > 0 ? exact[at][0] : Vec3{});
            for (int comp = 0; comp < 3; ++comp) {
                if (only < 0 || comp == only) {
                    off += std::pow(u[comp] - wanted[comp], 2);
                    size += std::pow(wanted[comp], 2);
                }
            }
        }
        return std::sqrt(off / size);
    }

    test::LayeredMedium medium_{
        {{.bottom_m = 14e3, .lambda_pa = 30e9, .mu_pa = 28e9, .density_kg_m3 = 2700.0},
         {.bottom_m = 32e3, .lambda_pa = 50e9, .mu_pa = 44e9, .density_kg_m3 = 2950.0},
         {.lambda_pa = 78e9, .mu_pa = 67e9, .viscosity_pa_s = 1e19, .density_kg_m3 = 3300.0}}};
    std::vector<Vec3> places_;
    double reach_m_ = 0.0;  ///< between a station and slip
};

}  // namespace kaname::convergence

#endif
