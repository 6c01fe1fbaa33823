// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/fault/fault_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/fault/split_nodes.hpp"
#include "solvers/mesh/face_set.hpp"
#include "solvers/p2/dof_map.hpp"

namespace kaname::fault {
namespace {

/// The tets at faults alone, with the whole mesh's vertices: their nodes can be numbered cheaply.
mesh::TetMesh mesh_at_faults(const mesh::TetMesh& mesh) {
    std::vector<bool> on_fault(mesh.xyz.size(), false);
    for (const mesh::FaultFace& face : mesh.fault_faces) {
        for (const std::int32_t vertex : face.vertices) {
            on_fault[vertex] = true;
        }
    }
    mesh::TetMesh part;
    part.xyz = mesh.xyz;
    part.fault_faces = mesh.fault_faces;
    for (const auto& tet : mesh.tets) {
        if (std::ranges::any_of(tet, [&](std::int32_t vertex) { return on_fault[vertex]; })) {
            part.tets.push_back(tet);
        }
    }
    return part;
}

class Reporter {
public:
    explicit Reporter(const mesh::TetMesh& mesh)
        : mesh_(mesh),
          part_(mesh_at_faults(mesh)),
          dofs_(part_),
          nodes_(split_fault_nodes(part_, dofs_.conn, dofs_.node_xyz)) {}

    std::vector<FaultReport> run() {
        std::vector<FaultReport> reports(mesh_.faults.size());
        std::vector<std::vector<std::int32_t>> faces(reports.size());
        for (std::size_t face = 0; face < mesh_.fault_faces.size(); ++face) {
            faces.at(mesh_.fault_faces[face].fault).push_back(static_cast<std::int32_t>(face));
        }
        for (std::size_t fault = 0; fault < reports.size(); ++fault) {
            reports[fault].name = mesh_.faults[fault];
            fault_ = static_cast<std::int32_t>(fault);
            if (!faces[fault].empty()) {
                measure(faces[fault], reports[fault]);
            }
        }
        return reports;
    }

private:
    using Edge = std::pair<std::int32_t, std::int32_t>;

    [[nodiscard]] bool splits(std::int32_t node) const { return nodes_.index({node, fault_}) >= 0; }
    void measure(const std::vector<std::int32_t>& faces, FaultReport& report) const;
    void count_nodes(const std::vector<std::int32_t>& faces,
                     const std::map<Edge, std::vector<std::int32_t>>& edges,
                     FaultReport& report) const;

    const mesh::TetMesh& mesh_;
    mesh::TetMesh part_;
    p2::DofMap dofs_;
    SplitNodes nodes_;
    std::int32_t fault_ = 0;  ///< the fault being measured
};

double area_m2(const mesh::TetMesh& mesh, std::int32_t face) {
    const auto& v = mesh.fault_faces[face].vertices;
    return 0.5 * norm(cross(mesh.xyz[v[1]] - mesh.xyz[v[0]], mesh.xyz[v[2]] - mesh.xyz[v[0]]));
}

/// Counts a fault's pieces, and faces of those that are too small to be there by intent.
void count_pieces(const mesh::TetMesh& mesh, const std::vector<std::int32_t>& faces,
                  FaultReport& report) {
    std::vector<std::array<std::int32_t, 3>> vertices;
    std::vector<double> size;
    for (const std::int32_t face : faces) {
        vertices.push_back(mesh.fault_faces[face].vertices);
        size.push_back(area_m2(mesh, face));
    }
    const mesh::FacePieces pieces = mesh::find_pieces(vertices, size);
    for (std::size_t i = 0; i < faces.size(); ++i) {
        report.pieces += pieces.of[i] == static_cast<std::int32_t>(i) ? 1 : 0;
        if (pieces.stray[i]) {
            ++report.stray_faces;
            report.stray = mesh.xyz[vertices[i][0]];
        }
    }
}

void Reporter::measure(const std::vector<std::int32_t>& faces, FaultReport& report) const {
    report.faces = std::ssize(faces);
    report.top_depth_m = std::numeric_limits<double>::max();
    report.bottom_depth_m = std::numeric_limits<double>::lowest();
    std::map<Edge, std::vector<std::int32_t>> edges;  // positions in `faces`
    for (std::size_t i = 0; i < faces.size(); ++i) {
        const auto& v = mesh_.fault_faces[faces[i]].vertices;
        report.area_m2 += area_m2(mesh_, faces[i]);
        for (int k = 0; k < 3; ++k) {
            const double depth = -mesh_.xyz[v[k]].z;
            report.top_depth_m = std::min(report.top_depth_m, depth);
            report.bottom_depth_m = std::max(report.bottom_depth_m, depth);
            edges[std::minmax(v[k], v[(k + 1) % 3])].push_back(static_cast<std::int32_t>(i));
        }
    }
    count_pieces(mesh_, faces, report);
    for (const auto& [edge, around] : edges) {
        // Where a fault ends on the outside, the middle of its last edge is free to slip.
        if (around.size() == 1 && !splits(dofs_.edge_node(edge.first, edge.second))) {
            report.rim_m += norm(mesh_.xyz[edge.second] - mesh_.xyz[edge.first]);
        }
    }
    count_nodes(faces, edges, report);
}

void Reporter::count_nodes(const std::vector<std::int32_t>& faces,
                           const std::map<Edge, std::vector<std::int32_t>>& edges,
                           FaultReport& report) const {
    std::vector<std::int32_t> all, border;
    for (const auto& [edge, around] : edges) {
        const auto& [a, b] = edge;
        for (const std::int32_t node : {a, b, dofs_.edge_node(a, b)}) {
            all.push_back(node);
            if (around.size() == 1) {
                border.push_back(node);
            }
        }
    }
    for (auto* nodes : {&all, &border}) {
        std::ranges::sort(*nodes);
        nodes->erase(std::unique(nodes->begin(), nodes->end()), nodes->end());
    }
    for (const std::int32_t node : all) {
        if (splits(node)) {
            ++report.split_nodes;
        } else if (std::ranges::binary_search(border, node)) {
            ++report.rim_nodes;
        } else {
            ++report.orphan_nodes;
            report.orphan = dofs_.node_xyz[node];
        }
    }
    for (const std::int32_t face : faces) {
        const auto& [a, b, c] = mesh_.fault_faces[face].vertices;
        const auto nodes = {
            a, b, c, dofs_.edge_node(a, b), dofs_.edge_node(b, c), dofs_.edge_node(a, c)};
        report.stuck_faces +=
            std::ranges::none_of(nodes, [&](std::int32_t node) { return splits(node); }) ? 1 : 0;
    }
}

}  // namespace

std::vector<FaultReport> report_faults(const mesh::TetMesh& mesh) {
    return Reporter(mesh).run();
}

namespace {

void check(const StressChange& stress, const Receiver& receiver) {
    for (const double value : stress) {
        if (!std::isfinite(value)) {
            throw Error(ErrorCode::InvalidArgument,
                        "stress change must be finite, got " + std::to_string(value));
        }
    }
    if (!std::isfinite(receiver.strike_rad + receiver.dip_rad + receiver.rake_rad)) {
        throw Error(ErrorCode::InvalidArgument,
                    "receiver: strike, dip and rake must be finite, got " +
                        std::to_string(receiver.strike_rad) + ", " +
                        std::to_string(receiver.dip_rad) + ", " +
                        std::to_string(receiver.rake_rad));
    }
    if (!(receiver.friction >= 0.0) || !std::isfinite(receiver.friction)) {
        throw Error(ErrorCode::InvalidArgument, "receiver: friction must be finite and >= 0, got " +
                                                    std::to_string(receiver.friction));
    }
    if (!(receiver.skempton >= 0.0 && receiver.skempton <= 1.0)) {
        throw Error(ErrorCode::InvalidArgument, "receiver: skempton must be from 0 to 1, got " +
                                                    std::to_string(receiver.skempton));
    }
}

}  // namespace

CoulombChange coulomb_change(const StressChange& stress_pa, const Receiver& receiver) {
    check(stress_pa, receiver);
    const double sin_strike = std::sin(receiver.strike_rad);
    const double cos_strike = std::cos(receiver.strike_rad);
    const double sin_dip = std::sin(receiver.dip_rad);
    const double cos_dip = std::cos(receiver.dip_rad);
    const Vec3 along_strike = {sin_strike, cos_strike, 0.0};
    const Vec3 up_dip = {-cos_strike * cos_dip, sin_strike * cos_dip, sin_dip};
    const Vec3 normal = {cos_strike * sin_dip, -sin_strike * sin_dip, cos_dip};
    const Vec3 rake =
        std::cos(receiver.rake_rad) * along_strike + std::sin(receiver.rake_rad) * up_dip;
    const auto& [xx, yy, zz, xy, yz, xz] = stress_pa;
    const Vec3 traction = {xx * normal.x + xy * normal.y + xz * normal.z,
                           xy * normal.x + yy * normal.y + yz * normal.z,
                           xz * normal.x + yz * normal.y + zz * normal.z};
    CoulombChange change;
    change.shear_pa = dot(traction, rake);
    change.normal_pa = dot(traction, normal);
    const double pressure_pa = -receiver.skempton * (xx + yy + zz) / 3.0;
    change.coulomb_pa = change.shear_pa + receiver.friction * (change.normal_pa + pressure_pa);
    return change;
}

}  // namespace kaname::fault
