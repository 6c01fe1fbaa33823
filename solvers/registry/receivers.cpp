// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/receivers.hpp"

#include <array>
#include <cstdio>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fem/locate.hpp"
#include "solvers/sources/coulomb.hpp"

namespace kaname::registry {
namespace {

using Receiver = io::VolumeDataset::Receiver;

std::int64_t tet_at(const ReceiverSpec::Place& at, const std::string& field, const Setup& setup,
                    const mesh::TetMesh& mesh) {
    if (!setup.projected()) {
        throw ValidationError(
            {{field,
              std::string("needs a projection: region.crs none has no places on the globe")}});
    }
    constexpr double kRounding_m = 1.0;  // of degrees with five decimals
    const auto point = setup.projection().forward({at.lon_deg, at.lat_deg});
    const std::array<Vec3, 1> place = {{{point.x_m, point.y_m, -at.depth_m}}};
    const fem::Location found = fem::locate_points(mesh, place).front();
    if (found.distance_m > kRounding_m) {
        char text[160];
        std::snprintf(text, sizeof text,
                      "must lie inside the model, but %.6gE %.6gN at %.6g m depth is %.4g m "
                      "outside",
                      at.lon_deg, at.lat_deg, at.depth_m, found.distance_m);
        throw ValidationError({{field, std::string(text)}});
    }
    return found.tet;
}

/// In the model's frame.
sources::Receiver plane_of(const ReceiverSpec& spec, const Setup& setup) {
    sources::Receiver plane;
    plane.strike_rad = spec.strike_deg * kDegree;
    if (setup.projected()) {
        const earth::LonLat centre = setup.projection().centre();
        plane.strike_rad += setup.projection().convergence(
            spec.at ? earth::LonLat{spec.at->lon_deg, spec.at->lat_deg} : centre);
    }
    plane.dip_rad = spec.dip_deg * kDegree;
    plane.rake_rad = spec.rake_deg * kDegree;
    plane.friction = spec.friction;
    plane.skempton = spec.skempton;
    return plane;
}

void append_change(const float* stress_pa, const sources::Receiver& plane, Receiver& receiver) {
    sources::StressChange stress;
    std::copy_n(stress_pa, stress.size(), stress.begin());
    const sources::CoulombChange change = sources::coulomb_change(stress, plane);
    receiver.shear_pa.push_back(static_cast<float>(change.shear_pa));
    receiver.normal_pa.push_back(static_cast<float>(change.normal_pa));
    receiver.coulomb_pa.push_back(static_cast<float>(change.coulomb_pa));
}

}  // namespace

void add_receivers(const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh,
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
        std::size_t first = 0;
        std::size_t count = n_tets;
        if (spec.at) {
            const std::string field = "output.volume.receivers[" + std::to_string(k) + "]";
            receiver.at = {spec.at->lon_deg, spec.at->lat_deg, spec.at->depth_m,
                           tet_at(*spec.at, field, setup, mesh)};
            first = static_cast<std::size_t>(receiver.at->tet);
            count = 1;
        }
        const sources::Receiver plane = plane_of(spec, setup);
        for (std::size_t epoch = 0; epoch < volume.epochs_s.size(); ++epoch) {
            for (std::size_t tet = first; tet < first + count; ++tet) {
                append_change(volume.stress_pa.data() + (epoch * n_tets + tet) * 6, plane,
                              receiver);
            }
        }
        volume.receivers.push_back(std::move(receiver));
    }
}

}  // namespace kaname::registry
