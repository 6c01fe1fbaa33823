// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/fault_pairs.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::aderdg {
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
