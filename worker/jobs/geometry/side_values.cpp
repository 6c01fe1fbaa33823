// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/side_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/text_file.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/io/dataset/greens_layout.hpp"
#include "worker/jobs/geometry/sources/slip_description.hpp"
#include "worker/jobs/geometry/sources/table_sources.hpp"

namespace kaname::jobs {
namespace {

struct Unit {
    const char* suffix;
    double factor;
};
constexpr Unit kDisplacement[] = {{"_m", 1.0}, {"_cm", 1e-2}, {"_mm", 1e-3}};
constexpr Unit kTraction[] = {{"_pa", 1.0}, {"_mpa", 1e6}};

struct Column {
    std::string name;
    double factor;
};

/// The column of a component in one of its units.
Column column_of(const CsvTable& table, const PrescribedSide& data, const std::string& component) {
    const std::span<const Unit> units =
        data.traction ? std::span<const Unit>(kTraction) : std::span<const Unit>(kDisplacement);
    std::vector<Column> found;
    std::string names;
    for (const Unit& unit : units) {
        const std::string name = component + unit.suffix;
        names += (names.empty() ? "" : ", ") + name;
        if (table.has(name)) {
            found.push_back({name, unit.factor});
        }
    }
    if (found.size() != 1) {
        throw Error(ErrorCode::InvalidArgument,
                    data.path + ": must have one of the columns " + names + ", got " +
                        (found.empty() ? "none" : std::to_string(found.size())));
    }
    return found.front();
}

}  // namespace

BoundaryTable read_boundary_table(const PrescribedSide& data) {
    const TextFile file(data.path);
    const CsvTable table(
        file, {"x_m",      "x_km",      "y_m",      "y_km",   "z_m",     "z_km",    "lon_deg",
               "lat_deg",  "depth_m",   "depth_km", "east_m", "east_cm", "east_mm", "north_m",
               "north_cm", "north_mm",  "up_m",     "up_cm",  "up_mm",   "east_pa", "east_mpa",
               "north_pa", "north_mpa", "up_pa",    "up_mpa"});
    std::array<Column, 3> columns;
    for (int comp = 0; comp < 3; ++comp) {
        if (data.given[comp]) {
            columns[comp] = column_of(table, data, kDirections[comp]);
        }
    }
    BoundaryTable result;
    result.geographic = table.has("lon_deg") || table.has("lat_deg");
    const bool down = table.has("depth_m") || table.has("depth_km");
    if (down && (table.has("z_m") || table.has("z_km"))) {
        throw Error(ErrorCode::InvalidArgument,
                    data.path + ": must have one of the columns z_m (up) and depth_m (down)");
    }
    for (const CsvTable::Row& row : table.rows()) {
        Vec3 place;
        if (result.geographic) {
            place.x = row.line.number_in("lon_deg", table.text(row, "lon_deg"), -180.0, 360.0,
                                         "must be from -180 to 360 degrees");
            place.y = row.line.number_in("lat_deg", table.text(row, "lat_deg"), -90.0, 90.0,
                                         "must be from -90 to 90 degrees");
        } else {
            place.x = table.metres(row, "x");
            place.y = table.metres(row, "y");
        }
        place.z = down ? -table.metres(row, "depth") : table.metres(row, "z");
        Vec3 value;
        for (int comp = 0; comp < 3; ++comp) {
            if (data.given[comp]) {
                value[comp] = columns[comp].factor * table.number(row, columns[comp].name);
            }
        }
        result.places.push_back(place);
        result.values.push_back(value);
    }
    return result;
}

namespace {

Vec3 area_of(const mesh::TetMesh& mesh, const mesh::BoundaryFace& face) {
    const auto& [a, b, c] = face.vertices;
    return 0.5 * cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
}

}  // namespace

SideData::SideData(const PrescribedSide& data, const Domain& domain, const Vec3& origin,
                   const Vec3& normal)
    : data_(data), domain_(domain) {
    bool true_directions = true;
    if (!data.path.empty()) {
        try {
            BoundaryTable table = read_boundary_table(data);
            true_directions = table.geographic;
            if (table.geographic && !domain.projected()) {
                throw Error(ErrorCode::InvalidArgument,
                            data.path + ": must have the columns x_m and y_m: region.crs is none");
            }
            for (Vec3& at : table.places) {
                if (table.geographic) {
                    const auto map = domain.projection().forward({at.x, at.y});
                    at = {map.x_m, map.y_m, at.z};
                }
            }
            table_.emplace(std::move(table.places), std::move(table.values),
                           fault::Plane::across(origin, normal));
        } catch (const Error& error) {
            throw ValidationError({{data.field + ".file", error.what()}});
        }
    }
    turned_ = true_directions && domain.projected() && data.given[0] && data.given[1];
}

Vec3 SideData::from_table(const Vec3& x) {
    const fault::SlipField::Sample sample = table_->at(x);
    const double same = fault::SlipField::kSamePoint * table_->extent_m();
    if (sample.outside_m > std::max(data_.reach_m, same)) {
        throw ValidationError(
            {{data_.field + ".file", "must cover '" + data_.name + "', but " + place_text(x) +
                                         " is " + number(sample.outside_m) + " m" +
                                         " outside of its points; add points, or give reach_m"}});
    }
    if (sample.beside_m > data_.reach_m + sample.size_m) {
        throw ValidationError({{data_.field + ".file",
                                "must lie on '" + data_.name + "', but its points are " +
                                    number(sample.beside_m) + " m" + " beside " + place_text(x)}});
    }
    return sample.value;
}

Vec3 SideData::at(const Vec3& x) {
    const Vec3 value =
        table_ ? from_table(x) : Vec3{data_.value[0], data_.value[1], data_.value[2]};
    return turned_ ? to_grid(value, convergence(domain_, x)) : value;
}

SideValues::SideValues(const PrescribedSide& data, const Domain& domain, const mesh::TetMesh& mesh,
                       const p2::DofMap& dofs, mesh::SurfaceId side, int n_parts) {
    Vec3 normal;
    Vec3 origin;
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        if (face.side == side) {
            normal += area_of(mesh, face);
            origin = mesh.xyz[face.vertices[0]];
        }
    }
    const bool by_table = !data.path.empty();
    SideData field(data, domain, origin, norm(normal) > 0.0 ? normal : Vec3{0.0, 0.0, 1.0});
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        if (!(face.side == side)) {
            continue;
        }
        if (by_table && dot(area_of(mesh, face), normal) <= 0.0) {
            throw ValidationError(
                {{data.field + ".file",
                  "'" + data.name + "' bends by 90 degrees from its mean normal at " +
                      place_text(mesh.xyz[face.vertices[0]]) +
                      ", so that a table cannot be projected on it: make it several surfaces"}});
        }
        for (int k = 0; k < 3; ++k) {
            const std::int32_t a = face.vertices[k];
            const std::int32_t mid = dofs.edge_node(a, face.vertices[(k + 1) % 3]);
            for (const std::int32_t node : {a, mid}) {
                const Vec3& x = dofs.node_xyz[node];
                const std::array<double, 3> key = {x.x, x.y, x.z};
                if (!at_.contains(key)) {
                    at_.emplace(key, (1.0 / n_parts) * field.at(x));
                }
            }
        }
    }
}

std::vector<std::string> SideSources::ids() const {
    std::vector<std::string> ids;
    for (const BoundarySource& source : sources_) {
        ids.push_back(source.id);
    }
    return ids;
}

int SideSources::index(const std::string& id) const {
    const auto found = std::ranges::find(sources_, id, &BoundarySource::id);
    return found == sources_.end() ? -1 : static_cast<int>(found - sources_.begin());
}

io::GreensDataset::Source SideSources::row(const std::string& id) const {
    const BoundarySource& source = sources_[index(id)];
    io::GreensDataset::Source row;
    row.id = source.id;
    row.patch_id = source.sides;
    row.component = io::layout::kSides;
    set_no_place(row);
    return row;
}

}  // namespace kaname::jobs
