// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/scenario/receivers.hpp"

#include <array>
#include <cstdio>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/coulomb.hpp"
#include "solvers/jobs/scenario/stress_recovery.hpp"
#include "solvers/p2/locate.hpp"

namespace kaname::jobs {
namespace {

using Receiver = io::VolumeDataset::Receiver;

p2::Location location_of(const ReceiverSpec::Place& at, const std::string& field,
                         const Domain& domain, const mesh::TetMesh& mesh) {
    if (!domain.projected()) {
        throw ValidationError(
            {{field,
              std::string("needs a projection: region.crs none has no places on the globe")}});
    }
    constexpr double kRounding_m = 1.0;  // error of degrees with five decimals
    const auto point = domain.projection().forward({at.lon_deg, at.lat_deg});
    const std::array<Vec3, 1> place = {{{point.x_m, point.y_m, -at.depth_m}}};
    const p2::Location found = p2::locate_points(mesh, place).front();
    if (found.distance_m > kRounding_m) {
        char text[160];
        std::snprintf(text, sizeof text,
                      "must lie inside the model, but %.6gE %.6gN at %.6g m depth is %.4g m "
                      "outside",
                      at.lon_deg, at.lat_deg, at.depth_m, found.distance_m);
        throw ValidationError({{field, std::string(text)}});
    }
    return found;
}

/// The receiver's plane in the model's frame.
fault::Receiver plane_of(const ReceiverSpec& spec, const Domain& domain) {
    fault::Receiver plane;
    plane.strike_rad = spec.strike_deg * kDegree;
    if (domain.projected()) {
        const earth::LonLat centre = domain.projection().centre();
        plane.strike_rad += domain.projection().convergence(
            spec.at ? earth::LonLat{spec.at->lon_deg, spec.at->lat_deg} : centre);
    }
    plane.dip_rad = spec.dip_deg * kDegree;
    plane.rake_rad = spec.rake_deg * kDegree;
    plane.friction = spec.friction;
    plane.skempton = spec.skempton;
    return plane;
}

void append_change(const fault::StressChange& stress, const fault::Receiver& plane,
                   Receiver& receiver) {
    const fault::CoulombChange change = fault::coulomb_change(stress, plane);
    receiver.shear_pa.push_back(static_cast<float>(change.shear_pa));
    receiver.normal_pa.push_back(static_cast<float>(change.normal_pa));
    receiver.coulomb_pa.push_back(static_cast<float>(change.coulomb_pa));
}

/// Weighted sum of the elements' stresses [E][6].
fault::StressChange weighted_stress(std::span<const ElementShare> shares, const float* stress_pa) {
    fault::StressChange sum{};
    for (const ElementShare& share : shares) {
        for (std::size_t k = 0; k < sum.size(); ++k) {
            sum[k] += share.weight * double{stress_pa[6 * share.tet + k]};
        }
    }
    return sum;
}

}  // namespace

void add_receivers(const GreensJob& job, const Domain& domain, const mesh::TetMesh& mesh,
                   io::VolumeDataset& volume) {
    const std::vector<ReceiverSpec>& specs = job.scenario->volume.receivers;
    const std::size_t n_tets = volume.n_tets();
    for (std::size_t k = 0; k < specs.size(); ++k) {
        const ReceiverSpec& spec = specs[k];
        Receiver receiver{.name = spec.name,
                          .strike_deg = spec.strike_deg,
                          .dip_deg = spec.dip_deg,
                          .rake_deg = spec.rake_deg,
                          .friction = spec.friction,
                          .skempton = spec.skempton};
        std::vector<ElementShare> shares;
        if (spec.at) {
            const std::string field = "output.volume.receivers[" + std::to_string(k) + "]";
            const p2::Location place = location_of(*spec.at, field, domain, mesh);
            receiver.at = {spec.at->lon_deg, spec.at->lat_deg, spec.at->depth_m, place.tet};
            shares =
                recovery_at(mesh, volume.tets, static_cast<std::size_t>(place.tet), place.snapped);
        }
        const fault::Receiver plane = plane_of(spec, domain);
        for (std::size_t epoch = 0; epoch < volume.epochs_s.size(); ++epoch) {
            const float* stress_pa = volume.stress_pa.data() + epoch * n_tets * 6;
            if (spec.at) {
                append_change(weighted_stress(shares, stress_pa), plane, receiver);
                continue;
            }
            for (std::size_t tet = 0; tet < n_tets; ++tet) {
                const ElementShare whole{tet, 1.0};
                append_change(weighted_stress({&whole, 1}, stress_pa), plane, receiver);
            }
        }
        volume.receivers.push_back(std::move(receiver));
    }
}

}  // namespace kaname::jobs
