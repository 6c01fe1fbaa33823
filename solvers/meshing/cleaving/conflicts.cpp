// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/meshing/cleaving/conflicts.hpp"

#include <algorithm>

#include "solvers/mesh/tet_topology.hpp"
#include "solvers/meshing/cleaving/sort_unique.hpp"

namespace kaname::cleaving {

std::vector<Conflict> find_conflicts(const Complex& complex, const Labeller& labeller,
                                     const Calm& calm) {
    constexpr std::size_t kChunk = 1 << 16;
    std::vector<std::vector<Edge>> pieces((complex.tets.size() + kChunk - 1) / kChunk);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t piece = 0; piece < pieces.size(); ++piece) {
        std::vector<Edge>& edges = pieces[piece];
        const std::size_t end = std::min(complex.tets.size(), (piece + 1) * kChunk);
        for (std::size_t t = piece * kChunk; t < end; ++t) {
            const Tet& tet = complex.tets[t];
            if (!(complex.labels[tet[0]] & complex.labels[tet[1]] & complex.labels[tet[2]] &
                  complex.labels[tet[3]])
                     .in_conflict()) {
                continue;
            }
            for (const auto& [a, b] : mesh::kTetEdges) {
                if ((complex.labels[tet[a]] & complex.labels[tet[b]]).in_conflict()) {
                    edges.push_back(std::minmax(tet[a], tet[b]));
                }
            }
        }
        sort_unique(edges);
    }
    std::vector<Edge> edges;
    for (std::vector<Edge>& piece : pieces) {
        edges.insert(edges.end(), piece.begin(), piece.end());
        std::vector<Edge>().swap(piece);
    }
    sort_unique(edges);
    std::vector<Conflict> conflicts(edges.size());
#pragma omp parallel for schedule(static)
    for (std::size_t e = 0; e < edges.size(); ++e) {
        const auto [p, q] = edges[e];
        Conflict& conflict = conflicts[e];
        conflict = {p, q};
        conflict.sheet = labeller.sheet_between(complex.xyz[p], complex.labels[p], complex.on[p],
                                                complex.xyz[q], complex.labels[q], complex.on[q]);
        if (conflict.sheet >= 0) {
            conflict.t = labeller.sheets().crossing(conflict.sheet, complex.xyz[p], complex.xyz[q]);
        }
    }
    const Sheets& sheets = labeller.sheets();
    std::erase_if(conflicts, [&](const Conflict& conflict) {
        return conflict.sheet < 0 ||
               (sheets.precedence(conflict.sheet) == sheets.precedence(-1) &&
                calm.holds(0.5 * (complex.xyz[conflict.p] + complex.xyz[conflict.q])));
    });
    return conflicts;
}

}  // namespace kaname::cleaving
