// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/table_slip.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"
#include "solvers/fault/slip_field.hpp"

namespace kaname::fault {
namespace {

const double kLevel = std::sin(kDegree);  // a fault of so small a dip has no strike

std::string at(const Vec3& x) {
    char text[96];
    std::snprintf(text, sizeof text, "(%.3f, %.3f, %.3f) m", x.x, x.y, x.z);
    return text;
}

Vec3 area_of(const mesh::TetMesh& mesh, const mesh::FaultFace& face) {
    const auto& [a, b, c] = face.vertices;
    return 0.5 * cross(mesh.xyz[b] - mesh.xyz[a], mesh.xyz[c] - mesh.xyz[a]);
}

/// Left-lateral and reverse slip as a vector: strike to the left of the dip, dip slip up the dip of
/// the plus side.
Vec3 from_components(const Vec3& slip, const Vec3& normal, std::optional<double> strike_rad,
                     const Vec3& x) {
    Vec3 strike = {-normal.y, normal.x, 0.0};
    if (norm(strike) < kLevel) {
        if (!strike_rad) {
            throw Error(ErrorCode::InvalidArgument,
                        "the fault is level at " + at(x) +
                            ": give the surface's strike_deg or slip as a vector");
        }
        strike = {std::sin(*strike_rad), std::cos(*strike_rad), 0.0};
        strike = strike - dot(strike, normal) * normal;
    }
    strike = normalized(strike);
    return slip.x * strike + slip.y * cross(normal, strike);
}

SlipField field_of(const SlipTable& table, const Plane& plane) {
    try {
        return {table.places, table.slip, plane};
    } catch (const Error& error) {
        throw Error(error.code(), std::string("the table as seen across the fault: ") +
                                      error.what() + " (rows counted from 0)");
    }
}

void check_one_sided(const mesh::TetMesh& mesh, std::int32_t fault, const Vec3& mean) {
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        if (face.fault == fault && dot(area_of(mesh, face), mean) <= 0.0) {
            throw Error(ErrorCode::InvalidArgument,
                        "the fault bends by 90 degrees from its mean normal at " +
                            at(mesh.xyz[face.vertices[0]]) +
                            ", so that a table cannot be projected on it: make it several physical "
                            "surfaces");
        }
    }
}

}  // namespace

FaultNodeSet fault_nodes(const mesh::TetMesh& mesh, const p2::DofMap& dofs, std::int32_t fault) {
    FaultNodeSet nodes;
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        if (face.fault != fault) {
            continue;
        }
        const Vec3 area = area_of(mesh, face);
        nodes.mean_area += area;
        for (int k = 0; k < 3; ++k) {
            const std::int32_t a = face.vertices[k];
            nodes.area[a] += area;
            nodes.area[dofs.edge_node(a, face.vertices[(k + 1) % 3])] += area;
        }
    }
    return nodes;
}

TableSlip slip_of_table(const SlipTable& table, const FaultNodeSet& nodes,
                        const mesh::TetMesh& mesh, const p2::DofMap& dofs, std::int32_t fault,
                        double reach_m, std::optional<double> strike_rad) {
    check_one_sided(mesh, fault, nodes.mean_area);
    std::vector<std::int32_t> order;
    for (const auto& [node, area] : nodes.area) {
        order.push_back(node);
    }
    std::ranges::sort(order);  // vertices, then mid-edge nodes
    SlipField field = field_of(table, Plane::across(dofs.node_xyz[order.front()], nodes.mean_area));
    std::unordered_map<std::int32_t, Vec3> exact;
    TableSlip result;
    bool reached = false;
    for (const std::int32_t node : order) {
        const Vec3& x = dofs.node_xyz[node];
        const SlipField::Sample sample = field.at(x);
        Vec3 slip = sample.value;
        bool inside =
            sample.outside_m <= std::max(reach_m, SlipField::kSamePoint * field.extent_m()) &&
            sample.beside_m <= reach_m + sample.size_m;
        if (sample.point >= 0) {
            exact.emplace(node, sample.value);
        } else if (node >= dofs.n_vertices) {
            const auto& [a, b] = dofs.edges[node - dofs.n_vertices];
            if (exact.contains(a) && exact.contains(b)) {
                slip = 0.5 * (exact.at(a) + exact.at(b));
                inside = true;
            }
        }
        if (!inside) {
            ++result.outside;
            result.farthest_m =
                std::max(result.farthest_m, std::hypot(sample.outside_m, sample.beside_m));
            slip = {};
        }
        reached = reached || inside;
        const Vec3 normal = normalized(nodes.area.at(node));
        if (table.by_components && norm(slip) > 0.0) {
            slip = from_components(slip, normal, strike_rad, x);
        }
        result.opening_m = std::max(result.opening_m, std::abs(dot(slip, normal)));
        result.slip.emplace(node, slip);
    }
    if (!reached) {
        throw Error(ErrorCode::InvalidArgument,
                    "no node of the fault is within the table's reach: the fault is near " +
                        at(dofs.node_xyz[order.front()]) + ", the table near " +
                        at(table.places.front()));
    }
    return result;
}

}  // namespace kaname::fault
