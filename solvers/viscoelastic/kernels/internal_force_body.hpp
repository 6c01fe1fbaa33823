// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <type_traits>

#include "solvers/lanes/share.hpp"
#include "solvers/viscoelastic/kernels/element_data.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/kernels/p2_vertex_body.hpp"

namespace kaname::viscoelastic {

[[nodiscard]] KANAME_HD inline Parts scaled(double factor, const Parts& parts) {
    return {factor * parts.deviator, factor * parts.mean};
}

template <class V>
KANAME_HD inline V mean_of(const V (&s)[6]) {
    return (s[0] + s[1] + s[2]) / 3.0;
}

/// Component c of `factor` of a tensor with this mean.
template <class V>
KANAME_HD inline V part_of(const Parts& factor, const V (&s)[6], const V& mean, int c) {
    return c < 3 ? V(factor.deviator * (s[c] - mean) + factor.mean * mean) : factor.deviator * s[c];
}

/// sigma - relax sigma, in place.
template <class V>
KANAME_HD inline void relax_stress(V (&s)[6], const Parts& relax) {
    const V mean = mean_of(s);
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        s[c] -= part_of(relax, s, mean, c);
    }
}

/// Corrects the stress of a material with two branches, of which S_2 = t is kept: relax_stress with
/// the first branch's relax has taken relax S_2 instead of second_relax S_2.
template <class V>
KANAME_HD inline void relax_second(V (&s)[6], const V (&t)[6], const Parts& relax,
                                   const Parts& second_relax) {
    const Parts more{second_relax.deviator - relax.deviator, second_relax.mean - relax.mean};
    const V mean = mean_of(t);
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        s[c] -= part_of(more, t, mean, c);
    }
}

/// The second branch of one element.
struct SecondOfElement {
    double* stress = nullptr;  ///< S_2 of all; null: one branch only
    std::int64_t first = 0;    ///< the element's first number in it, [4][6] numbers
    Parts relax, weight;
};

/// SecondBranch for the threads of a GPU, which know no views; null where no element has one.
struct SecondPointers {
    const std::int32_t* slot = nullptr;
    const Parts* relax = nullptr;
    const Parts* weight = nullptr;
    double* stress = nullptr;

    SecondPointers(const SecondBranch& second)
        : slot(second.slot.empty() ? nullptr : second.slot.data()),
          relax(second.relax.data()),
          weight(second.weight.data()),
          stress(second.stress.data()) {}

    [[nodiscard]] KANAME_HD SecondOfElement of(std::int64_t elem) const {
        if (slot == nullptr || slot[elem] < 0) {
            return {};
        }
        const std::int32_t at = slot[elem];
        return {stress, std::int64_t(at) * kStressNumbers, relax[at], weight[at]};
    }
};

/// S_2 += weight grown - relax_2 S_2, where grown = D_v B du.
template <class V>
KANAME_HD inline void step_second(V (&t)[6], const V (&grown)[6], const SecondOfElement& second) {
    relax_stress(t, second.relax);
    const V mean = mean_of(grown);
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        t[c] += part_of(second.weight, grown, mean, c);
    }
}

/// One step of a vertex, where D B du = grown:
///   S_2 += weight grown - relax_2 S_2,   sigma += grown - relax S_1 - relax_2 S_2
template <class V>
KANAME_HD inline void step_stress(V (&s)[6], V (&t)[6], const V (&grown)[6], const Parts& relax,
                                  const SecondOfElement& second) {
    relax_stress(s, relax);
    if (second.stress != nullptr) {
        relax_second(s, t, relax, second.relax);
        step_second(t, grown, second);
    }
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        s[c] += grown[c];
    }
}

/// The six components that begin with number `at`.
template <class P, class V>
KANAME_HD inline void load_tensor(const P& p, const double* from, std::int64_t at, V (&t)[6]) {
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        t[c] = p.load(from, at + c);
    }
}
template <class P, class V>
KANAME_HD inline void store_tensor(const P& p, double* to, std::int64_t at, const V (&t)[6]) {
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        p.store(to, at + c, t[c]);
    }
}

/// Steps of one element whose lanes are consecutive steps, one after the other: lane `shift` after
/// lane 0 and so on; grown(lane, g) gives D B du of a lane at the vertices.
template <int L, class Grown>
KANAME_HD inline void chain_lanes(double* stress, std::int64_t first, const Parts& relax,
                                  const SecondOfElement& second, int shift, const Grown& grown) {
    double s[4][6];
    double t[4][6] = {};
    for (int k = 0; k < 4; ++k) {
        load_tensor(lanes::OneLane<L>{0}, stress, first + k * 6, s[k]);
        if (second.stress != nullptr) {
            load_tensor(lanes::OneLane<L>{0}, second.stress, second.first + k * 6, t[k]);
        }
    }
    for (int lane = shift; lane < L; ++lane) {
        double g[4][6];
        grown(lane - shift, g);
        for (int k = 0; k < 4; ++k) {
            step_stress(s[k], t[k], g[k], relax, second);
            store_tensor(lanes::OneLane<L>{lane}, stress, first + k * 6, s[k]);
            if (second.stress != nullptr) {
                store_tensor(lanes::OneLane<L>{lane}, second.stress, second.first + k * 6, t[k]);
            }
        }
    }
}

}  // namespace kaname::viscoelastic

/// Computes the FP64 element kernels for one element, in the lanes of a share. Forces are called by
/// the loops that add them to the nodes: element_loop.hpp, block_kernel.cuh.
namespace kaname::viscoelastic::body {

using lanes::PackOf;

struct ElementPointers {
    const std::int32_t* conn;
    const ElementGeometry* geometry;
    const double* lam;
    const double* mu;

    ElementPointers(const ElementData& data)
        : conn(reinterpret_cast<const std::int32_t*>(data.conn.data())),
          geometry(data.geometry.data()),
          lam(data.lam.data()),
          mu(data.mu.data()) {}

    /// V/20, the weight of add_element_force.
    [[nodiscard]] KANAME_HD double weight(std::int64_t elem) const {
        return geometry[elem].volume / 20.0;
    }
    template <class P, class V>
    KANAME_HD void gradients(std::int64_t elem, const P& p, V (&G)[3][3]) const {
        KANAME_UNROLL(9)
        for (int m = 0; m < 9; ++m) {
            G[m / 3][m % 3] = p.constant(geometry[elem].grad[m / 3][m % 3]);
        }
    }
    template <class P, class V>
    KANAME_HD void displacement(std::int64_t elem, const P& p, const double* x,
                                V (&u)[10][3]) const {
        KANAME_UNROLL(10)
        for (int k = 0; k < 10; ++k) {
            KANAME_UNROLL(3)
            for (int c = 0; c < 3; ++c) {
                u[k][c] = p.load(x, std::int64_t(conn[elem * 10 + k]) * 3 + c);
            }
        }
    }
    /// f = int B^T sigma of vertex values that were multiplied by the weight.
    template <class P, class V>
    KANAME_HD void force(std::int64_t elem, const P& p, V (&s)[4][6], V (&f)[10][3]) const {
        V G[3][3];
        gradients(elem, p, G);
        zero_force(p, f);
        add_element_force(s, G, f);
    }
    template <class P, class V>
    KANAME_HD static void zero_force(const P& p, V (&f)[10][3]) {
        KANAME_UNROLL(10)
        for (int k = 0; k < 10; ++k) {
            f[k][0] = f[k][1] = f[k][2] = p.constant(0.0);
        }
    }
};

/// u += the element's offset, found by bisection in the ascending list.
template <class P, class V>
KANAME_HD inline void add_offset(const ElementOffset* offsets, std::int32_t n_offsets,
                                 std::int64_t elem, const P& p, V (&u)[10][3]) {
    std::int32_t low = 0;
    std::int32_t high = n_offsets;
    while (low < high) {
        const std::int32_t middle = (low + high) / 2;
        if (offsets[middle].elem < elem) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == n_offsets || offsets[low].elem != elem) {
        return;
    }
    KANAME_UNROLL(10)
    for (int k = 0; k < 10; ++k) {
        KANAME_UNROLL(3)
        for (int c = 0; c < 3; ++c) {
            u[k][c] += p.per_lane(offsets[low].s[k][c]);
        }
    }
}

/// f = -int B^T D B s_e of one listed element.
struct OffsetForce {
    ElementPointers data;
    const ElementOffset* offsets;
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t item, const P& p, V (&f)[10][3]) const {
        const std::int64_t elem = offsets[item].elem;
        V u[10][3];
        data.zero_force(p, u);
        add_offset(offsets + item, 1, elem, p, u);
        V G[3][3];
        data.gradients(elem, p, G);
        const double weight = -data.weight(elem);
        V s[4][6];
        element_stress(u, G, p.constant(data.lam[elem] * weight),
                       p.constant(data.mu[elem] * weight), s);
        data.zero_force(p, f);
        add_element_force(s, G, f);
    }
};

/// f = -int B^T (sigma - relax sigma), or of two branches.
struct StressForce {
    ElementPointers data;
    const Parts* relax;
    const double* stress;
    SecondPointers second = SecondBranch{};
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t elem, const P& p, V (&f)[10][3]) const {
        const double weight = -data.weight(elem);
        const SecondOfElement own = second.of(elem);
        V s[4][6];
        KANAME_UNROLL(4)
        for (int k = 0; k < 4; ++k) {
            KANAME_UNROLL(6)
            for (int c = 0; c < 6; ++c) {
                s[k][c] = weight * p.load(stress, elem * kStressNumbers + k * 6 + c);
            }
            relax_stress(s[k], relax[elem]);
            if (own.stress != nullptr) {
                V t[6];
                load_tensor(p, own.stress, own.first + k * 6, t);
                relax_second(s[k], t, scaled(weight, relax[elem]), scaled(weight, own.relax));
            }
        }
        data.force(elem, p, s, f);
    }
};

/// Where elements relax: relax [El], and relax_2 of second branches by their slot.
struct Relaxing {
    const Parts* relax;
    const Parts* second_relax;
    SecondPointers second;

    [[nodiscard]] KANAME_HD bool passes_over(std::int64_t elem) const {
        return relax[elem].deviator == 0.0 && relax[elem].mean == 0.0 &&
               second.of(elem).stress == nullptr;
    }
    /// s = weight (relax S_1 + relax_2 S_2), where S_1 = sigma - S_2 and S_2 = t.
    template <class V>
    KANAME_HD void lost(std::int64_t elem, double weight, const V (&sigma)[6], const V (&t)[6],
                        V (&s)[6]) const {
        const Parts first = scaled(weight, relax[elem]);
        const V mean = mean_of(sigma);
        KANAME_UNROLL(6)
        for (int c = 0; c < 6; ++c) {
            s[c] = part_of(first, sigma, mean, c);
        }
        if (second.of(elem).stress != nullptr) {
            // Less (first - relax_2) S_2.
            relax_second(s, t, scaled(weight, second_relax[second.slot[elem]]), first);
        }
    }
};

/// sigma += D B (du + s_e) - relax sigma, or of two branches, of one element.
template <int L = lanes::kLanes>
struct StressUpdate {
    static constexpr const char* kName = "stress_update";
    using GpuShare = lanes::OneLane<L>;
    ElementPointers data;
    const Parts* relax;
    const ElementOffset* offsets;
    std::int32_t n_offsets;
    const double* du;
    double* stress;
    SecondPointers second = SecondBranch{};
    const std::int32_t* only = nullptr;  ///< element of each item; null: all

    /// D B (du + s_e)
    template <class P, class V>
    KANAME_HD void change(std::int64_t elem, const P& p, V (&s)[4][6]) const {
        V u[10][3];
        data.displacement(elem, p, du, u);
        add_offset(offsets, n_offsets, elem, p, u);
        V G[3][3];
        data.gradients(elem, p, G);
        element_stress(u, G, p.constant(data.lam[elem]), p.constant(data.mu[elem]), s);
    }
    /// The step of one element; after(k, sigma, S_2) gets what has come out at vertex k.
    template <class P, class After>
    KANAME_HD void step(std::int64_t elem, const P& p, const After& after) const {
        PackOf<P, double> grown[4][6];
        change(elem, p, grown);
        const SecondOfElement own = second.of(elem);
        KANAME_UNROLL(4)
        for (int k = 0; k < 4; ++k) {
            const std::int64_t at = elem * kStressNumbers + k * 6;
            PackOf<P, double> s[6];
            PackOf<P, double> t[6] = {};
            load_tensor(p, stress, at, s);
            if (own.stress != nullptr) {
                load_tensor(p, own.stress, own.first + k * 6, t);
            }
            step_stress(s, t, grown[k], relax[elem], own);
            store_tensor(p, stress, at, s);
            if (own.stress != nullptr) {
                store_tensor(p, own.stress, own.first + k * 6, t);
            }
            after(k, s, t);
        }
    }
    template <class P>
    KANAME_HD void operator()(std::int64_t item, const P& p) const {
        step(only != nullptr ? only[item] : item, p, [](int, const auto&, const auto&) {});
    }
};

/// StressUpdate, and the force of what relaxes in the step after it.
struct StressStep {
    StressUpdate<> update;
    Relaxing next;
    template <class P, class V>
    KANAME_HD void operator()(std::int64_t elem, const P& p, V (&f)[10][3]) const {
        if (next.passes_over(elem)) {
            update.data.zero_force(p, f);
            return;
        }
        const double weight = update.data.weight(elem);
        V s[4][6];
        update.step(elem, p, [&](int k, const V(&sigma)[6], const V(&t)[6]) {
            next.lost(elem, weight, sigma, t, s[k]);
        });
        update.data.force(elem, p, s, f);
    }
};

/// sigma = D B (u + s_e) of listed elements.
template <int L = lanes::kLanes>
struct LastingStress {
    static constexpr const char* kName = "lasting_stress";
    using GpuShare = lanes::OneLane<L>;
    StressUpdate<L> update;  ///< of u
    template <class P>
    KANAME_HD void operator()(std::int64_t item, const P& p) const {
        const std::int64_t elem = update.only[item];
        PackOf<P, double> s[4][6];
        update.change(elem, p, s);
        KANAME_UNROLL(4)
        for (int k = 0; k < 4; ++k) {
            store_tensor(p, update.stress, elem * kStressNumbers + k * 6, s[k]);
        }
    }
};

/// StressUpdate where lanes are consecutive steps.
template <int L = lanes::kLanes>
struct ChainedStressUpdate {
    static constexpr const char* kName = "stress_update";
    using GpuShare = lanes::LaneArrays<L>;
    StressUpdate<L> update;
    bool within;  ///< LaneChain::Within; else Next
    template <class P>
    KANAME_HD void operator()(std::int64_t elem, const P& p) const {
        const auto chain = [&](const auto& grown) {
            chain_lanes<L>(update.stress, elem * kStressNumbers, update.relax[elem],
                           update.second.of(elem), within ? 1 : 0, grown);
        };
        if constexpr (std::is_same_v<P, GpuShare>) {
            // A GPU's thread has registers for one lane.
            chain([&](int lane, double(&g)[4][6]) {
                update.change(elem, lanes::OneLane<L>{lane}, g);
            });
        } else {
            PackOf<P, double> change[4][6];
            update.change(elem, p, change);
            chain([&](int lane, double(&g)[4][6]) {
                for (int c = 0; c < 24; ++c) {
                    g[c / 6][c % 6] = change[c / 6][c % 6][lane];
                }
            });
        }
    }
};

// The bodies of what a caller asks for.
inline StressUpdate<> stress_update(const StressUpdateArgs& args) {
    return {args.data,           args.relax.data(),
            args.offsets.data(), static_cast<std::int32_t>(args.offsets.size()),
            args.du.data(),      args.stress.data(),
            args.second,         args.only.empty() ? nullptr : args.only.data()};
}
inline StressStep stress_step(const StressStepArgs& args) {
    return {stress_update(args.update),
            {args.next_relax.data(), args.next_second_relax.data(), args.update.second}};
}

}  // namespace kaname::viscoelastic::body
