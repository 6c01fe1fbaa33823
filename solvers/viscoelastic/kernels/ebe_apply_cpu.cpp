// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/wide.hpp"
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"
#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"

namespace kaname::viscoelastic {
namespace {

using lanes::kGroup;
using lanes::kLanes;

constexpr int kWidth = 3 * kLanes;

template <class T, int Group>
using Forces = lanes::Wide<T, Group>[p2::kNodesPerTet10][3];

template <class T, int Group, int E = 0>
void scatter(const std::int32_t* conn, const Forces<T, Group>& f, T* y) {
    for (int k = 0; k < p2::kNodesPerTet10; ++k) {
        T* place = y + static_cast<std::size_t>(conn[E * p2::kNodesPerTet10 + k]) * kWidth;
        for (int comp = 0; comp < 3; ++comp) {
            T* p = place + comp * kLanes;
            lanes::store_lanes(p, lanes::load_lanes(p) + lanes::lanes_of<T, Group, E>(f[k][comp]));
        }
    }
    if constexpr (E + 1 < Group) {
        scatter<T, Group, E + 1>(conn, f, y);
    }
}

template <class T, int Group>
void gather(const std::int32_t* conn, const T* x,
            lanes::Wide<T, Group> (&u)[p2::kNodesPerTet10][3]) {
    for (int k = 0; k < p2::kNodesPerTet10; ++k) {
        const T* place[Group];
        for (int e = 0; e < Group; ++e) {
            place[e] = x + static_cast<std::size_t>(conn[e * p2::kNodesPerTet10 + k]) * kWidth;
        }
        for (int comp = 0; comp < 3; ++comp) {
            u[k][comp] = lanes::gather_lanes<T, Group>(place, comp * kLanes);
        }
    }
}

template <class T, int Group>
void load_gradients(const T* coef, lanes::Wide<T, Group> (&G)[3][3]) {
    for (int m = 0; m < 9; ++m) {
        G[m / 3][m % 3] = lanes::spread<T, Group>(coef + m * Group);
    }
}

/// s_k += weight p_k I at the four vertices.
template <class T, int Group>
void add_pressure(const std::int32_t* conn, const T* weight, const T* pressure,
                  lanes::Wide<T, Group> (&s)[4][6]) {
    const auto scale = lanes::spread<T, Group>(weight);
    for (int k = 0; k < 4; ++k) {
        const T* place[Group];
        for (int e = 0; e < Group; ++e) {
            place[e] = pressure + static_cast<std::size_t>(conn[e * 4 + k]) * kLanes;
        }
        const auto p = scale * lanes::gather_lanes<T, Group>(place, 0);
        for (int c = 0; c < 3; ++c) {
            s[k][c] += p;
        }
    }
}

template <class T, int Group, int E = 0>
void scatter_dilatation(const std::int32_t* conn, std::int32_t none,
                        const lanes::Wide<T, Group> (&theta)[4], T* y) {
    for (int k = 0; k < 4 && conn[E * 4] != none; ++k) {
        T* p = y + static_cast<std::size_t>(conn[E * 4 + k]) * kLanes;
        lanes::store_lanes(p, lanes::load_lanes(p) + lanes::lanes_of<T, Group, E>(theta[k]));
    }
    if constexpr (E + 1 < Group) {
        scatter_dilatation<T, Group, E + 1>(conn, none, theta, y);
    }
}

/// Pressure nodes of one group; null for plain P2.
template <class T>
struct GroupPressure {
    const std::int32_t* conn;
    const T* weight;
    const T* pressure;
};

template <class T, int Group, bool Nodal>
void apply_group(const std::int32_t* conn, const T* coef, const GroupPressure<T>& nodal, const T* x,
                 T* y) {
    using V = lanes::Wide<T, Group>;
    V u[p2::kNodesPerTet10][3];
    gather<T, Group>(conn, x, u);
    V G[3][3];
    load_gradients<T, Group>(coef, G);
    V s[4][6];
    element_stress(u, G, lanes::spread<T, Group>(coef + 9 * Group),
                   lanes::spread<T, Group>(coef + 10 * Group), s);
    if constexpr (Nodal) {
        add_pressure<T, Group>(nodal.conn, nodal.weight, nodal.pressure, s);
    }
    V f[p2::kNodesPerTet10][3] = {};
    add_element_force(s, G, f);
    scatter<T, Group>(conn, f, y);
}

/// Asks for the nodes of a group that comes soon: they lie scattered over the second-level cache
/// and beyond, and one group's arithmetic is long enough to fetch another's.
template <class T, int Group>
void prefetch_group(const std::int32_t* conn, const T* x, const T* y) {
    for (int k = 0; k < Group * p2::kNodesPerTet10; ++k) {
        const std::size_t at = static_cast<std::size_t>(conn[k]) * kWidth;
        __builtin_prefetch(x + at);
        __builtin_prefetch(x + at + kWidth - 1);
        __builtin_prefetch(y + at, 1);
        __builtin_prefetch(y + at + kWidth - 1, 1);
    }
}

template <class T, bool Nodal>
void apply_colours(const EbeApplyArgs<T>& args) {
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
                const std::size_t first = static_cast<std::size_t>(g) * group;
                GroupPressure<T> nodal{};
                if constexpr (Nodal) {
                    nodal = {elements.pressure_conn.data() + first * 4,
                             elements.weight.data() + first, args.pressure.data()};
                }
                apply_group<T, group, Nodal>(
                    elements.conn.data() + first * 10,
                    elements.coef.data() + first * ElementGroups<T>::kCoefs, nodal, args.x.data(),
                    args.y.data());
            }
        }
    }
}

template <class T, int Group>
void dilatation_group(const ElementGroups<T>& elements, std::int32_t g, std::int32_t none,
                      const T* x, T* y) {
    using V = lanes::Wide<T, Group>;
    const std::size_t first = static_cast<std::size_t>(g) * Group;
    const std::int32_t* nodes = elements.pressure_conn.data() + first * 4;
    bool any = false;
    for (int e = 0; e < Group; ++e) {
        any = any || nodes[e * 4] != none;
    }
    if (!any) {
        return;
    }
    V u[p2::kNodesPerTet10][3];
    gather<T, Group>(elements.conn.data() + first * 10, x, u);
    V G[3][3];
    load_gradients<T, Group>(elements.coef.data() + first * ElementGroups<T>::kCoefs, G);
    V theta[4];
    element_dilatation(u, G, lanes::spread<T, Group>(elements.weight.data() + first), theta);
    scatter_dilatation<T, Group>(nodes, none, theta, y);
}

}  // namespace

template <class T>
void ebe_apply_cpu(const EbeApplyArgs<T>& args) {
    if (args.pressure.empty()) {
        apply_colours<T, false>(args);
    } else {
        apply_colours<T, true>(args);
    }
}

template <class T>
void ebe_dilatation_cpu(const EbeDilatationArgs<T>& args) {
    const auto none = static_cast<std::int32_t>(args.y.size() / kLanes) - 1;
#pragma omp parallel
    for (int colour = args.first_colour; colour < args.last_colour; ++colour) {
        const auto& ranges = args.elements.colours[colour];
#pragma omp for schedule(dynamic)
        for (std::size_t b = 0; b < ranges.size(); ++b) {
            for (std::int32_t g = ranges[b].begin; g < ranges[b].end; ++g) {
                dilatation_group<T, kGroup<T>>(args.elements, g, none, args.x.data(),
                                               args.y.data());
            }
        }
    }
}

template void ebe_apply_cpu(const EbeApplyArgs<float>&);
template void ebe_apply_cpu(const EbeApplyArgs<double>&);
template void ebe_dilatation_cpu(const EbeDilatationArgs<float>&);
template void ebe_dilatation_cpu(const EbeDilatationArgs<double>&);

}  // namespace kaname::viscoelastic
