// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "solvers/base/error.hpp"
#include "solvers/lanes/lanes.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

BoundaryData::BoundaryData(const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                           const p2::LocalMesh& local, std::vector<BoundaryCondition> conditions)
    : local_(local), conditions_(std::move(conditions)) {
    std::unordered_map<std::int64_t, std::int32_t> local_node;
    for (std::int32_t node = 0; node < local.n_nodes(); ++node) {
        local_node.emplace(local.node_gid[node], node);
    }
    const auto find = [&](std::int64_t gid) {
        const auto found = local_node.find(gid);
        return found == local_node.end() ? -1 : found->second;
    };
    // Faces whose element is here carry tractions; nodes that are here carry fixed values, also
    // where only a neighbour rank has the face.
    std::map<std::array<std::int32_t, 3>, bool> own_face;
    for (const auto& conn : local.conn) {
        for (int face = 0; face < 4; ++face) {
            std::array<std::int32_t, 3> key{};
            for (int k = 0; k < 3; ++k) {
                key[k] = static_cast<std::int32_t>(local.node_gid[conn[p2::kTetFaces[face][k]]]);
            }
            std::sort(key.begin(), key.end());
            const auto [place, fresh] = own_face.try_emplace(key, true);
            if (!fresh) {
                own_face.erase(place);
            }
        }
    }
    std::map<std::int32_t, int> condition_of;  // dof -> condition; the last named side wins
    for (const auto& face : mesh.boundary_faces) {
        const auto& v = face.vertices;
        std::array<std::int64_t, 6> gid = {v[0],
                                           v[1],
                                           v[2],
                                           dofs.edge_node(v[0], v[1]),
                                           dofs.edge_node(v[1], v[2]),
                                           dofs.edge_node(v[2], v[0])};
        std::array<std::int32_t, 6> node{};
        std::transform(gid.begin(), gid.end(), node.begin(), find);
        for (std::size_t c = 0; c < conditions_.size(); ++c) {
            if (conditions_[c].side != face.side) {
                continue;
            }
            if (conditions_[c].kind != BoundaryCondition::Kind::Traction) {
                for (const std::int32_t n : node) {
                    if (n >= 0) {
                        int& condition =
                            condition_of.try_emplace(n * 3 + conditions_[c].component, 0)
                                .first->second;
                        condition = std::max(condition, static_cast<int>(c));
                    }
                }
                continue;
            }
            std::array<std::int32_t, 3> key = v;
            std::sort(key.begin(), key.end());
            if (own_face.contains(key)) {
                const double area = 0.5 * norm(cross(mesh.xyz[v[1]] - mesh.xyz[v[0]],
                                                     mesh.xyz[v[2]] - mesh.xyz[v[0]]));
                tractions_.push_back({node, {}, area, static_cast<int>(c)});
                for (const std::int32_t n : node) {
                    loaded_.push_back(n * 3 + conditions_[c].component);
                }
                has_values_ = true;
            }
        }
    }
    for (const auto& [dof, condition] : condition_of) {
        if (conditions_[condition].kind == BoundaryCondition::Kind::Prescribed) {
            prescribed_.push_back({fixed_.size(), condition});
        }
        fixed_.push_back(dof);
    }
    std::sort(loaded_.begin(), loaded_.end());
    loaded_.erase(std::unique(loaded_.begin(), loaded_.end()), loaded_.end());
    for (Face& face : tractions_) {
        const int comp = conditions_[face.condition].component;
        std::transform(face.nodes.begin(), face.nodes.end(), face.at.begin(),
                       [&](std::int32_t n) -> std::size_t {
                           return std::lower_bound(loaded_.begin(), loaded_.end(), n * 3 + comp) -
                                  loaded_.begin();
                       });
    }
    has_values_ = has_values_ ||
                  std::any_of(conditions_.begin(), conditions_.end(), [](const auto& condition) {
                      return condition.kind != BoundaryCondition::Kind::Fixed;
                  });
    for (std::int32_t v = 0; v < local.n_vertices(); ++v) {
        for (int comp = 0; comp < 3; ++comp) {
            if (std::binary_search(fixed_.begin(), fixed_.end(), local.vertex_node[v] * 3 + comp)) {
                fixed_p1_.push_back(v * 3 + comp);
            }
        }
    }
}

void BoundaryData::prescribed(double t_s, std::span<double> values) const {
    std::fill(values.begin(), values.end(), 0.0);
    for (const Value& value : prescribed_) {
        const Vec3& x = local_.node_xyz[fixed_[value.at] / 3];
        for (int lane = 0; lane < kLanes; ++lane) {
            values[value.at * kLanes + lane] = conditions_[value.condition].value(x, t_s, lane);
        }
    }
}

void BoundaryData::traction(double t_s, double force_unit_pa_m2, std::span<double> values) const {
    std::fill(values.begin(), values.end(), 0.0);
    // int N_a N_b dA over a P2 triangle, times 180/area: vertices 6, -1; vertex to opposite
    // mid-edge -4; mid-edges 32, 16. The traction is interpolated at the six nodes.
    constexpr double kVertex[3] = {6.0, -1.0, -1.0};
    for (const Face& face : tractions_) {
        const BoundaryCondition& condition = conditions_[face.condition];
        const double scale = face.area_m2 / 180.0 / force_unit_pa_m2;
        for (int lane = 0; lane < kLanes; ++lane) {
            double t[6];
            for (int b = 0; b < 6; ++b) {
                t[b] = condition.value(local_.node_xyz[face.nodes[b]], t_s, lane);
            }
            for (int a = 0; a < 6; ++a) {
                double sum = 0.0;
                for (int b = 0; b < 6; ++b) {
                    double mass = 0.0;
                    if (a < 3 && b < 3) {
                        mass = kVertex[a == b ? 0 : 1];
                    } else if (a >= 3 && b >= 3) {
                        mass = a == b ? 32.0 : 16.0;
                    } else {
                        // Mid-edge 3 is v0-v1, opposite v2; 4 opposite v0; 5 opposite v1.
                        const int vertex = std::min(a, b);
                        const int mid = std::max(a, b);
                        mass = (mid - 3 + 2) % 3 == vertex ? -4.0 : 0.0;
                    }
                    sum += mass * t[b];
                }
                values[face.at[a] * kLanes + lane] += scale * sum;
            }
        }
    }
}

void require_no_rigid_motion(const p2::LocalMesh& local, std::span<const std::int32_t> fixed,
                             comm::Comm& comm) {
    constexpr const char* kNames[6] = {"translation east",
                                       "translation north",
                                       "translation up",
                                       "rotation about the east axis",
                                       "rotation about the north axis",
                                       "rotation about the vertical axis"};
    double size = 1.0;
    for (const Vec3& x : local.node_xyz) {
        size = std::max(size, norm(x));
    }
    size = comm.max(size);
    double gram[36] = {};
    for (const std::int32_t dof : fixed) {
        const Vec3 x = (1.0 / size) * local.node_xyz[dof / 3];
        const double spin[3][3] = {{0.0, x.z, -x.y}, {-x.z, 0.0, x.x}, {x.y, -x.x, 0.0}};
        double mode[6] = {};
        mode[dof % 3] = 1.0;
        std::copy_n(spin[dof % 3], 3, mode + 3);
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                gram[i * 6 + j] += mode[i] * mode[j];
            }
        }
    }
    comm.sum(std::span<double>(gram));
    // Cholesky: a vanishing pivot is a motion that no fixed degree of freedom resists.
    for (int i = 0; i < 6; ++i) {
        const double diagonal = gram[i * 6 + i];
        for (int j = 0; j < i; ++j) {
            for (int k = 0; k < j; ++k) {
                gram[i * 6 + j] -= gram[i * 6 + k] * gram[j * 6 + k];
            }
            gram[i * 6 + j] /= gram[j * 6 + j];
            gram[i * 6 + i] -= gram[i * 6 + j] * gram[i * 6 + j];
        }
        if (diagonal <= 0.0 || gram[i * 6 + i] < 1e-8 * diagonal) {
            throw Error(ErrorCode::InvalidArgument,
                        std::string("boundaries: nothing resists ") + kNames[i] +
                            " of the model, the system is singular; fix a side or use rollers on "
                            "sides that together hold it");
        }
        gram[i * 6 + i] = std::sqrt(gram[i * 6 + i]);
    }
}

}  // namespace kaname::viscoelastic
