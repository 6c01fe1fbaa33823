// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/geometry/side_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/base/text.hpp"
#include "solvers/io/dataset/greens_layout.hpp"
#include "worker/jobs/geometry/boundary_table.hpp"
#include "worker/jobs/geometry/sources/slip_description.hpp"
#include "worker/jobs/geometry/sources/table_sources.hpp"

namespace kaname::jobs {
namespace {

Vec3 area_of(const mesh::TetMesh& mesh, const mesh::BoundaryFace& face) {
    const auto& [a, b, c] = face.vertices;
    return 0.5 * cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
}

}  // namespace

SideData::SideData(const BoundaryDataSpec& data, const Domain& domain, const Vec3& origin,
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

SideValues::SideValues(const BoundaryDataSpec& data, const Domain& domain,
                       const mesh::TetMesh& mesh, const p2::DofMap& dofs, mesh::SurfaceId side,
                       int n_parts) {
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
    for (const BoundarySourceSpec& source : sources_) {
        ids.push_back(source.id);
    }
    return ids;
}

int SideSources::index(const std::string& id) const {
    const auto found = std::ranges::find(sources_, id, &BoundarySourceSpec::id);
    return found == sources_.end() ? -1 : static_cast<int>(found - sources_.begin());
}

io::GreensDataset::Source SideSources::row(const std::string& id) const {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const BoundarySourceSpec& source = sources_[index(id)];
    io::GreensDataset::Source row;
    row.id = source.id;
    row.patch_id = source.sides;
    row.component = io::layout::kSides;
    for (double* number : {&row.rake_deg, &row.lon_deg, &row.lat_deg, &row.depth_m, &row.x_m,
                           &row.y_m, &row.strike_deg, &row.dip_deg}) {
        *number = kNaN;
    }
    for (auto* corners : {&row.outline_lon_deg, &row.outline_lat_deg, &row.outline_depth_m,
                          &row.outline_x_m, &row.outline_y_m}) {
        std::fill(std::begin(*corners), std::end(*corners), kNaN);
    }
    return row;
}

}  // namespace kaname::jobs
