// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/p2/local_mesh.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/mesh/partition.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"

namespace kaname::p2::local_mesh_test {
namespace {

struct Box {
    mesh::TetMesh mesh = test::BoxMesh{
        .cells = {5, 4, 3}, .material = [](const Vec3& x) {
            return x.z > 0.5 ? 1 : 0;
        }}.build();
    DofMap dofs{mesh};
};

/// Runs `check(local, comm)` on every rank of a mesh in parts by bisection.
void on_ranks(int ranks, const std::function<void(LocalMesh&, comm::Comm&, const Box&)>& check) {
    const Box box;
    const auto part = mesh::partition_by_bisection(box.mesh.xyz, box.mesh.tets, ranks);
    comm::run_as_threads(ranks, [&](comm::Comm& comm) {
        LocalMesh local(box.mesh, box.dofs, part, comm);
        check(local, comm, box);
    });
}

class LocalMeshOnRanks : public testing::TestWithParam<int> {};

TEST_P(LocalMeshOnRanks, HoldsEveryElementOnce) {
    on_ranks(GetParam(), [](LocalMesh& local, comm::Comm& comm, const Box& box) {
        std::vector<double> seen(box.mesh.tets.size(), 0.0);
        for (const std::int32_t tet : local.tet) {
            seen[tet] += 1.0;
        }

        comm.sum(std::span<double>(seen));

        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1.0),
                  static_cast<std::ptrdiff_t>(seen.size()));
    });
}

TEST_P(LocalMeshOnRanks, LocalTablesAgreeWithTheWholeMesh) {
    on_ranks(GetParam(), [](LocalMesh& local, comm::Comm&, const Box& box) {
        for (std::int32_t elem = 0; elem < local.n_tets(); ++elem) {
            EXPECT_EQ(local.material[elem], box.mesh.material[local.tet[elem]]);
            for (int k = 0; k < kNodesPerTet10; ++k) {
                const std::int32_t node = local.conn[elem][k];
                EXPECT_EQ(local.node_gid[node], box.dofs.conn[local.tet[elem]][k]);
                EXPECT_EQ(local.node_xyz[node], box.dofs.node_xyz[local.node_gid[node]]);
            }
            for (int k = 0; k < 4; ++k) {
                const std::int32_t v = local.conn_p1[elem][k];
                EXPECT_EQ(local.vertex_node[v], local.conn[elem][k]);
                EXPECT_EQ(local.vertex_gid[v], box.mesh.tets[local.tet[elem]][k]);
            }
        }
        EXPECT_EQ(local.mid_edges.size() + local.vertex_node.size(), local.node_xyz.size());
        for (const auto& edge : local.mid_edges) {
            const Vec3 middle = 0.5 * (local.node_xyz[local.vertex_node[edge.v0]] +
                                       local.node_xyz[local.vertex_node[edge.v1]]);
            EXPECT_EQ(local.node_xyz[edge.node], middle);
        }
    });
}

TEST_P(LocalMeshOnRanks, ElementsAtSharedNodesComeFirst) {
    on_ranks(GetParam(), [](LocalMesh& local, comm::Comm& comm, const Box&) {
        const auto& shared = local.node_halo.shared();

        for (std::size_t colour = 0; colour < local.blocks.colours.size(); ++colour) {
            for (const auto& block : local.blocks.colours[colour]) {
                for (std::int32_t elem = block.begin; elem < block.end; ++elem) {
                    const bool touches = std::any_of(
                        local.conn[elem].begin(), local.conn[elem].end(), [&](std::int32_t node) {
                            return std::binary_search(shared.begin(), shared.end(), node);
                        });
                    EXPECT_EQ(touches, static_cast<int>(colour) < local.blocks.n_boundary_colours);
                }
            }
        }
        EXPECT_EQ(local.blocks.n_boundary_colours > 0, comm.size() > 1);
    });
}

TEST_P(LocalMeshOnRanks, OwnersCountEveryNodeAndVertexOnce) {
    on_ranks(GetParam(), [](LocalMesh& local, comm::Comm& comm, const Box& box) {
        std::int64_t nodes = 0;
        std::int64_t vertices = 0;
        for (std::int32_t node = 0; node < local.n_nodes(); ++node) {
            nodes += local.node_halo.owned(node) ? 1 : 0;
        }
        for (std::int32_t v = 0; v < local.n_vertices(); ++v) {
            vertices += local.vertex_halo.owned(v) ? 1 : 0;
        }

        EXPECT_EQ(comm.sum(nodes), box.dofs.n_nodes());
        EXPECT_EQ(comm.sum(vertices), box.dofs.n_vertices);
    });
}

TEST_P(LocalMeshOnRanks, HaloSumsCountTheElementsOfEveryNode) {
    on_ranks(GetParam(), [](LocalMesh& local, comm::Comm&, const Box& box) {
        std::vector<double> expected(box.dofs.n_nodes(), 0.0);
        for (const auto& conn : box.dofs.conn) {
            for (const std::int32_t node : conn) {
                expected[node] += 1.0;
            }
        }
        std::vector<double> count(local.n_nodes(), 0.0);
        for (const auto& conn : local.conn) {
            for (const std::int32_t node : conn) {
                count[node] += 1.0;
            }
        }

        local.node_halo.sum(std::span<double>(count), 1);

        for (std::int32_t node = 0; node < local.n_nodes(); ++node) {
            EXPECT_EQ(count[node], expected[local.node_gid[node]]);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, LocalMeshOnRanks, testing::Values(1, 3));

TEST(LocalMesh, RefusesAPartitionOfAnotherSize) {
    const Box box;
    comm::SerialComm comm;
    const std::vector<std::int32_t> part(7, 0);

    try {
        const LocalMesh local(box.mesh, box.dofs, part, comm);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(std::string(error.what()).find("7 for 360"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace kaname::p2::local_mesh_test
