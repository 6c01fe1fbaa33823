// SPDX-License-Identifier: BSD-3-Clause
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "solvers/device/threads.hpp"
#include "solvers/linalg/chebyshev.hpp"
#include "solvers/p2/multigrid/aggregation.hpp"
#include "solvers/p2/multigrid/nested_cg.hpp"
#include "solvers/viscoelastic/model/stiffness.hpp"
#include "tests/support/box_mesh.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"

namespace kaname::viscoelastic::set_up_threads_test {
namespace {

/// The bytes of everything that is set up, by name.
using Bytes = std::vector<std::pair<std::string, std::vector<std::byte>>>;

template <class Array>
void keep(Bytes& all, const char* name, const Array& array) {
    const auto bytes = std::as_bytes(std::span(array.data(), array.size()));
    all.emplace_back(name, std::vector<std::byte>(bytes.begin(), bytes.end()));
}

void keep(Bytes& all, const char* name, const multigrid::BlockMatrix& A) {
    keep(all, name, A.row_ptr);
    keep(all, name, A.col);
    keep(all, name, A.val);
}

void set_up(Element element, comm::Comm& comm, Bytes& all) {
    // Two rocks, the lower one viscous; elements for several ranges of every loop.
    test::BoxMesh box{.cells = {9, 8, 7}};
    box.material = [](const Vec3& x) { return x.z < 0.6 ? 1 : 0; };
    const mesh::TetMesh mesh = box.build();
    const p2::DofMap dofs(mesh);
    keep(all, "edges", dofs.edges);
    keep(all, "nodes", dofs.node_xyz);
    keep(all, "dofs", dofs.conn);
    const std::vector<earth::Material> rocks = {{"lid", 3e10, 3e10, 2.7e3, std::nullopt},
                                                {"mantle", 6e10, 6e10, 3.3e3, 1e19}};
    std::vector<BoundaryCondition> conditions;
    for (int comp = 0; comp < 3; ++comp) {
        conditions.push_back({mesh::Side::Bottom, comp});
        conditions.push_back({mesh::Side::East, comp, BoundaryCondition::Kind::Traction,
                              [](const Vec3&, double, int) { return 1e6; }});
    }
    const Model model(mesh, dofs, rocks, conditions, comm, element, Gravity::Buoyancy);
    const p2::LocalMesh& local = model.mesh();
    keep(all, "tets", local.tet);
    keep(all, "conn", local.conn);
    keep(all, "vertices", local.conn_p1);
    keep(all, "gid", local.node_gid);
    keep(all, "edges", local.mid_edges);
    for (const auto& colour : local.blocks.colours) {
        keep(all, "colour", colour);
    }
    keep(all, "fixed", model.boundary().fixed());
    keep(all, "loaded", model.boundary().loaded());
    keep(all, "geometry", model.geometry());
    if (model.pressure_nodes()) {
        keep(all, "pressure", model.pressure_nodes()->conn);
        keep(all, "pressure volume", model.pressure_nodes()->volume);
    }
    const StepModuli step = model.step_moduli(1e8, 0.5);
    keep(all, "relax", step.relax);
    const auto D = diagonal_blocks(model, step.moduli);
    keep(all, "D", D);
    const multigrid::BlockMatrix A = p1_stiffness(model, step.moduli);
    keep(all, "A", A);

    device::Queue queue(device::Backend::Cpu);
    const auto D1 = multigrid::inverse_diagonal_blocks(A, model.mesh().vertex_halo, comm);
    keep(all, "D1", D1);
    multigrid::Items items;
    items.gid = local.vertex_gid;
    items.scale.assign(local.n_vertices(), 0.0);
    for (const std::int32_t node : local.vertex_node) {
        items.centre.push_back(local.node_xyz[node]);
    }
    items.halo = local.vertex_halo;
    const auto coarse =
        multigrid::coarsen(A, items, D1, model.boundary().fixed_p1(), 2.5, 0.02, comm);
    keep(all, "P", coarse.P);
    keep(all, "coarse A", coarse.A);
    keep(all, "transposed", coarse.P.transposed(items.halo.owned_mask()));
    keep(all, "cells", multigrid::BackgroundCells(local, comm, queue).coarse(A));
    const multigrid::P2Transfer transfer(local, queue);
    keep(all, "transfer", transfer.lists().mid);
    const ElementGroups<float> groups(local, model.geometry(), step.moduli, queue);
    keep(all, "groups", groups.coef);
}

class SetUp : public testing::TestWithParam<Element> {};

TEST_P(SetUp, EveryBitIsTheSameWithAnyNumberOfThreads) {
    const auto run = [](int ranks, int threads) {
        std::vector<Bytes> of_rank(ranks);
        comm::run_as_threads(ranks, [&](comm::Comm& comm) {
            device::set_threads(threads);
            set_up(GetParam(), comm, of_rank[comm.rank()]);
        });
        return of_rank;
    };
    for (const int ranks : {1, 2}) {
        const auto alone = run(ranks, 1);
        for (const int threads : {2, 3}) {
            const auto together = run(ranks, threads);
            for (int rank = 0; rank < ranks; ++rank) {
                ASSERT_EQ(together[rank].size(), alone[rank].size());
                for (std::size_t k = 0; k < alone[rank].size(); ++k) {
                    EXPECT_TRUE(together[rank][k] == alone[rank][k])
                        << alone[rank][k].first << ", " << threads << " threads, rank " << rank
                        << " of " << ranks;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(BothElements, SetUp,
                         testing::Values(Element::P2, Element::NodalDilatation));

}  // namespace
}  // namespace kaname::viscoelastic::set_up_threads_test
