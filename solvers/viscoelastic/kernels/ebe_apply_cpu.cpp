// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/lanes/lanes.hpp"
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"
#include "solvers/viscoelastic/kernels/ebe_apply_body.hpp"

namespace kaname::viscoelastic {
namespace {

using lanes::kGroup;
using lanes::kLanes;

/// Adds one number of one node of each element of a group.
template <class T, int Group, int E = 0>
void scatter_node(T* const (&place)[Group], const lanes::Wide<T, Group>& f) {
    lanes::store_lanes(place[E], lanes::load_lanes(place[E]) + lanes::lanes_of<T, Group, E>(f));
    if constexpr (E + 1 < Group) {
        scatter_node<T, Group, E + 1>(place, f);
    }
}

/// A group of elements in one register: a reader of ebe_apply_body.hpp.
template <class T, int Group>
struct GroupReader {
    using V = lanes::Wide<T, Group>;
    std::uint32_t first[Group * p2::kNodesPerTet10];  ///< number of each node in a vector
    const T* coef;
    const std::int32_t* pressure_conn = nullptr;  ///< null: plain P2
    const T* pressure_weight = nullptr;

    GroupReader(const ElementGroups<T>& elements, std::int32_t group)
        : coef(elements.coef.data() + std::size_t(group) * Group * ElementGroups<T>::kCoefs) {
        const std::int32_t* conn =
            elements.conn.data() + std::size_t(group) * Group * p2::kNodesPerTet10;
        for (int k = 0; k < Group * p2::kNodesPerTet10; ++k) {
            first[k] = static_cast<std::uint32_t>(conn[k]) * lanes::kVectorWidth;
        }
        if (elements.pressure_conn.size() > 0) {
            pressure_conn = elements.pressure_conn.data() + std::size_t(group) * Group * 4;
            pressure_weight = elements.weight.data() + std::size_t(group) * Group;
        }
    }
    /// Where component i of node k of each element lies.
    template <class Number>
    void places(Number* vector, int k, int i, Number* (&place)[Group]) const {
        for (int e = 0; e < Group; ++e) {
            place[e] = vector + first[e * p2::kNodesPerTet10 + k] + i * kLanes;
        }
    }
    void component(const T* x, int i, V (&u)[p2::kNodesPerTet10]) const {
        KANAME_UNROLL(10)
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            const T* place[Group];
            places(x, k, i, place);
            u[k] = lanes::gather_lanes<T, Group>(place, 0);
        }
    }
    void scatter(const V (&f)[p2::kNodesPerTet10], int i, T* y) const {
        KANAME_UNROLL(10)
        for (int k = 0; k < p2::kNodesPerTet10; ++k) {
            T* place[Group];
            places(y, k, i, place);
            scatter_node<T, Group>(place, f[k]);
        }
    }
    V coefficient(int m) const { return lanes::spread<T, Group>(coef + m * Group); }
    V weight() const { return lanes::spread<T, Group>(pressure_weight); }
    V pressure(const T* p, int k) const {
        const T* place[Group];
        for (int e = 0; e < Group; ++e) {
            place[e] = p + static_cast<std::size_t>(pressure_conn[e * 4 + k]) * kLanes;
        }
        return lanes::gather_lanes<T, Group>(place, 0);
    }
};

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

/// Asks for the nodes of a group that comes soon: they lie scattered over the second-level cache
/// and beyond, and one group's arithmetic is long enough to fetch another's.
template <class T, int Group>
void prefetch_group(const std::int32_t* conn, const T* x, const T* y) {
    for (int k = 0; k < Group * p2::kNodesPerTet10; ++k) {
        const std::size_t at = static_cast<std::size_t>(conn[k]) * lanes::kVectorWidth;
        __builtin_prefetch(x + at);
        __builtin_prefetch(x + at + lanes::kVectorWidth - 1);
        __builtin_prefetch(y + at, 1);
        __builtin_prefetch(y + at + lanes::kVectorWidth - 1, 1);
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
                const GroupReader<T, group> reader(elements, g);
                body::force_by_component(
                    reader, args.x.data(), Nodal ? args.pressure.data() : nullptr,
                    [&](int i, const lanes::Wide<T, group>(&f)[p2::kNodesPerTet10]) {
                        reader.scatter(f, i, args.y.data());
                    });
            }
        }
    }
}

template <class T, int Group>
void dilatation_group(const ElementGroups<T>& elements, std::int32_t g, std::int32_t none,
                      const T* x, T* y) {
    const GroupReader<T, Group> reader(elements, g);
    const std::int32_t* nodes = reader.pressure_conn;
    bool any = false;
    for (int e = 0; e < Group; ++e) {
        any = any || nodes[e * 4] != none;
    }
    if (!any) {
        return;
    }
    lanes::Wide<T, Group> theta[4];
    body::operator_dilatation(reader, x, theta);
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
