// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/aderdg/bernstein.hpp"
#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/face_tables.hpp"
#include "solvers/aderdg/fault_shapes.hpp"
#include "solvers/aderdg/kernels/conditions_body.hpp"
#include "solvers/aderdg/kernels/element_terms.hpp"
#include "solvers/aderdg/kernels/yield_body.hpp"
#include "solvers/aderdg/plasticity.hpp"
#include "solvers/parallel/aligned.hpp"
#include "solvers/parallel/pack.hpp"

namespace kaname::aderdg {

/// Friction on a rank's fault faces, from the traces that both elements of each keep over time. In
/// double precision, whatever the elements have.
class FaultPass final : public EngineFaults {
public:
    FaultPass(const EngineSetup& setup, const FaceTables& tables);

    [[nodiscard]] std::span<const FaultSides> sides() const { return sides_; }

    /// One step of face k from what both sides keep; mean slip rate over the step, plus side less
    /// minus side, as [3][face_modes(N)]. False: nothing slips, and `rate` is not written.
    bool step(std::int64_t k, double t_s, double dt_s, const double* minus, const double* plus,
              double* rate);

    [[nodiscard]] std::span<const rupture::FaultFaceShape> faces() const override {
        return friction_.faces();
    }
    [[nodiscard]] std::vector<double> kept(std::int64_t face) override {
        const std::span<const double> of = friction_.kept(face);
        return {of.begin(), of.end()};
    }
    void set_kept(std::int64_t face, std::span<const double> values) override {
        std::ranges::copy(values, friction_.kept(face).begin());
    }
    [[nodiscard]] FaultRecord& record() override { return record_; }

private:
    template <int per>
    void evaluate(const double* locked_modes, int first_point, double* values) const;

    const FaceTables& tables_;
    int modes_;
    std::vector<FaultSides> sides_;
    std::vector<FaultFaceTerms> terms_;
    rupture::FaultFaces friction_;
    FaultRecord record_;
};

/// Integral of a linear equation with a polynomial on the right over a step, exactly:
///   eta' = f(x) - kappa eta,  x = (t - t0)/dt from 0 to 1,  f = sum_i f_i x^i (dt in it).
/// Its end is end[0] eta(0) + sum_i end[i + 1] f_i, its mean likewise.
struct DecayWeights {
    std::vector<double> end, mean;
    DecayWeights(double kappa, int powers);
};

/// Height eta by which a rank's faces with gravity have risen along their outward normal, from the
/// traces that their elements keep over time:
///   eta' = v_n - (rho g eta - p)/Z,    p = -t_n,  Z = rho vp,
/// the velocity of the exact Riemann solution under the traction t* = -rho g eta n.
class GravityPass {
public:
    GravityPass(const EngineSetup& setup, const FaceTables& tables);

    struct Face {
        std::int64_t number = 0;     ///< among all faces with gravity of the model
        std::int32_t condition = 0;  ///< Layout::conditions
        int cluster = 0;
        GravityTerms terms;
        DecayWeights weights;
    };
    /// Returns the faces, sorted by cluster.
    [[nodiscard]] std::span<const Face> faces() const { return faces_; }

    /// One step of face k and a lane from what its element keeps (KeptTrace); the mean height as
    /// [face_modes(N)].
    void step(std::int64_t k, int lane, const double* kept, double* mean);

    /// Returns the share of number j of the driving in each mode of the end or mean height, without
    /// the weight of its power, [numbers][face_modes(N)].
    [[nodiscard]] std::vector<double> responses() const;

    /// Returns the heights, [faces][lanes][face_modes(N)].
    [[nodiscard]] std::span<double> heights() { return heights_; }
    /// Sets the heights from those of all faces of the model, by number.
    void set_heights(std::span<const double> all);

private:
    /// out = sum_i weights[i + 1] factor(i) f_i in degree N, f_i the parts of `driving` by powers.
    void sum(std::span<const double> weights, const double* driving, double* out) const;

    const KeptTrace& kept_;
    int modes_, lanes_;
    std::vector<Face> faces_;
    std::vector<double> heights_;
    /// One degree higher: a mode's three sources and their shares, [degrees][modes].
    struct Source {
        std::array<int, 3> place;
        std::array<double, 3> share;
    };
    std::vector<std::vector<Source>> elevation_;
};

/// Visco-plasticity of a rank's elements, at the end of each of their steps; one lane.
///
/// Bernstein coefficients within the strength prove that an element does not yield; the others are
/// looked at at their nodes. First coefficients of what waves bring are held against the least
/// margin of the initial state (about 20 operations each), then with the initial state added.
template <class T, int N>
class YieldPass {
public:
    explicit YieldPass(const EngineSetup& setup);

    /// Relaxes a block's stresses [tet_modes(N)][kQuantities] for a step of its cluster.
    void relax(std::int32_t block, int cluster, Pack<T>* q);

    using Sums = std::array<double, Yielded::kFields>;
    [[nodiscard]] Sums& sums(std::int32_t block, int element) {
        return sums_[static_cast<std::size_t>(block) * kPack<T> + element];
    }

private:
    static constexpr int kModes = tet_modes(N);
    static constexpr int kDeviators = kernels::kDeviators;

    struct Scratch {
        AlignedVector<Pack<T>> taken = AlignedVector<Pack<T>>(kModes * kDeviators);
        AlignedVector<Pack<T>> middle = AlignedVector<Pack<T>>(kModes * kDeviators);
        std::vector<int> yielding;  ///< nodes
    };

    /// Which elements have coefficients above the strength, 1 or 0.
    [[nodiscard]] static Pack<T> above_margin(const Pack<T>* given, const Pack<T>* q);
    [[nodiscard]] Pack<T> above_strength(const Pack<T>* given, const Pack<T>* q) const;
    /// Relaxes at the nodes of those elements; what the nodes give up to `own`.
    Pack<T> relax_nodes(const Pack<T>* given, const Pack<T>& may, T relaxes, const Pack<T>* q,
                        Scratch& own) const;
    /// Takes from the coefficients what the nodes give up; stresses half way to `own`.
    void take(const Pack<T>& may, Scratch& own, Pack<T>* q) const;
    /// Energy taken from waves and heat, by the work of mean stresses.
    void add_energies(const Pack<T>* given, const Scratch& own, Pack<T>& taken,
                      Pack<T>& heat) const;

    AlignedVector<Pack<T>> given_;  ///< [blocks][YieldTerms::kSize]
    std::vector<T> relaxes_;        ///< [clusters] 1 - exp(-dt/T_v)
    std::vector<Sums> sums_;        ///< [blocks][elements]
    SparseRows<T> to_nodes_, to_modes_;
    std::vector<T> vertex_share_;  ///< [modes][4] of a linear function's coefficients
    std::vector<T> nodes_;         ///< [nodes][4]
    std::vector<T> times_modes_, times_vertices_, mean_;
};

extern template class YieldPass<double, 1>;
extern template class YieldPass<double, 2>;
extern template class YieldPass<double, 3>;
extern template class YieldPass<double, 4>;
extern template class YieldPass<double, 5>;
extern template class YieldPass<double, 6>;
extern template class YieldPass<float, 1>;
extern template class YieldPass<float, 2>;
extern template class YieldPass<float, 3>;
extern template class YieldPass<float, 4>;
extern template class YieldPass<float, 5>;
extern template class YieldPass<float, 6>;

}  // namespace kaname::aderdg
