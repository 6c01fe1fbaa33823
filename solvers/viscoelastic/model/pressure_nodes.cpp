// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/pressure_nodes.hpp"

#include <algorithm>
#include <utility>

#include "solvers/parallel/incidence.hpp"

namespace kaname::viscoelastic {
namespace {

/// visit(place, first) for the places (element * 4 + corner) of a vertex, ascending, with the first
/// place of the same material.
template <class Visit>
void for_each_place(std::span<const std::int32_t> places, const std::vector<std::int32_t>& material,
                    const Visit& visit) {
    std::vector<std::pair<std::int32_t, std::int32_t>> known;  // (material, first place): few
    for (const std::int32_t place : places) {
        const std::int32_t of = material[place / 4];
        auto found = std::ranges::find(known, of, &std::pair<std::int32_t, std::int32_t>::first);
        if (found == known.end()) {
            found = known.insert(found, {of, place});
        }
        visit(place, found->second);
    }
}

}  // namespace

PressureNodes::PressureNodes(const p2::LocalMesh& mesh, std::span<const ElementGeometry> geometry,
                             std::span<const earth::Material> materials, comm::Comm& comm) {
    const std::int64_t n_places = 4 * std::int64_t(mesh.n_tets());
    const Incidence around = incidence(n_places, mesh.n_vertices(), [&](std::int64_t place) {
        return materials[mesh.material[place / 4]].viscosity_pa_s
                   ? mesh.conn_p1[place / 4][place % 4]
                   : -1;
    });
    // Numbers by the place that names a vertex and material first.
    std::vector<std::int32_t> number(n_places, 0);
    parallel_for(mesh.n_vertices(), [&](std::int64_t vertex) {
        for_each_place(around.of(vertex), mesh.material,
                       [&](std::int32_t place, std::int32_t first) {
                           number[place] = place == first ? 1 : 0;
                       });
    });
    const std::int32_t n = exclusive_sum(std::span(number));
    material.resize(n);
    gid.resize(n);
    volume.assign(n, 0.0);
    conn.resize(mesh.n_tets());
    parallel_for(mesh.n_tets(), [&](std::int64_t elem) { conn[elem].fill(n); });
    parallel_for(mesh.n_vertices(), [&](std::int64_t vertex) {
        for_each_place(
            around.of(vertex), mesh.material, [&](std::int32_t place, std::int32_t first) {
                const std::int32_t at = number[first];
                const std::int32_t of = mesh.material[place / 4];
                material[at] = of;
                gid[at] =
                    mesh.vertex_gid[vertex] * static_cast<std::int64_t>(materials.size()) + of;
                conn[place / 4][place % 4] = at;
                volume[at] += 0.25 * geometry[place / 4].volume;
            });
    });
    halo = comm::Halo(comm, gid);
    own_volume = volume;
    halo.sum(std::span<double>(volume), 1);
}

}  // namespace kaname::viscoelastic
