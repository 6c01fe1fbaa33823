// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/domain.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"

namespace kaname::jobs {

int VolumeGeometry::surface(const std::string& name) const {
    const auto found = std::ranges::find(model_->surfaces, name, &earth::ModelSurface::name);
    if (found == model_->surfaces.end()) {
        throw Error(ErrorCode::InvalidArgument,
                    "fault.interface.of: must name one of structure.surfaces, got '" + name + "'");
    }
    return static_cast<int>(found - model_->surfaces.begin());
}

double VolumeGeometry::slope_along(int surface, const Vec3& x, const Vec3& direction) const {
    const auto at = field(surface).slope(frame_.b(x.x, x.y), frame_.a(x.x, x.y));
    return at.dz_du * frame_.b(direction.x, direction.y) +
           at.dz_dv * frame_.a(direction.x, direction.y);
}

const earth::Material& VolumeGeometry::material(const Vec3& x) const {
    const double u = frame_.b(x.x, x.y);
    const double v = frame_.a(x.x, x.y);
    // The free surface itself is not above it.
    const double z = std::min(x.z, field(0).z(u, v));
    const earth::Volume& volume = model_->volumes[std::max(0, model_->volume_at(u, v, z))];
    return model_->materials[volume.material->material_at(u, v, z)];
}

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
    } else if (!std::holds_alternative<MeshFileFaults>(job.fault)) {
        throw Error(ErrorCode::Internal, "structure: the model of its volumes has not been built");
    }
    for (const Station& station : job.stations) {
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

std::string Domain::mistake_of(const Station& station) const {
    const double lon_deg = std::remainder(station.lon_deg, 360.0), lat_deg = station.lat_deg;
    const auto inside = [&](double lon, double lat) {
        if (!projection_ || std::abs(lat) > 90.0) {
            return false;
        }
        const earth::MapPoint at = projection_->forward({lon, lat});
        return inside_box({at.x_m, at.y_m, 0.0});
    };
    return inside(lat_deg, lon_deg) ? "; are longitude and latitude exchanged?"
           : inside(-lon_deg, lat_deg) || inside(lon_deg, -lat_deg)
               ? "; is a sign wrong? West and south are below 0"
               : "";
}

void Domain::check_stations(std::vector<Violation>& violations) const {
    for (std::size_t k = 0; k < stations_.size(); ++k) {
        const Station& station = job_.stations[k];
        const Vec3& x = stations_[k];
        if (!inside_box(x)) {
            violations.push_back(
                {station.field, "station '" + station.id + "' must lie inside the region, got " +
                                    degrees_text({station.lon_deg, station.lat_deg}) + " depth " +
                                    number(0.0 - x.z) + " m, which is " + number(x.x / 1000.0) +
                                    " km east and " + number(x.y / 1000.0) +
                                    " km north of its centre" + mistake_of(station)});
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

std::vector<std::string> Domain::curvature_warnings(const std::vector<Vec3>& slips) const {
    // There the sphere's surface lies 20 km below the tangent plane.
    constexpr double kFlat_m = 500e3;
    if (!projected() || slips.empty()) {
        return {};
    }
    std::size_t beyond = 0, farthest = 0;
    double most_m = 0.0;
    for (std::size_t k = 0; k < stations_.size(); ++k) {
        double away_m = std::numeric_limits<double>::infinity();
        for (const Vec3& slip : slips) {
            away_m = std::min(away_m, std::hypot(slip.x - stations_[k].x, slip.y - stations_[k].y));
        }
        beyond += away_m > kFlat_m ? 1 : 0;
        if (away_m > most_m) {
            most_m = away_m;
            farthest = k;
        }
    }
    if (beyond == 0) {
        return {};
    }
    return {"stations: " + (beyond == 1 ? "one lies" : std::to_string(beyond) + " lie") +
            " more than 500 km from the slip ('" + job_.stations[farthest].id +
            "': " + number(std::round(most_m / 1000.0)) +
            " km), where the Earth's curvature counts: the model is flat, in a larger box too. "
            "Compare with a spherical code there"};
}

namespace {

constexpr double kInside = -1e-9;  // barycentric coordinate of a point on an edge, with rounding
constexpr double kFacesPerCell = 2.0;
constexpr int kMostCells = 1024;  // a side

struct Extent {
    double x0 = std::numeric_limits<double>::infinity(), x1 = -x0, y0 = x0, y1 = -x0;
    void add(const Vec3& x) {
        x0 = std::min(x0, x.x);
        x1 = std::max(x1, x.x);
        y0 = std::min(y0, x.y);
        y1 = std::max(y1, x.y);
    }
};

}  // namespace

TopHeight::TopHeight(const mesh::TetMesh& mesh) : mesh_(mesh) {
    Extent all;
    std::vector<std::pair<std::int32_t, Extent>> top;
    for (std::size_t f = 0; f < mesh.boundary_faces.size(); ++f) {
        if (mesh.boundary_faces[f].side == mesh.top) {
            Extent of_face;
            for (const std::int32_t vertex : mesh.boundary_faces[f].vertices) {
                of_face.add(mesh.xyz[vertex]);
                all.add(mesh.xyz[vertex]);
            }
            top.emplace_back(static_cast<std::int32_t>(f), of_face);
        }
    }
    if (!top.empty()) {
        n_ =
            std::clamp(static_cast<int>(std::sqrt(static_cast<double>(top.size()) / kFacesPerCell)),
                       1, kMostCells);
        x0_ = all.x0;
        y0_ = all.y0;
        cell_x_ = std::max(all.x1 - all.x0, 1e-9) / n_;
        cell_y_ = std::max(all.y1 - all.y0, 1e-9) / n_;
    }
    const auto each_cell = [&](const Extent& e, auto visit) {
        for (int j = row(e.y0); j <= row(e.y1); ++j) {
            for (int i = column(e.x0); i <= column(e.x1); ++i) {
                visit(j * n_ + i);
            }
        }
    };
    first_.assign(static_cast<std::size_t>(n_) * n_ + 1, 0);
    for (const auto& [face, extent] : top) {
        each_cell(extent, [&](int cell) { ++first_[cell + 1]; });
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    faces_.resize(first_.back());
    std::vector<std::int32_t> next(first_.begin(), first_.end() - 1);
    for (const auto& [face, extent] : top) {
        each_cell(extent, [&, id = face](int cell) { faces_[next[cell]++] = id; });
    }
}

int TopHeight::column(double x) const {
    return static_cast<int>(std::clamp((x - x0_) / cell_x_, 0.0, n_ - 1.0));
}

int TopHeight::row(double y) const {
    return static_cast<int>(std::clamp((y - y0_) / cell_y_, 0.0, n_ - 1.0));
}

std::optional<double> TopHeight::at(double x, double y) const {
    const int cell = row(y) * n_ + column(x);
    for (std::int32_t k = first_[cell]; k < first_[cell + 1]; ++k) {
        const mesh::BoundaryFace& face = mesh_.boundary_faces[faces_[k]];
        const std::array<Vec3, 3> v = {mesh_.xyz[face.vertices[0]], mesh_.xyz[face.vertices[1]],
                                       mesh_.xyz[face.vertices[2]]};
        const auto area = [&](const Vec3& a, const Vec3& b) {
            return (a.x - x) * (b.y - y) - (a.y - y) * (b.x - x);
        };
        const std::array<double, 3> parts = {area(v[1], v[2]), area(v[2], v[0]), area(v[0], v[1])};
        const double sum = parts[0] + parts[1] + parts[2];
        if (sum > 0.0 && std::ranges::min(parts) >= kInside * sum) {
            return (parts[0] * v[0].z + parts[1] * v[1].z + parts[2] * v[2].z) / sum;
        }
    }
    return std::nullopt;
}

}  // namespace kaname::jobs
