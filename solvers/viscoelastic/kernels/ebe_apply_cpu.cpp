// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"
#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"

namespace kaname::viscoelastic {
namespace {

using kernels::kGroup;
using kernels::kLanes;

constexpr int kWidth = 3 * kLanes;

template <class T, int Group>
using Forces = kernels::Wide<T, Group>[fem::kNodesPerTet10][3];

template <class T, int Group, int E = 0>
void scatter(const std::int32_t* conn, const Forces<T, Group>& f, T* y) {
    for (int k = 0; k < fem::kNodesPerTet10; ++k) {
        T* place = y + static_cast<std::size_t>(conn[E * fem::kNodesPerTet10 + k]) * kWidth;
        for (int comp = 0; comp < 3; ++comp) {
            T* p = place + comp * kLanes;
            kernels::store_lanes(
                p, kernels::load_lanes(p) + kernels::lanes_of<T, Group, E>(f[k][comp]));
        }
    }
    if constexpr (E + 1 < Group) {
        scatter<T, Group, E + 1>(conn, f, y);
    }
}

template <class T, int Group>
void apply_group(const std::int32_t* conn, const T* coef, const T* x, T* y) {
    using V = kernels::Wide<T, Group>;
    V u[fem::kNodesPerTet10][3];
    for (int k = 0; k < fem::kNodesPerTet10; ++k) {
        const T* place[Group];
        for (int e = 0; e < Group; ++e) {
            place[e] = x + static_cast<std::size_t>(conn[e * fem::kNodesPerTet10 + k]) * kWidth;
        }
        for (int comp = 0; comp < 3; ++comp) {
            u[k][comp] = kernels::gather_lanes<T, Group>(place, comp * kLanes);
        }
    }
    V G[3][3];
    for (int m = 0; m < 9; ++m) {
        G[m / 3][m % 3] = kernels::spread<T, Group>(coef + m * Group);
    }
    V s[4][6];
    element_stress(u, G, kernels::spread<T, Group>(coef + 9 * Group),
                   kernels::spread<T, Group>(coef + 10 * Group), s);
    V f[fem::kNodesPerTet10][3] = {};
    add_element_force(s, G, f);
    scatter<T, Group>(conn, f, y);
}

/// Asks for the nodes of a group that comes soon: they lie scattered over the second-level cache
/// and beyond, and one group's arithmetic is long enough to fetch another's.
template <class T, int Group>
void prefetch_group(const std::int32_t* conn, const T* x, const T* y) {
    for (int k = 0; k < Group * fem::kNodesPerTet10; ++k) {
        const std::size_t at = static_cast<std::size_t>(conn[k]) * kWidth;
        __builtin_prefetch(x + at);
        __builtin_prefetch(x + at + kWidth - 1);
        __builtin_prefetch(y + at, 1);
        __builtin_prefetch(y + at + kWidth - 1, 1);
    }
}

}  // namespace

template <class T>
void ebe_apply_cpu(const EbeApplyArgs<T>& args) {
    constexpr int group = kGroup<T>;
    const ElementGroups<T>& elements = args.elements;
#pragma omp parallel
    for (int colour = args.first_colour; colour < args.last_colour; ++colour) {
        const auto& ranges = elements.colours[colour];
#pragma omp for schedule(dynamic)
        for (std::size_t b = 0; b < ranges.size(); ++b) {
            for (std::int32_t g = ranges[b].begin; g < ranges[b].end; ++g) {
                if (g + 1 < ranges[b].end) {
                    prefetch_group<T, group>(
                        elements.conn.data() + static_cast<std::size_t>(g + 1) * group * 10,
                        args.x.data(), args.y.data());
                }
                apply_group<T, group>(
                    elements.conn.data() + static_cast<std::size_t>(g) * group * 10,
                    elements.coef.data() +
                        static_cast<std::size_t>(g) * ElementGroups<T>::kCoefs * group,
                    args.x.data(), args.y.data());
            }
        }
    }
}

template void ebe_apply_cpu(const EbeApplyArgs<float>&);
template void ebe_apply_cpu(const EbeApplyArgs<double>&);

}  // namespace kaname::viscoelastic
