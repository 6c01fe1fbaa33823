// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/boundary.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/parallel/loops.hpp"

namespace kaname::viscoelastic {

using lanes::kLanes;

namespace {

using FaceKey = std::array<std::int32_t, 3>;

FaceKey sorted(FaceKey key) {
    std::sort(key.begin(), key.end());
    return key;
}

/// Returns those of the faces (vertices, ascending) that exactly one element of this rank has.
std::vector<FaceKey> own_faces(const p2::LocalMesh& local, std::vector<FaceKey> faces) {
    std::sort(faces.begin(), faces.end());
    faces.erase(std::unique(faces.begin(), faces.end()), faces.end());
    std::vector<std::int32_t> count(faces.size(), 0);
    parallel_for(faces.empty() ? 0 : local.n_tets(), [&](std::int64_t elem) {
        for (const auto& face : p2::kTetFaces) {
            FaceKey key{};
            for (int k = 0; k < 3; ++k) {
                key[k] = static_cast<std::int32_t>(local.node_gid[local.conn[elem][face[k]]]);
            }
            key = sorted(key);
            const auto found = std::lower_bound(faces.begin(), faces.end(), key);
            if (found != faces.end() && *found == key) {
                std::atomic_ref(count[found - faces.begin()]).fetch_add(1);
            }
        }
    });
    std::size_t kept = 0;
    for (std::size_t face = 0; face < faces.size(); ++face) {
        if (count[face] == 1) {
            faces[kept++] = faces[face];
        }
    }
    faces.resize(kept);
    return faces;
}

}  // namespace

BoundaryData::BoundaryData(const mesh::TetMesh& mesh, const p2::DofMap& dofs,
                           const p2::LocalMesh& local, std::vector<BoundaryCondition> conditions)
    : local_(local), conditions_(std::move(conditions)) {
    std::vector<std::int32_t> local_node(dofs.n_nodes(), -1);
    parallel_for(local.n_nodes(), [&](std::int64_t node) {
        local_node[local.node_gid[node]] = static_cast<std::int32_t>(node);
    });
    const auto has_traction = [&](mesh::SurfaceId side) {
        return std::ranges::any_of(conditions_, [&](const BoundaryCondition& condition) {
            return condition.side == side && condition.kind == BoundaryCondition::Kind::Traction;
        });
    };
    // Faces whose element is here carry tractions; nodes that are here carry fixed values, also
    // where only a neighbour rank has the face.
    std::vector<FaceKey> wanted;
    for (const auto& face : mesh.boundary_faces) {
        if (has_traction(face.side)) {
            wanted.push_back(sorted(face.vertices));
        }
    }
    const std::vector<FaceKey> own = own_faces(local, std::move(wanted));
    std::vector<std::pair<std::int32_t, int>> condition_of;  // (dof, condition)
    for (const auto& face : mesh.boundary_faces) {
        const auto& v = face.vertices;
        std::array<std::int32_t, 6> node = {v[0],
                                            v[1],
                                            v[2],
                                            dofs.edge_node(v[0], v[1]),
                                            dofs.edge_node(v[1], v[2]),
                                            dofs.edge_node(v[2], v[0])};
        for (std::int32_t& n : node) {
            n = n < 0 ? -1 : local_node[n];
        }
        for (std::size_t c = 0; c < conditions_.size(); ++c) {
            if (conditions_[c].side != face.side) {
                continue;
            }
            if (conditions_[c].kind != BoundaryCondition::Kind::Traction) {
                for (const std::int32_t n : node) {
                    if (n >= 0) {
                        condition_of.emplace_back(n * 3 + conditions_[c].component,
                                                  static_cast<int>(c));
                    }
                }
                continue;
            }
            if (std::binary_search(own.begin(), own.end(), sorted(v))) {
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
    std::sort(condition_of.begin(), condition_of.end());
    for (std::size_t k = 0; k < condition_of.size(); ++k) {
        const auto& [dof, condition] = condition_of[k];
        if (k + 1 < condition_of.size() && condition_of[k + 1].first == dof) {
            continue;  // the last named side wins
        }
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
    std::vector<std::uint8_t> held(local.n_nodes(), 0);
    for (const std::int32_t dof : fixed_) {
        held[dof / 3] |= static_cast<std::uint8_t>(1U << (dof % 3));
    }
    for (std::int32_t v = 0; v < local.n_vertices(); ++v) {
        for (int comp = 0; comp < 3; ++comp) {
            if ((held[local.vertex_node[v]] >> comp & 1U) != 0) {
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
