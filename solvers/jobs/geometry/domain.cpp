// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/jobs/geometry/domain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"

namespace kaname::jobs {
namespace {

constexpr double kCoordinateRounding_m = 1e-6;  // rounding of coordinates that should be equal

std::string degrees_text(const earth::LonLat& at) {
    char text[64];
    std::snprintf(text, sizeof text, "%.4fE %.4fN", at.lon_deg, at.lat_deg);
    return text;
}

}  // namespace

Domain::Domain(const GreensJob& job) : job_(job) {
    if (job.region.projected) {
        projection_.emplace(earth::LonLat{job.region.centre_lon_deg, job.region.centre_lat_deg});
    }
    box_ = {job.region.size_east_m, job.region.size_north_m, job.region.depth_m,
            job.region.azimuth_deg * kDegree};
    if (job.volume_model) {
        volumes_.emplace(job.volume_model->model, box_.azimuth_rad);
    } else if (!std::holds_alternative<MeshFileSpec>(job.fault)) {
        throw Error(ErrorCode::Internal, "structure: the model of its volumes has not been built");
    }
    for (const StationSpec& station : job.stations) {
        const auto at = projection_ ? projection_->forward({station.lon_deg, station.lat_deg})
                                    : earth::MapPoint{station.x_m, station.y_m};
        const double z = station.depth_m ? -*station.depth_m : ground_m(at.x_m, at.y_m);
        stations_.push_back({at.x_m, at.y_m, z});
    }
}

double Domain::grid_azimuth_rad(const earth::LonLat& at, double true_azimuth_deg) const {
    return true_azimuth_deg * kDegree + projection_->convergence(at);
}

std::string Domain::lonlat_text(const Vec3& x) const {
    return degrees_text(projection_->inverse({x.x, x.y}));
}

double Domain::box_north_m(const Vec3& x) const {
    return x.x * std::sin(box_.azimuth_rad) + x.y * std::cos(box_.azimuth_rad);
}

double Domain::box_east_m(const Vec3& x) const {
    return x.x * std::cos(box_.azimuth_rad) - x.y * std::sin(box_.azimuth_rad);
}

bool Domain::inside_box(const Vec3& x) const {
    return std::abs(box_east_m(x)) <= 0.5 * box_.size_east_m + kCoordinateRounding_m &&
           std::abs(box_north_m(x)) <= 0.5 * box_.size_north_m + kCoordinateRounding_m &&
           x.z >= -box_.depth_m - kCoordinateRounding_m;
}

int Domain::normal_axis(mesh::Side side) const {
    constexpr double kParallel = 1e-9;
    if (side == mesh::Side::Bottom || side == mesh::Side::Top) {
        return 2;
    }
    const bool east_west = side == mesh::Side::West || side == mesh::Side::East;
    if (std::abs(std::sin(box_.azimuth_rad)) < kParallel) {
        return east_west ? 0 : 1;
    }
    if (std::abs(std::cos(box_.azimuth_rad)) < kParallel) {
        return east_west ? 1 : 0;
    }
    return -1;
}

double Domain::gap_to_held_sides_m(const Vec3& x) const {
    const std::pair<mesh::Side, double> gaps[] = {
        {mesh::Side::West, 0.5 * box_.size_east_m + box_east_m(x)},
        {mesh::Side::East, 0.5 * box_.size_east_m - box_east_m(x)},
        {mesh::Side::South, 0.5 * box_.size_north_m + box_north_m(x)},
        {mesh::Side::North, 0.5 * box_.size_north_m - box_north_m(x)},
        {mesh::Side::Bottom, box_.depth_m + x.z}};
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [side, gap] : gaps) {
        if (job_.boundaries.kind[static_cast<int>(side)] != BoundaryKind::Free) {
            least = std::min(least, gap);
        }
    }
    return least;
}

void Domain::check(std::vector<Violation>& violations) const {
    check_sides(violations);
    check_stations(violations);
}

void Domain::check_sides(std::vector<Violation>& violations) const {
    for (int side = 0; side < mesh::kSideCount; ++side) {
        if (job_.boundaries.kind[side] == BoundaryKind::Roller &&
            normal_axis(static_cast<mesh::Side>(side)) < 0) {
            violations.push_back({std::string("boundaries.") + mesh::kSideNames[side],
                                  "roller must be on a side that faces a grid axis, but the box is "
                                  "turned by " +
                                      number(box_.azimuth_rad / kDegree) +
                                      " degrees; use fixed or free"});
        }
    }
    if (volumes_ && !volumes_->flat_ground() &&
        job_.boundaries.kind[static_cast<int>(mesh::Side::Top)] == BoundaryKind::Roller) {
        violations.push_back({"boundaries.top",
                              "roller must be on a flat side, but structure.free_surface has "
                              "relief; use fixed or free"});
    }
}

void Domain::check_stations(std::vector<Violation>& violations) const {
    for (std::size_t k = 0; k < stations_.size(); ++k) {
        const StationSpec& station = job_.stations[k];
        const Vec3& x = stations_[k];
        if (!inside_box(x)) {
            violations.push_back(
                {station.field, "station '" + station.id + "' must lie inside the region, got " +
                                    degrees_text({station.lon_deg, station.lat_deg}) + " depth " +
                                    number(0.0 - x.z) + " m, which is " + number(x.x / 1000.0) +
                                    " km east and " + number(x.y / 1000.0) +
                                    " km north of its centre"});
        }
        const double above = x.z - ground_m(x.x, x.y);
        if (above > job_.output.snap_tolerance_m) {
            violations.push_back({station.field, "station '" + station.id + "' must be at most " +
                                                     number(job_.output.snap_tolerance_m) +
                                                     " m above the model's surface, got " +
                                                     number(above)});
        }
    }
}

}  // namespace kaname::jobs
