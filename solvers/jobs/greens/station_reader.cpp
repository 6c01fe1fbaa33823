// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/greens/station_reader.hpp"

#include <array>
#include <cmath>
#include <map>

#include "solvers/base/error.hpp"
#include "solvers/fault/split_nodes.hpp"

namespace kaname::jobs {

std::vector<double> StationReader::read(const io::SourceResult& result) {
    const std::size_t n_stored = result.station_xyz_m.size() / 3;
    if (result.station_xyz_m != known_for_ || plan_.empty()) {
        make_plan(result);
    }
    const std::size_t n_fields = result.n_fields();
    const std::size_t n_points = result.surface_m.size() / (3 * n_fields);
    std::vector<double> values;
    values.reserve(n_fields * plan_.size() * 3);
    for (std::size_t field = 0; field < n_fields; ++field) {
        const double* stored = result.displacement_m.data() + field * n_stored * 3;
        const float* surface = result.surface_m.data() + field * n_points * 3;
        for (const Place& place : plan_) {
            for (std::size_t comp = 0; comp < 3; ++comp) {
                double value = 0.0;
                if (place.stored >= 0) {
                    value = stored[3 * place.stored + comp];
                }
                for (std::size_t k = 0; k < 6 && place.stored < 0; ++k) {
                    value += place.stencil.weights[k] *
                             double{surface[3 * place.stencil.points[k] + comp]};
                }
                values.push_back(value);
            }
        }
    }
    return values;
}

void StationReader::make_plan(const io::SourceResult& result) {
    constexpr double kSamePlace_m = 1e-6;
    std::map<std::array<std::int64_t, 3>, std::int64_t> stored;
    const auto cell = [](double x, double y, double z) {
        return std::array{std::llround(x / kSamePlace_m), std::llround(y / kSamePlace_m),
                          std::llround(z / kSamePlace_m)};
    };
    const std::vector<double>& xyz = result.station_xyz_m;
    for (std::size_t k = 0; 3 * k < xyz.size(); ++k) {
        const auto at = cell(xyz[3 * k], xyz[3 * k + 1], xyz[3 * k + 2]);
        stored.emplace(std::array<std::int64_t, 3>{at[0], at[1], at[2]}, k);
    }
    plan_.clear();
    for (std::size_t k = 0; k < places_.size(); ++k) {
        const Vec3& x = places_[k].snapped;
        const auto at = cell(x.x, x.y, x.z);
        Place place;
        const auto found = stored.find({at[0], at[1], at[2]});
        if (found != stored.end()) {
            place.stored = found->second;
        } else {
            place.stencil = interpolate(result, k);
        }
        plan_.push_back(place);
    }
    known_for_ = xyz;
}

SurfaceStencil StationReader::interpolate(const io::SourceResult& result, std::size_t station) {
    if (!surface_) {
        surface_ = find_surface_points(
            mesh_, dofs_, fault::split_fault_nodes(mesh_, dofs_.conn, dofs_.node_xyz), n_parts_);
    }
    const bool has_surface =
        result.surface_m.size() == 3 * surface_->places.size() * result.n_fields();
    const auto stencil =
        has_surface ? surface_stencil(*surface_, mesh_, places_[station].snapped) : std::nullopt;
    if (!stencil) {
        throw Error(ErrorCode::NotFound,
                    "the stored result of this source does not hold "
                    "station '" +
                        job_.stations[station].id + "'");
    }
    return *stencil;
}

}  // namespace kaname::jobs
