// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/tet_topology.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::aderdg {
namespace {

FaceKey sorted(FaceKey key) {
    std::ranges::sort(key);
    return key;
}

[[noreturn]] void refuse_model(const std::string& field, const std::string& message) {
    throw ValidationError({{field, message}});
}

/// For every vertex the one that it counts as: itself, or that which a periodic surface pairs it
/// with.
std::vector<std::int32_t> representatives(const WaveModel& model) {
    std::vector<std::int32_t> stands_for(model.mesh.xyz.size());
    std::iota(stands_for.begin(), stands_for.end(), 0);
    for (const auto& [first, second] : model.periodic) {
        std::array<std::vector<std::int32_t>, 2> on;
        for (const mesh::BoundaryFace& face : model.mesh.boundary_faces) {
            for (const int side : {0, 1}) {
                if (face.side == (side == 0 ? first : second)) {
                    on[side].insert(on[side].end(), face.vertices.begin(), face.vertices.end());
                }
            }
        }
        for (auto& vertices : on) {
            std::ranges::sort(vertices);
            vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
        }
        const auto mean = [&](const std::vector<std::int32_t>& vertices) {
            Vec3 sum;
            for (const std::int32_t v : vertices) {
                sum += model.mesh.xyz[v];
            }
            return (1.0 / static_cast<double>(std::max<std::size_t>(vertices.size(), 1))) * sum;
        };
        const Vec3 shift = mean(on[1]) - mean(on[0]);
        const double grain = 1e-6 * std::max(norm(shift), 1e-300);
        std::map<std::array<std::int64_t, 3>, std::int32_t> places;
        const auto place = [&](const Vec3& x) {
            return std::array<std::int64_t, 3>{std::llround(x.x / grain), std::llround(x.y / grain),
                                               std::llround(x.z / grain)};
        };
        for (const std::int32_t v : on[0]) {
            places[place(model.mesh.xyz[v])] = v;
        }
        for (const std::int32_t v : on[1]) {
            const auto at = place(model.mesh.xyz[v] - shift);
            std::int32_t found = -1;
            for (int k = 0; k < 27 && found < 0; ++k) {  // rounding may fall either way
                const auto it =
                    places.find({at[0] + k % 3 - 1, at[1] + k / 3 % 3 - 1, at[2] + k / 9 - 1});
                found = it == places.end() ? -1 : it->second;
            }
            if (found < 0) {
                refuse_model("model.periodic",
                             "surface '" + model.mesh.surfaces[static_cast<int>(second)] +
                                 "' must be '" + model.mesh.surfaces[static_cast<int>(first)] +
                                 "' moved; vertex " + std::to_string(v) + " has no partner");
            }
            stands_for[v] = found;
        }
    }
    for (std::size_t v = 0; v < stands_for.size(); ++v) {  // corners that two pairs share
        while (stands_for[stands_for[v]] != stands_for[v]) {
            stands_for[v] = stands_for[stands_for[v]];
        }
    }
    return stands_for;
}

std::map<FaceKey, int> surfaces_of(const WaveModel& model) {
    std::map<FaceKey, int> surfaces;
    for (const mesh::BoundaryFace& face : model.mesh.boundary_faces) {
        surfaces[sorted(face.vertices)] = static_cast<int>(face.side);
    }
    return surfaces;
}

void check_model(const WaveModel& model) {
    if (model.surfaces.size() != model.mesh.surfaces.size()) {
        refuse_model("model.surfaces", "must have one entry for each of the mesh's " +
                                           std::to_string(model.mesh.surfaces.size()) +
                                           " surfaces, got " +
                                           std::to_string(model.surfaces.size()));
    }
    for (const auto& [first, second] : model.periodic) {
        for (const mesh::SurfaceId id : {first, second}) {
            if (id.index < 0 || id.index >= std::ssize(model.mesh.surfaces)) {
                refuse_model("model.periodic", "must be surfaces 0.." +
                                                   std::to_string(model.mesh.surfaces.size() - 1) +
                                                   ", got " + std::to_string(id.index));
            }
        }
    }
    if (model.mesh.material.size() != model.mesh.tets.size()) {
        refuse_model("model.mesh.material",
                     "must have one entry for each of " + std::to_string(model.mesh.tets.size()) +
                         " tets, got " + std::to_string(model.mesh.material.size()));
    }
    for (std::size_t e = 0; e < model.mesh.tets.size(); ++e) {
        const std::int32_t m = model.mesh.material[e];
        if (m < 0 || m >= std::ssize(model.solids)) {
            refuse_model("model.mesh.material[" + std::to_string(e) + "]",
                         "must be 0.." + std::to_string(std::ssize(model.solids) - 1) + ", got " +
                             std::to_string(m));
        }
    }
}

struct FaceSide {
    FaceKey key;
    std::int64_t tet;
    int face;
};

}  // namespace

TetTopology TetTopology::of(const WaveModel& model) {
    check_model(model);
    TetTopology topology;
    const std::vector<std::int32_t> stands_for = representatives(model);
    topology.tets = model.mesh.tets;
    topology.beyond.resize(topology.tets.size());
    std::vector<FaceSide> sides;
    sides.reserve(4 * topology.tets.size());
    for (std::size_t e = 0; e < topology.tets.size(); ++e) {
        auto& tet = topology.tets[e];
        std::ranges::sort(tet, {}, [&](std::int32_t v) { return stands_for[v]; });
        for (int f = 0; f < 4; ++f) {
            FaceKey key{};
            for (int v = 0, k = 0; v < 4; ++v) {
                if (v != f) {
                    key[k++] = stands_for[tet[v]];
                }
            }
            sides.push_back({key, static_cast<std::int64_t>(e), f});
        }
    }
    std::ranges::sort(sides, [](const FaceSide& a, const FaceSide& b) {
        return a.key != b.key ? a.key < b.key : a.tet < b.tet;
    });
    const std::map<FaceKey, int> surfaces = surfaces_of(model);
    for (std::size_t k = 0; k < sides.size();) {
        std::size_t end = k + 1;
        while (end < sides.size() && sides[end].key == sides[k].key) {
            ++end;
        }
        const FaceSide& a = sides[k];
        if (end - k > 2) {
            refuse_model("model.mesh", "a face of tet " + std::to_string(a.tet) + " has " +
                                           std::to_string(end - k) +
                                           " tets, at most 2 are possible");
        }
        if (end - k == 2) {
            const FaceSide& b = sides[k + 1];
            topology.beyond[a.tet][a.face] = {b.tet, b.face};
            topology.beyond[b.tet][b.face] = {a.tet, a.face};
        } else {
            const auto& tet = topology.tets[a.tet];
            FaceKey key{};
            for (int v = 0, c = 0; v < 4; ++v) {
                if (v != a.face) {
                    key[c++] = tet[v];
                }
            }
            const auto it = surfaces.find(sorted(key));
            const Boundary boundary =
                it == surfaces.end() ? Boundary::Free : model.surfaces[it->second];
            if (boundary == Boundary::Periodic) {
                refuse_model("model.periodic",
                             "surface '" + model.mesh.surfaces[it->second] +
                                 "' is periodic and has a face without a partner");
            }
            topology.beyond[a.tet][a.face] = {-1, 0, boundary};
        }
        k = end;
    }
    attach_faults(model, topology);
    return topology;
}

std::vector<std::int64_t> numbered_faces(const TetTopology& topology, Boundary boundary) {
    std::vector<std::int64_t> numbers;
    std::int64_t n = 0;
    for (const auto& tet : topology.beyond) {
        for (const TetTopology::Beyond& beyond : tet) {
            const bool counts = beyond.tet < 0 && beyond.boundary == boundary;
            numbers.push_back(counts ? n++ : -1);
        }
    }
    return numbers;
}

TetShape TetShape::of(const std::array<Vec3, 4>& x) {
    TetShape shape;
    shape.volume_m3 = std::abs(det6(x[0], x[1], x[2], x[3])) / 6.0;
    double surface_m2 = 0.0;
    for (int f = 0; f < 4; ++f) {
        const Vec3 a = x[(f + 1) % 4], b = x[(f + 2) % 4], c = x[(f + 3) % 4];
        Vec3 n = cross(b - a, c - a);
        if (dot(n, x[f] - a) > 0.0) {
            n = -1.0 * n;
        }
        shape.area_m2[f] = 0.5 * norm(n);
        shape.normal[f] = (0.5 / shape.area_m2[f]) * n;
        shape.gradient[f] = (-shape.area_m2[f] / (3.0 * shape.volume_m3)) * shape.normal[f];
        surface_m2 += shape.area_m2[f];
    }
    shape.insphere_diameter_m = 6.0 * shape.volume_m3 / surface_m2;
    return shape;
}

std::array<double, 4> barycentric(const std::array<Vec3, 4>& x, const Vec3& at) {
    std::array<double, 4> lambda{};
    const double all = det6(x[0], x[1], x[2], x[3]);
    lambda[0] = det6(at, x[1], x[2], x[3]) / all;
    lambda[1] = det6(x[0], at, x[2], x[3]) / all;
    lambda[2] = det6(x[0], x[1], at, x[3]) / all;
    lambda[3] = det6(x[0], x[1], x[2], at) / all;
    return lambda;
}

std::array<Vec3, 4> corners_of(const WaveModel& model, const TetTopology& topology,
                               std::int64_t tet) {
    std::array<Vec3, 4> corners;
    for (int v = 0; v < 4; ++v) {
        corners[v] = model.mesh.xyz[topology.tets[tet][v]];
    }
    return corners;
}

namespace {

[[noreturn]] void refuse_face(std::size_t face, const std::string& message) {
    throw ValidationError({{"model.mesh.fault_faces[" + std::to_string(face) + "]", message}});
}

}  // namespace

void attach_faults(const WaveModel& model, TetTopology& topology) {
    if (model.fault.laws.empty()) {
        return;
    }
    const mesh::TetMesh& mesh = model.mesh;
    std::map<FaceKey, std::int32_t> faces;
    for (std::size_t k = 0; k < mesh.fault_faces.size(); ++k) {
        FaceKey key = mesh.fault_faces[k].vertices;
        std::ranges::sort(key);
        if (!faces.emplace(key, static_cast<std::int32_t>(k)).second) {
            refuse_face(k, "is a face of two faults");
        }
    }
    std::vector<int> sides(mesh.fault_faces.size());
    for (std::size_t e = 0; e < topology.tets.size(); ++e) {
        for (int f = 0; f < 4; ++f) {
            FaceKey key{};
            for (int v = 0, c = 0; v < 4; ++v) {
                if (v != f) {
                    key[c++] = topology.tets[e][v];
                }
            }
            std::ranges::sort(key);
            const auto it = faces.find(key);
            if (it == faces.end()) {
                continue;
            }
            const auto& v = mesh.fault_faces[it->second].vertices;
            const Vec3 a = mesh.xyz[v[0]];
            const Vec3 normal = cross(mesh.xyz[v[1]] - a, mesh.xyz[v[2]] - a);
            TetTopology::Beyond& beyond = topology.beyond[e][f];
            if (beyond.tet < 0) {
                refuse_face(it->second, "must be between two tets, has one");
            }
            if (model.solids[mesh.material[e]].mu_pa == 0.0) {
                refuse_face(it->second, "must be between solids, has a liquid beside it");
            }
            beyond.fault_face = it->second;
            beyond.on_plus_side = dot(normal, mesh.xyz[topology.tets[e][f]] - a) > 0.0;
            ++sides[it->second];
        }
    }
    const auto lost = std::ranges::find_if(sides, [](int n) { return n != 2; });
    if (lost != sides.end()) {
        refuse_face(lost - sides.begin(),
                    "must be a face of two tets, is one of " + std::to_string(*lost));
    }
}

void keep_pairs_together(const TetTopology& topology, std::span<std::int32_t> rank_of_tet) {
    // Chains of tets with two fault faces are short: passes until nothing changes.
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t e = 0; e < topology.tets.size(); ++e) {
            for (const TetTopology::Beyond& beyond : topology.beyond[e]) {
                if (beyond.fault_face >= 0 && rank_of_tet[beyond.tet] > rank_of_tet[e]) {
                    rank_of_tet[beyond.tet] = rank_of_tet[e];
                    changed = true;
                }
            }
        }
    }
}

}  // namespace kaname::aderdg
