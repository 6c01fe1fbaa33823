// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/multigrid/p2_transfer.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "solvers/lanes/lanes.hpp"
#include "solvers/mesh/partition.hpp"
#include "solvers/p2/multigrid/p2_transfer_body.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"

namespace kaname::multigrid::p2_transfer_test {
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

TEST_P(P2TransferOnRanks, EveryDirectionIsItsFormulaOnBothBackends) {
    on_ranks(GetParam(), [](p2::LocalMesh& mesh, comm::Comm&) {
        const P2Transfer transfer(mesh, queue);
        const P2TransferLists& lists = transfer.lists();
        lanes::Numbers<float> nodes(std::size_t(mesh.n_nodes()) * kWidth);
        lanes::Numbers<float> vertices(std::size_t(mesh.n_vertices()) * kWidth);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            nodes[i] = number(static_cast<std::int64_t>(i / kWidth), static_cast<int>(i % kWidth));
        }
        for (std::size_t i = 0; i < vertices.size(); ++i) {
            vertices[i] = number(static_cast<std::int64_t>(i), 3);
        }
        // Plain loops over the mesh: P is 1 at vertices, 1/2 at both ends of an edge's middle.
        lanes::Numbers<float> down(vertices.size(), 0.0F);
        lanes::Numbers<float> up = nodes;
        lanes::Numbers<float> at_vertices(vertices.size());
        for (int k = 0; k < kWidth; ++k) {
            for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
                const std::size_t node = std::size_t(mesh.vertex_node[v]) * kWidth + k;
                const float owned = mesh.node_halo.owned(mesh.vertex_node[v]) ? 1.0F : 0.0F;
                down[std::size_t(v) * kWidth + k] += owned * nodes[node];
                up[node] += vertices[std::size_t(v) * kWidth + k];
                at_vertices[std::size_t(v) * kWidth + k] = nodes[node];
            }
            for (const auto& edge : mesh.mid_edges) {
                const std::size_t node = std::size_t(edge.node) * kWidth + k;
                for (const std::int32_t v : {edge.v0, edge.v1}) {
                    const std::size_t end = std::size_t(v) * kWidth + k;
                    const float owned = mesh.node_halo.owned(edge.node) ? 0.5F : 0.0F;
                    down[end] += owned * nodes[node];
                    up[node] += 0.5F * vertices[end];
                }
            }
        }

        lanes::expect_body(
            mesh.n_vertices(), vertices, 2e-6,
            [&](float* out) {
                return body::Restrict<>{lists.vertex_node.data(), lists.ptr.data(),
                                        lists.mid.data(), nodes.data(), out};
            },
            [&](std::size_t i) { return down[i]; });
        lanes::expect_body(
            mesh.n_nodes(), nodes, 2e-6,
            [&](float* x) {
                return body::ProlongAdd<>{lists.parent.data(), vertices.data(), x};
            },
            [&](std::size_t i) { return up[i]; });
        lanes::Numbers<float> injected(vertices.size());
        transfer.inject(nodes, injected, queue);
        EXPECT_EQ(injected, at_vertices);
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, P2TransferOnRanks, testing::Values(1, 3));

}  // namespace
}  // namespace kaname::multigrid::p2_transfer_test
