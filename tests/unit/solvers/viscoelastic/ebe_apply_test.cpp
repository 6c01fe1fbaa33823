// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/threads.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"
#include "tests/unit/solvers/viscoelastic/reference_element.hpp"

namespace kaname::viscoelastic::ebe_apply_test {
namespace {

using lanes::kLanes;

class EbeApply : public testing::Test {
protected:
    comm::SerialComm comm;
    device::Queue queue;
    BoxModel box{distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm};
    ElementModuli moduli = box.model.step_moduli(0.0, 0.5).moduli;

    template <class T>
    device::Buffer<T> apply(const device::Buffer<T>& x) {
        const ElementGroups<T> elements(box.model.mesh(), box.model.geometry(), moduli, queue);
        device::Buffer<T> y(x.size());
        ebe_apply<T>({elements, x, y, 0, static_cast<int>(elements.colours.size())}, queue);
        return y;
    }
};

TEST_F(EbeApply, MatchesQuadratureInDoublePrecision) {
    const auto x = random_vector<double>(box.model.vector_size(), 1);
    const auto expected = reference_apply(box.model, two_rocks(), x);

    const auto y = apply(x);

    const double scale = largest(y);
    EXPECT_GT(scale, 0.1);
    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(y[i], expected[i], 1e-13 * scale) << i;
    }
}

TEST_F(EbeApply, MatchesQuadratureInSinglePrecision) {
    const auto x = random_vector<float>(box.model.vector_size(), 2);
    device::Buffer<double> wide(x.size());
    std::copy(x.data(), x.data() + x.size(), wide.data());
    const auto expected = reference_apply(box.model, two_rocks(), wide);

    const auto y = apply(x);

    const double scale = largest(y);
    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(y[i], expected[i], 1e-5 * scale) << i;
    }
}

TEST_F(EbeApply, RigidMotionsNeedNoForce) {
    const p2::LocalMesh& mesh = box.model.mesh();
    device::Buffer<double> x(box.model.vector_size());
    for (std::int32_t node = 0; node < mesh.n_nodes(); ++node) {
        const Vec3 at = 1e-3 * mesh.node_xyz[node];
        const Vec3 motion[4] = {{1.0, -2.0, 3.0},
                                cross({1.0, 0.0, 0.0}, at),
                                cross({0.0, 1.0, 0.0}, at),
                                cross({0.0, 0.0, 1.0}, at)};
        for (int k = 0; k < 3 * kLanes; ++k) {
            x[std::size_t(node) * 3 * kLanes + k] = motion[k % kLanes][k / kLanes];
        }
    }

    const auto y = apply(x);

    const double stiff = largest(apply(random_vector<double>(x.size(), 3)));
    EXPECT_LT(largest(y), 1e-13 * stiff * largest(x));
}

/// Elements enough for blocks larger than a GPU's.
class EbeApplyInChunks : public testing::Test {
protected:
    static test::BoxMesh many() {
        test::BoxMesh box = distorted_box();
        box.cells = {18, 18, 18};
        return box;
    }

    comm::SerialComm comm;
    device::Queue queue;
    BoxModel box{many(), two_rocks(), clamped({mesh::Side::Bottom}), comm};
    ElementModuli moduli = box.model.step_moduli(0.0, 0.5).moduli;
    ElementGroups<double> elements{box.model.mesh(), box.model.geometry(), moduli, queue};
    int n_colours = static_cast<int>(elements.colours.size());
    device::Buffer<double> x = random_vector<double>(box.model.vector_size(), 7);
};

TEST_F(EbeApplyInChunks, FewNodesLieInSeveral) {
    std::size_t visits = 0;
    std::size_t chunks = 0;
    std::vector<std::int64_t> last(box.model.mesh().n_nodes(), -1);
    for (const auto& colour : elements.colours) {
        for (const auto& chunk : colour) {
            ++chunks;
            const std::int64_t per_group = std::int64_t{elements.group} * p2::kNodesPerTet10;
            for (std::int64_t k = chunk.begin * per_group; k < chunk.end * per_group; ++k) {
                std::int64_t& seen = last[elements.conn[k]];
                visits += seen == static_cast<std::int64_t>(chunks) ? 0 : 1;
                seen = static_cast<std::int64_t>(chunks);
            }
        }
    }
    const auto nodes = static_cast<double>(last.size());
    EXPECT_LT(static_cast<double>(visits), 1.9 * nodes);  // 2.0 in blocks of 64
    EXPECT_GE(chunks, 256u);
}

TEST_F(EbeApplyInChunks, EveryBitIsTheSameWithAnyNumberOfThreads) {
    const int before = device::max_threads();
    std::vector<device::Buffer<double>> y;

    for (const int threads : {1, 2, 3}) {
        device::set_threads(threads);
        y.emplace_back(x.size());
        ebe_apply<double>({elements, x, y.back(), 0, n_colours}, queue);
    }
    device::set_threads(before);

    for (std::size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(y[1][i], y[0][i]) << i;
        ASSERT_EQ(y[2][i], y[0][i]) << i;
    }
}

TEST_F(EbeApplyInChunks, MatchesQuadrature) {
    const auto expected = reference_apply(box.model, two_rocks(), x);
    device::Buffer<double> y(x.size());

    ebe_apply<double>({elements, x, y, 0, n_colours}, queue);

    const double scale = largest(y);
    for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_NEAR(y[i], expected[i], 1e-13 * scale) << i;
    }
}

TEST_F(EbeApply, AddsToWhatIsThere) {
    const auto x = random_vector<double>(box.model.vector_size(), 4);
    const auto once = apply(x);
    const ElementGroups<double> elements(box.model.mesh(), box.model.geometry(), moduli, queue);
    device::Buffer<double> y(x.size());
    y.fill(2.0);

    ebe_apply<double>({elements, x, y, 0, static_cast<int>(elements.colours.size())}, queue);

    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_NEAR(y[i], 2.0 + once[i], 1e-13 * largest(once));
    }
}

#ifndef KANAME_LANES  // one lane has none to mix with
TEST_F(EbeApply, LanesDoNotMix) {
    auto x = random_vector<double>(box.model.vector_size(), 5);
    const auto before = apply(x);
    for (std::size_t i = 1; i < x.size(); i += kLanes) {
        x[i] = std::numeric_limits<double>::quiet_NaN();
    }

    const auto y = apply(x);

    for (std::size_t i = 0; i < y.size(); ++i) {
        if (i % kLanes != 1) {
            EXPECT_EQ(y[i], before[i]);
        }
    }
}
#endif

TEST_F(EbeApply, RepeatsBitForBitForAnyNumberOfThreads) {
    const auto x = random_vector<float>(box.model.vector_size(), 6);
    const int threads = device::max_threads();

    device::set_threads(1);
    const auto one = apply(x);
    device::set_threads(3);
    const auto three = apply(x);
    device::set_threads(threads);

    for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one[i], three[i]);
    }
}

TEST_F(EbeApply, RefusesVectorsOfDifferentSizes) {
    const ElementGroups<double> elements(box.model.mesh(), box.model.geometry(), moduli, queue);
    const device::Buffer<double> x(box.model.vector_size());
    device::Buffer<double> y(x.size() - kLanes);

    EXPECT_THROW(ebe_apply<double>({elements, x, y, 0, 1}, queue), Error);
}

class EbeOperatorOnRanks : public testing::TestWithParam<Element> {};

TEST_P(EbeOperatorOnRanks, ThreeGiveTheResultOfOne) {
    std::vector<double> whole;
    const auto number = [](std::int64_t gid, std::size_t k) {
        return std::sin(0.7 * static_cast<double>(gid) + 2.0 * static_cast<double>(k));
    };
    const auto run = [&](int ranks, const auto& use) {
        comm::run_as_threads(ranks, [&](comm::Comm& comm) {
            device::Queue queue;
            const BoxModel box(distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm,
                               GetParam());
            EbeOperator<double> K(box.model, box.model.step_moduli(1e9, 0.5).moduli, queue);
            device::Buffer<double> x(box.model.vector_size());
            device::Buffer<double> y(x.size());
            for (std::size_t i = 0; i < x.size(); ++i) {
                x[i] = number(box.model.mesh().node_gid[i / (3 * kLanes)], i % (3 * kLanes));
            }
            K.apply(x, y, queue);
            use(box.model, y);
        });
    };
    run(1, [&](const Model& model, const device::Buffer<double>& y) {
        whole.resize(y.size());
        for (std::size_t i = 0; i < y.size(); ++i) {
            whole[model.mesh().node_gid[i / (3 * kLanes)] * 3 * kLanes + i % (3 * kLanes)] = y[i];
        }
    });

    run(3, [&](const Model& model, const device::Buffer<double>& y) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            const std::int64_t gid = model.mesh().node_gid[i / (3 * kLanes)];
            EXPECT_NEAR(y[i], whole[gid * 3 * kLanes + i % (3 * kLanes)], 1e-12 * largest(y));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(BothElements, EbeOperatorOnRanks,
                         testing::Values(Element::P2, Element::NodalDilatation));

}  // namespace
}  // namespace kaname::viscoelastic::ebe_apply_test
