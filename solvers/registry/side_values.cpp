// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/registry/side_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "solvers/registry/boundary_table.hpp"
#include "solvers/registry/dataset_places.hpp"
#include "solvers/registry/slip_table_in_model.hpp"

namespace kaname::registry {
namespace {

std::string place(const Vec3& x) {
    char text[96];
    std::snprintf(text, sizeof text, "(%.3f, %.3f, %.3f) m", x.x, x.y, x.z);
    return text;
}

std::string length(double metres) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g m", metres);
    return text;
}

Vec3 area_of(const mesh::TetMesh& mesh, const mesh::BoundaryFace& face) {
    const auto& [a, b, c] = face.vertices;
    return 0.5 * cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
}

}  // namespace

SideData::SideData(const BoundaryDataSpec& data, const Setup& setup, const Vec3& origin,
                   const Vec3& normal)
    : data_(data), setup_(setup) {
    bool true_directions = true;
    if (!data.path.empty()) {
        try {
            BoundaryTable table = read_boundary_table(data);
            true_directions = table.geographic;
            if (table.geographic && !setup.projected()) {
                throw Error(ErrorCode::InvalidArgument,
                            data.path + ": must have the columns x_m and y_m: region.crs is none");
            }
            for (Vec3& at : table.places) {
                if (table.geographic) {
                    const auto map = setup.projection().forward({at.x, at.y});
                    at = {map.x_m, map.y_m, at.z};
                }
            }
            table_.emplace(std::move(table.places), std::move(table.values),
                           sources::Plane::across(origin, normal));
        } catch (const Error& error) {
            throw ValidationError({{data.field + ".file", error.what()}});
        }
    }
    turned_ = true_directions && setup.projected() && data.given[0] && data.given[1];
}

Vec3 SideData::from_table(const Vec3& x) {
    const sources::SlipField::Sample sample = table_->at(x);
    const double same = sources::SlipField::kSamePoint * table_->extent_m();
    if (sample.outside_m > std::max(data_.reach_m, same)) {
        throw ValidationError(
            {{data_.field + ".file", "must cover '" + data_.name + "', but " + place(x) + " is " +
                                         length(sample.outside_m) +
                                         " outside of its points; add points, or give reach_m"}});
    }
    if (sample.beside_m > data_.reach_m + sample.size_m) {
        throw ValidationError(
            {{data_.field + ".file", "must lie on '" + data_.name + "', but its points are " +
                                         length(sample.beside_m) + " beside " + place(x)}});
    }
    return sample.value;
}

Vec3 SideData::at(const Vec3& x) {
    const Vec3 value =
        table_ ? from_table(x) : Vec3{data_.value[0], data_.value[1], data_.value[2]};
    return turned_ ? to_grid(value, convergence(setup_, x)) : value;
}

SideValues::SideValues(const BoundaryDataSpec& data, const Setup& setup, const mesh::TetMesh& mesh,
                       const fem::DofMap& dofs, mesh::SurfaceId side) {
    Vec3 normal;
    Vec3 origin;
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        if (face.side == side) {
            normal += area_of(mesh, face);
            origin = mesh.xyz[face.vertices[0]];
        }
    }
    const bool by_table = !data.path.empty();
    SideData field(data, setup, origin, norm(normal) > 0.0 ? normal : Vec3{0.0, 0.0, 1.0});
    for (const mesh::BoundaryFace& face : mesh.boundary_faces) {
        if (!(face.side == side)) {
            continue;
        }
        if (by_table && dot(area_of(mesh, face), normal) <= 0.0) {
            throw ValidationError(
                {{data.field + ".file",
                  "'" + data.name + "' bends by 90 degrees from its mean normal at " +
                      place(mesh.xyz[face.vertices[0]]) +
                      ", so that a table cannot be projected on it: make it several surfaces"}});
        }
        for (int k = 0; k < 3; ++k) {
            const std::int32_t a = face.vertices[k];
            const std::int32_t mid = dofs.edge_node(a, face.vertices[(k + 1) % 3]);
            for (const std::int32_t node : {a, mid}) {
                const Vec3& x = dofs.node_xyz[node];
                const std::array<double, 3> key = {x.x, x.y, x.z};
                if (!at_.contains(key)) {
                    at_.emplace(key, field.at(x));
                }
            }
        }
    }
}

}  // namespace kaname::registry
