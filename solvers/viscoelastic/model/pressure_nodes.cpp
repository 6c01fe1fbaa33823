// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/pressure_nodes.hpp"

#include <map>
#include <utility>

namespace kaname::viscoelastic {

PressureNodes::PressureNodes(const p2::LocalMesh& mesh, std::span<const ElementGeometry> geometry,
                             std::span<const earth::Material> materials, comm::Comm& comm) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> known;  // (vertex, material)
    conn.resize(mesh.n_tets());
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        const std::int32_t of = mesh.material[elem];
        if (!materials[of].viscosity_pa_s) {
            continue;
        }
        for (int k = 0; k < 4; ++k) {
            const std::int32_t vertex = mesh.conn_p1[elem][k];
            const auto [place, fresh] = known.try_emplace({vertex, of}, size());
            if (fresh) {
                material.push_back(of);
                volume.push_back(0.0);
                gid.push_back(
                    mesh.vertex_gid[vertex] * static_cast<std::int64_t>(materials.size()) + of);
            }
            conn[elem][k] = place->second;
            volume[place->second] += 0.25 * geometry[elem].volume;
        }
    }
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        if (!materials[mesh.material[elem]].viscosity_pa_s) {
            conn[elem].fill(size());
        }
    }
    halo = comm::Halo(comm, gid);
    own_volume = volume;
    halo.sum(std::span<double>(volume), 1);
}

}  // namespace kaname::viscoelastic
