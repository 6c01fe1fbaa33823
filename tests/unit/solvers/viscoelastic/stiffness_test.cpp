// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/stiffness.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname::viscoelastic::stiffness_test {
namespace {

using lanes::kLanes;

/// 2 x 2 x 2 distorted cells: 125 nodes, 27 vertices.
test::BoxMesh small_box() {
    test::BoxMesh box = distorted_box();
    box.cells = {2, 2, 2};
    return box;
}

/// Matrices for steps of four Maxwell times, so that nodal dilatation has much to do.
class StiffnessBlocks : public testing::TestWithParam<Element> {
protected:
    comm::SerialComm comm;
    device::Queue queue;
    BoxModel box{small_box(),
                 two_rocks(),
                 {{mesh::Side::Bottom, 0},
                  {mesh::Side::Bottom, 1},
                  {mesh::Side::Bottom, 2},
                  {mesh::Side::West, 0}},
                 comm,
                 GetParam()};
    ElementModuli moduli = box.model.step_moduli(4.0 * 1e19 / 4e10, 0.5).moduli;
    EbeOperator<double> K{box.model, moduli, queue};

    bool fixed(std::int32_t dof) const {
        const auto& all = box.model.boundary().fixed();
        return std::binary_search(all.begin(), all.end(), dof);
    }
};

TEST_P(StiffnessBlocks, DiagonalBlocksAreThoseOfTheOperator) {
    const auto D = diagonal_blocks(box.model, moduli);

    double scale = 0.0;
    for (const double value : D) {
        scale = std::max(scale, std::abs(value));
    }
    for (std::int32_t node = 0; node < box.model.mesh().n_nodes(); ++node) {
        device::Buffer<double> x(box.model.vector_size());
        device::Buffer<double> y(x.size());
        for (int comp = 0; comp < 3; ++comp) {
            x[(std::size_t(node) * 3 + comp) * kLanes + comp] = fixed(node * 3 + comp) ? 0.0 : 1.0;
        }
        K.apply(x, y, queue);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                EXPECT_NEAR(D[node * 9 + i * 3 + j], y[(std::size_t(node) * 3 + i) * kLanes + j],
                            1e-14 * scale)
                    << node;
            }
        }
    }
}

TEST_P(StiffnessBlocks, P1StiffnessIsTheGalerkinProduct) {
    const p2::LocalMesh& mesh = box.model.mesh();
    const auto& fixed_p1 = box.model.boundary().fixed_p1();

    const multigrid::BlockMatrix A = p1_stiffness(box.model, moduli);

    ASSERT_EQ(A.n_rows(), mesh.n_vertices());
    for (std::int32_t dof = 0; dof < 3 * mesh.n_vertices(); ++dof) {
        // Column of P^T K P for one unit vertex displacement.
        std::vector<double> column(std::size_t(mesh.n_vertices()) * 3, 0.0);
        if (!std::binary_search(fixed_p1.begin(), fixed_p1.end(), dof)) {
            device::Buffer<double> x(box.model.vector_size());
            device::Buffer<double> y(x.size());
            const auto at = [&](std::int32_t node, int comp) {
                return (std::size_t(node) * 3 + comp) * kLanes;
            };
            x[at(mesh.vertex_node[dof / 3], dof % 3)] = 1.0;
            for (const auto& edge : mesh.mid_edges) {
                if (edge.v0 == dof / 3 || edge.v1 == dof / 3) {
                    x[at(edge.node, dof % 3)] = 0.5;
                }
            }
            K.apply_unconstrained(x, y, queue);
            for (std::int32_t v = 0; v < mesh.n_vertices(); ++v) {
                for (int comp = 0; comp < 3; ++comp) {
                    column[v * 3 + comp] += y[at(mesh.vertex_node[v], comp)];
                }
            }
            for (const auto& edge : mesh.mid_edges) {
                for (int comp = 0; comp < 3; ++comp) {
                    column[edge.v0 * 3 + comp] += 0.5 * y[at(edge.node, comp)];
                    column[edge.v1 * 3 + comp] += 0.5 * y[at(edge.node, comp)];
                }
            }
            for (const std::int32_t row : fixed_p1) {
                column[row] = 0.0;
            }
        }
        std::vector<double> assembled(column.size(), 0.0);
        for (std::int32_t row = 0; row < A.n_rows(); ++row) {
            for (std::int64_t k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
                for (int i = 0; i < 3 && A.col[k] == dof / 3; ++i) {
                    assembled[row * 3 + i] = A.val[k * 9 + i * 3 + dof % 3];
                }
            }
        }
        for (std::size_t row = 0; row < column.size(); ++row) {
            EXPECT_NEAR(assembled[row], column[row], 1e-13) << row << ' ' << dof;
        }
    }
}

TEST_P(StiffnessBlocks, OperatorIsZeroAtFixedDegreesOfFreedomOnly) {
    const auto x = random_vector<double>(box.model.vector_size(), 3);
    device::Buffer<double> y(x.size());
    device::Buffer<double> reaction(x.size());

    K.apply(x, y, queue);
    K.apply_unconstrained(x, reaction, queue);

    for (std::size_t i = 0; i < y.size(); ++i) {
        EXPECT_EQ(y[i], fixed(static_cast<std::int32_t>(i / kLanes)) ? 0.0 : reaction[i]);
        EXPECT_NE(reaction[i], 0.0);
    }
}

INSTANTIATE_TEST_SUITE_P(BothElements, StiffnessBlocks,
                         testing::Values(Element::P2, Element::NodalDilatation));

TEST(DiagonalBlocks, AreAssembledOverRanks) {
    std::vector<double> whole;
    const auto run = [](int ranks, const auto& use) {
        comm::run_as_threads(ranks, [&](comm::Comm& comm) {
            const BoxModel box(small_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm);
            use(box.model.mesh(),
                diagonal_blocks(box.model, box.model.step_moduli(0.0, 0.5).moduli));
        });
    };
    run(1, [&](const p2::LocalMesh& mesh, const std::vector<double>& D) {
        whole.resize(D.size());
        for (std::size_t k = 0; k < D.size(); ++k) {
            whole[mesh.node_gid[k / 9] * 9 + k % 9] = D[k];
        }
    });

    run(3, [&](const p2::LocalMesh& mesh, const std::vector<double>& D) {
        for (std::size_t k = 0; k < D.size(); ++k) {
            EXPECT_NEAR(D[k], whole[mesh.node_gid[k / 9] * 9 + k % 9], 1e-13);
        }
    });
}

TEST(Stiffness, BlockJacobiReachesTheSameSolutionInMoreIterations) {
    comm::SerialComm comm;
    device::Queue queue;
    const BoxModel box(distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm);
    auto b = random_vector<double>(box.model.vector_size(), 5);
    lanes::zero_dofs<double>(box.model.boundary().fixed(), b, queue);
    linalg::PcgWorkspace work(b.size(), queue);
    device::Buffer<double> x(b.size());
    device::Buffer<double> reference(b.size());
    SolverParams params;
    params.cg = {1e-10, 500};
    Stiffness multigrid(box.model, box.model.step_moduli(0.0, 0.5), params, comm, queue);
    params.method = Method::Pcge;
    Stiffness jacobi(box.model, box.model.step_moduli(0.0, 0.5), params, comm, queue);

    const auto fast = multigrid.solve(b, x, work);
    const auto slow = jacobi.solve(b, reference, work);

    for (int lane = 0; lane < kLanes; ++lane) {
        EXPECT_TRUE(fast[lane].ok());
        EXPECT_TRUE(slow[lane].ok());
        EXPECT_LT(2 * fast[lane].iterations, slow[lane].iterations);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(x[i], reference[i], 1e-8 * largest(reference));
    }
}

}  // namespace
}  // namespace kaname::viscoelastic::stiffness_test
