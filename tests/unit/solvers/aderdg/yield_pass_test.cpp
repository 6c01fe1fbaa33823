// SPDX-License-Identifier: BSD-3-Clause
// Blocks of packs against one element at a time at its nodes, without any proof beforehand.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "solvers/aderdg/block_points.hpp"
#include "solvers/aderdg/clustered_solver.hpp"
#include "solvers/aderdg/cpu/condition_passes.hpp"
#include "solvers/aderdg/plasticity.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::aderdg::yield_pass_test {
namespace {

/// Strength and initial stress that vary in each element and from one to the next.
YieldPoint varied(std::int64_t tet, const Vec3& x) {
    const double level = 0.1 * static_cast<double>(tet % 40);
    return {level + 0.2 * x.x,
            0.3 + 0.4 * x.y,
            {-1.0 - x.z, -1.2, -0.8 + 0.3 * x.x, 0.2 * x.y, 0.1, -0.1 * x.z}};
}

template <class T, int N>
class Blocks {
public:
    explicit Blocks(double relaxation_s)
        : model_(box_of_cubes({3, 3, 3}, {0, 0, 0}, {1, 1, 1}, solid_of(2.0, 1.9, 1.1))) {
        model_.plasticity = {varied, relaxation_s};
        topology_ = TetTopology::of(model_);
        params_.order = N + 1;
        const std::size_t n = model_.mesh.tets.size();
        Clustering one;
        one.cluster.assign(n, 0);
        one.step_s = kStep;
        const std::vector<std::int32_t> part(n, 0);
        setup_ = std::make_unique<EngineSetup>(
            EngineSetup{model_,
                        topology_,
                        params_,
                        kStep,
                        1,
                        Layout::of(model_, topology_, one, part, 0, kPack<T>),
                        {}});
        pass_ = std::make_unique<YieldPass<T, N>>(*setup_);
        std::mt19937 draw(3);
        std::uniform_real_distribution<double> number(-1.0, 1.0);
        q_.resize(static_cast<std::size_t>(setup_->layout.n_blocks()) * kBlock);
        for (Pack<T>& pack : q_) {
            for (int e = 0; e < kPack<T>; ++e) {
                pack.set(e, static_cast<T>(number(draw)));
            }
        }
    }

    /// Relaxes all blocks and compares each element; numbers that yielded and that kept all bits.
    void compare(double tolerance, int& yielded, int& untouched) {
        const AlignedVector<Pack<T>> before = q_;
        const Layout& layout = setup_->layout;
        for (std::int32_t block = 0; block < layout.n_blocks(); ++block) {
            pass_->relax(block, 0, q_.data() + static_cast<std::size_t>(block) * kBlock);
            for (int e = 0; e < kPack<T>; ++e) {
                const std::int64_t tet =
                    layout.tets[static_cast<std::size_t>(block) * kPack<T> + e];
                if (tet >= 0) {
                    compare(tet, before, block, e, tolerance, yielded, untouched);
                }
            }
        }
    }

private:
    static constexpr int kBlock = kQuantities * tet_modes(N);
    static constexpr double kStep = 0.02;

    /// Stresses of an element at its nodes, [nodes][6].
    [[nodiscard]] std::vector<std::array<double, 6>> at_nodes(const AlignedVector<Pack<T>>& q,
                                                              std::int32_t block, int e) const {
        std::vector<std::array<double, 6>> all;
        for (const auto& lambda : tables_.nodes) {
            const std::vector<double> b = bernstein_at(N, lambda);
            std::array<double, 6> s{};
            for (std::size_t m = 0; m < b.size(); ++m) {
                for (std::size_t c = 0; c < 6; ++c) {
                    s[c] += b[m] * q[block * std::size_t{kBlock} + kQuantities * m + c][e];
                }
            }
            all.push_back(s);
        }
        return all;
    }

    [[nodiscard]] double elastic_j(std::int64_t tet, const AlignedVector<Pack<T>>& q,
                                   std::int32_t block, int e) const {
        std::vector<double> own;
        for (int k = 0; k < kBlock; ++k) {
            own.push_back(q[static_cast<std::size_t>(block) * kBlock + k][e]);
        }
        const std::vector<double> mass = mass_matrix(N);
        double squares[Squares::kFields][1] = {};
        for (int i = 0; i < tet_modes(N); ++i) {
            kernels::add_squares<1>(own.data(), 1, &mass[i * tet_modes(N)], tet_modes(N), i,
                                    squares);
        }
        return EnergyWeights::of(model_.solids[0],
                                 TetShape::of(corners_of(model_, topology_, tet)).volume_m3)
            .energy(&squares[0][0], 1)
            .elastic_j;
    }

    void compare(std::int64_t tet, const AlignedVector<Pack<T>>& before, std::int32_t block, int e,
                 double tolerance, int& yielded, int& untouched) {
        const auto corners = corners_of(model_, topology_, tet);
        const auto old = at_nodes(before, block, e), now = at_nodes(q_, block, e);
        const double relaxes = model_.plasticity.relaxation_s > 0.0
                                   ? 1.0 - std::exp(-kStep / model_.plasticity.relaxation_s)
                                   : 1.0;
        double strain = 0.0;
        for (std::size_t n = 0; n < old.size(); ++n) {
            double s[6] = {}, cohesion = 0.0, sine = 0.0;
            for (int a = 0; a < 4; ++a) {
                const YieldPoint point = varied(tet, corners[a]);
                const double share = tables_.nodes[n][a],
                             cosine = std::cos(std::atan(point.friction));
                cohesion += share * point.cohesion_pa * cosine;
                sine += share * point.friction * cosine;
                for (int c = 0; c < 6; ++c) {
                    s[c] += share * point.stress_pa[c];
                }
            }
            for (int c = 0; c < 6; ++c) {
                s[c] += old[n][c];
            }
            double shear = 0.0;
            const double part = kernels::relaxed_share<double>(s, cohesion, sine, relaxes, shear);
            const double mean = (s[0] + s[1] + s[2]) / 3.0;
            strain += tables_.mean[n] * part * shear / (2.0 * model_.solids[0].mu_pa);
            for (int c = 0; c < 6; ++c) {
                const double less = part * (s[c] - (c < 3 ? mean : 0.0));
                ASSERT_NEAR(now[n][c], old[n][c] - less, tolerance) << tet << " " << n;
            }
        }
        EXPECT_NEAR(pass_->sums(block, e)[Yielded::kStrain], strain, tolerance);
        // The energy that waves lose is exactly the difference of their elastic energies.
        EXPECT_NEAR(pass_->sums(block, e)[Yielded::kTakenJ],
                    elastic_j(tet, before, block, e) - elastic_j(tet, q_, block, e), tolerance);
        bool same = true;
        for (int k = 0; k < kBlock; ++k) {
            const std::size_t at = static_cast<std::size_t>(block) * kBlock + k;
            same = same && q_[at][e] == before[at][e];
        }
        if (strain == 0.0) {
            EXPECT_TRUE(same);
        } else if (strain > tolerance) {
            EXPECT_FALSE(same);
        }
        ++(strain > 0.0 ? yielded : untouched);
    }

    WaveModel model_;
    TetTopology topology_;
    WaveParams params_;
    std::unique_ptr<EngineSetup> setup_;
    std::unique_ptr<YieldPass<T, N>> pass_;
    YieldTables tables_{N};
    AlignedVector<Pack<T>> q_;
};

template <class T, int N>
void blocks_are_right(double tolerance) {
    for (const double relaxation_s : {0.03, 0.0}) {
        int yielded = 0, untouched = 0;
        Blocks<T, N>(relaxation_s).compare(tolerance, yielded, untouched);
        EXPECT_GT(yielded, 20);
        EXPECT_GT(untouched, 10);
    }
}

TEST(YieldPass, RelaxesEveryNodeThatYields) {
    blocks_are_right<double, 1>(1e-12);
    blocks_are_right<double, 3>(1e-12);
    blocks_are_right<double, 6>(1e-11);
    blocks_are_right<float, 2>(1e-5);
    blocks_are_right<float, 5>(3e-5);
}

}  // namespace
}  // namespace kaname::aderdg::yield_pass_test
