// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/p2_transfer.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "solvers/comm/thread/thread_comm.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/mesh/partition.hpp"
#include "solvers/p2/multigrid/p2_transfer_body.hpp"
#include "tests/support/box_mesh.hpp"

namespace kaname::multigrid {
namespace {

constexpr int kWidth = 3 * lanes::kLanes;

void on_ranks(int ranks, const std::function<void(p2::LocalMesh&, comm::Comm&)>& check) {
    const mesh::TetMesh mesh = test::BoxMesh{.cells = {3, 3, 2}}.build();
    const p2::DofMap dofs(mesh);
    const auto part = mesh::partition_by_bisection(mesh.xyz, mesh.tets, ranks);
    comm::run_as_threads(ranks, [&](comm::Comm& comm) {
        p2::LocalMesh local(mesh, dofs, part, comm);
        check(local, comm);
    });
}

/// Different for every global item, component and lane.
float number(std::int64_t gid, int k) {
    return static_cast<float>(std::sin(1.0 + 0.7 * static_cast<double>(gid) + 2.3 * k));
}

class P2TransferOnRanks : public testing::TestWithParam<int> {};

device::Queue queue;  // the CPU's; ranks may share it

TEST_P(P2TransferOnRanks, ProlongationIsExactForLinearFields) {
    on_ranks(GetParam(), [](p2::LocalMesh& mesh, comm::Comm&) {
        const auto linear = [](const Vec3& x, int k) {
            return static_cast<float>(k + 2.0 * x.x - k * x.y + 0.5 * x.z);
        };
        device::Buffer<float> v(std::size_t(mesh.n_vertices()) * kWidth);
        device::Buffer<float> u(std::size_t(mesh.n_nodes()) * kWidth);
        for (std::int32_t vertex = 0; vertex < mesh.n_vertices(); ++vertex) {
            for (int k = 0; k < kWidth; ++k) {
                v[vertex * kWidth + k] = linear(mesh.node_xyz[mesh.vertex_node[vertex]], k);
            }
        }

        P2Transfer(mesh, queue).prolong_add(v, u, queue);

        for (std::int32_t node = 0; node < mesh.n_nodes(); ++node) {
            for (int k = 0; k < kWidth; ++k) {
                EXPECT_NEAR(u[node * kWidth + k], linear(mesh.node_xyz[node], k), 2e-6);
            }
        }
    });
}

TEST_P(P2TransferOnRanks, RestrictionIsTheTransposeOfProlongation) {
    on_ranks(GetParam(), [](p2::LocalMesh& mesh, comm::Comm& comm) {
        const P2Transfer transfer(mesh, queue);
        device::Buffer<float> v(std::size_t(mesh.n_vertices()) * kWidth);
        device::Buffer<float> Rr(v.size());
        device::Buffer<float> r(std::size_t(mesh.n_nodes()) * kWidth);
        device::Buffer<float> Pv(r.size());
        for (std::size_t i = 0; i < v.size(); ++i) {
            v[i] = number(mesh.vertex_gid[i / kWidth], static_cast<int>(i % kWidth));
        }
        for (std::size_t i = 0; i < r.size(); ++i) {
            r[i] = number(1000 + mesh.node_gid[i / kWidth], static_cast<int>(i % kWidth));
        }

        transfer.prolong_add(v, Pv, queue);
        transfer.restrict_to(r, Rr, queue);

        // (P v, r) over owned nodes is (v, P^T r) with the ranks' parts of P^T r added up.
        double forward = 0.0;
        double backward = 0.0;
        for (std::size_t i = 0; i < r.size(); ++i) {
            if (mesh.node_halo.owned(static_cast<std::int32_t>(i / kWidth))) {
                forward += double(Pv[i]) * r[i];
            }
        }
        for (std::size_t i = 0; i < v.size(); ++i) {
            backward += double(v[i]) * Rr[i];
        }
        EXPECT_NEAR(comm.sum(forward), comm.sum(backward), 1e-4);
    });
}

TEST_P(P2TransferOnRanks, ProlongationAddsToWhatIsThere) {
    on_ranks(GetParam(), [](p2::LocalMesh& mesh, comm::Comm&) {
        device::Buffer<float> v(std::size_t(mesh.n_vertices()) * kWidth);
        device::Buffer<float> u(std::size_t(mesh.n_nodes()) * kWidth);
        v.fill(2.0F);
        u.fill(3.0F);

        P2Transfer(mesh, queue).prolong_add(v, u, queue);

        for (std::size_t i = 0; i < u.size(); ++i) {
            EXPECT_EQ(u[i], 5.0F) << i;
        }
    });
}

TEST_P(P2TransferOnRanks, BodiesOfTheGpuGiveTheSame) {
    on_ranks(GetParam(), [](p2::LocalMesh& mesh, comm::Comm&) {
        const P2Transfer transfer(mesh, queue);
        const P2TransferLists& lists = transfer.lists();
        device::Buffer<float> nodes(std::size_t(mesh.n_nodes()) * kWidth);
        device::Buffer<float> vertices(std::size_t(mesh.n_vertices()) * kWidth);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            nodes[i] = number(static_cast<std::int64_t>(i / kWidth), static_cast<int>(i % kWidth));
        }
        const auto same = [](const device::Buffer<float>& a, const device::Buffer<float>& b) {
            for (std::size_t i = 0; i < a.size(); ++i) {
                ASSERT_NEAR(a[i], b[i], 2e-6) << i;
            }
        };
        device::Buffer<float> by_body(vertices.size());
        transfer.restrict_to(nodes, vertices, queue);
        for (std::size_t i = 0; i < by_body.size(); ++i) {
            body::Restrict{lists.vertex_node.data(), lists.ptr.data(), lists.mid.data(),
                           nodes.data(), by_body.data()}(static_cast<std::int64_t>(i));
        }
        same(by_body, vertices);
        device::Buffer<float> fine(nodes.size());
        std::copy_n(nodes.data(), nodes.size(), fine.data());
        transfer.prolong_add(vertices, fine, queue);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            body::ProlongAdd{lists.parent.data(), vertices.data(),
                             nodes.data()}(static_cast<std::int64_t>(i));
        }
        same(nodes, fine);
        transfer.inject(fine, vertices, queue);
        for (std::size_t i = 0; i < by_body.size(); ++i) {
            body::Inject{lists.at_vertex.data(), nodes.data(),
                         by_body.data()}(static_cast<std::int64_t>(i));
        }
        same(by_body, vertices);
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, P2TransferOnRanks, testing::Values(1, 3));

}  // namespace
}  // namespace kaname::multigrid
