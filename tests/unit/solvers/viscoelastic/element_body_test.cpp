// SPDX-License-Identifier: BSD-3-Clause
// The GPU's element kernels, thread by thread on the CPU, against the CPU's kernels; and the lists
// by which a thread block adds up the forces of its elements.
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "solvers/comm/comm.hpp"
#include "solvers/lanes/blas1.hpp"
#include "solvers/lanes/lanes.hpp"
#include "solvers/viscoelastic/kernels/block_scatter_body.hpp"
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"
#include "solvers/viscoelastic/kernels/ebe_apply_body.hpp"
#include "solvers/viscoelastic/kernels/ebe_slot_lane.hpp"
#include "solvers/viscoelastic/kernels/nodal_pressure_body.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/lanes/body_runs.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname::viscoelastic::element_body_test {
namespace {

using lanes::kLanes;
using Lane = lanes::OneLane<kLanes>;

class ElementBody : public testing::Test {
protected:
    /// Computes what a GPU's blocks would with these forces, block after block.
    template <class T, class Force>
    void add_blocks(const BlockScatter& blocks, int group, const Force& force, device::View<T> y) {
        for (std::size_t block = 0; block < blocks.row.size(); ++block) {
            lanes::Numbers<T> shared(
                std::size_t(p2::ElementBlocks::kBlockSize) * body::kElementStride,
                std::numeric_limits<T>::quiet_NaN());
            const body::BlockRow row{blocks.rows.data() +
                                     std::ptrdiff_t(blocks.row[block]) * blocks.row_words};
            const std::int64_t first = std::int64_t(row.first_group()) * group;
            const std::int64_t last = std::int64_t(row.end_group()) * group;
            for (std::int64_t slot = first; slot < last; ++slot) {
                for (int lane = 0; lane < kLanes; ++lane) {
                    T f[10][3];
                    force(slot, Lane{lane}, f);
                    for (int k = 0; k < 30; ++k) {
                        shared[(slot - first) * body::kElementStride + k * kLanes + lane] =
                            f[k / 3][k % 3];
                    }
                }
            }
            for (int entry = 0; entry < row.n_nodes(); ++entry) {
                for (int comp = 0; comp < 3; ++comp) {
                    const auto sum = body::gather_places(
                        row, entry, comp,
                        reinterpret_cast<const lanes::LaneArray<T, kLanes>*>(shared.data()));
                    for (int lane = 0; lane < kLanes; ++lane) {
                        y[(std::size_t(row.node(entry)) * 3 + comp) * kLanes + lane] += sum[lane];
                        EXPECT_EQ(body::gather_places(row, entry, comp * kLanes + lane,
                                                      shared.data(), kLanes),
                                  sum[lane]);
                    }
                }
            }
        }
    }
    BlockScatter element_scatter() { return {element_blocks(), box.model.mesh().blocks, 0, queue}; }
    BlockNodes element_blocks(NodeOrder order = NodeOrder::ByPlaces) const {
        const auto& mesh = box.model.mesh();
        return block_nodes(
            {reinterpret_cast<const std::int32_t*>(mesh.conn.data()), mesh.conn.size() * 10},
            mesh.blocks.colours, 1, order);
    }
    /// Every slot finds its own nodes among its block's.
    static void expect_nodes_at_staged_places(device::View<const std::int32_t> conn,
                                              const BlockScatter& blocks, int group) {
        std::size_t seen = 0;
        for (std::size_t block = 0; block < blocks.row.size(); ++block) {
            const body::BlockRow row{blocks.rows.data() +
                                     std::ptrdiff_t(blocks.row[block]) * blocks.row_words};
            for (int slot = row.first_group() * group; slot < row.end_group() * group; ++slot) {
                for (int k = 0; k < 10; ++k, ++seen) {
                    const std::uint32_t pair =
                        blocks.staged[(slot / group * 5 + k / 2) * group + slot % group];
                    const int place = k % 2 == 0 ? pair & 0xffff : pair >> 16;
                    ASSERT_EQ(place % 3, 0);
                    ASSERT_LT(place / 3, row.n_nodes());
                    EXPECT_EQ(row.node(place / 3), conn[slot * 10 + k]);
                }
            }
        }
        EXPECT_EQ(seen, conn.size());
    }
    template <class T>
    void expect_close(const device::Buffer<T>& a, const device::Buffer<T>& b, double rounding) {
        const double size = largest(b);
        EXPECT_GT(size, 0.0);
        for (std::size_t i = 0; i < b.size(); ++i) {
            ASSERT_NEAR(a[i], b[i], rounding * size) << i;
        }
    }

    comm::SerialComm comm;
    device::Queue queue;
    BoxModel box{distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm,
                 Element::NodalDilatation};
    StepModuli step = box.model.step_moduli(1e9, 0.5);
    ElementData data{box.model.mesh(), box.model.geometry(), step.moduli};
};

TEST_F(ElementBody, BlocksListEveryNodeOfEveryElementOnce) {
    const auto& mesh = box.model.mesh();
    for (const NodeOrder order : {NodeOrder::Ascending, NodeOrder::ByPlaces}) {
        const BlockNodes blocks = element_blocks(order);
        std::set<std::pair<std::int64_t, int>> seen;  // (element, node in it)
        for (std::size_t block = 0; block < blocks.groups.size(); ++block) {
            std::set<std::int32_t> nodes;
            for (auto entry = blocks.node_ptr[block]; entry < blocks.node_ptr[block + 1]; ++entry) {
                EXPECT_TRUE(nodes.insert(blocks.node[entry]).second);
                for (auto p = blocks.place_ptr[entry]; p < blocks.place_ptr[entry + 1]; ++p) {
                    const int element = blocks.place[p] / body::kElementNumbers;
                    const int node = blocks.place[p] % body::kElementNumbers / 3;
                    EXPECT_EQ(blocks.place[p], body::offset_of_place(element, node));
                    const std::int64_t elem = blocks.groups[block].begin + element;
                    EXPECT_EQ(mesh.conn[elem][node], blocks.node[entry]);
                    EXPECT_TRUE(seen.emplace(elem, node).second);
                }
            }
        }
        EXPECT_EQ(seen.size(), mesh.conn.size() * 10);
        EXPECT_EQ(blocks.colour_first.back(), static_cast<int>(blocks.groups.size()));
    }
}

TEST_F(ElementBody, BlocksOfAColourNeedNotFollowEachOther) {
    // A mesh of more blocks than colours: its elements lie in spatial order.
    test::BoxMesh large = distorted_box();
    large.cells = {9, 9, 9};
    const BoxModel whole(large, two_rocks(), clamped({mesh::Side::Bottom}), comm);
    const p2::LocalMesh& mesh = whole.model.mesh();
    bool apart = false;
    for (const auto& colour : mesh.blocks.colours) {
        for (std::size_t b = 1; b < colour.size(); ++b) {
            apart = apart || colour[b].begin != colour[b - 1].end;
        }
    }
    ASSERT_TRUE(apart);
    const ElementData all{mesh, whole.model.geometry(), step.moduli};
    const StepModuli moduli = whole.model.step_moduli(1e9, 0.5);
    const auto stress = random_vector<double>(std::size_t(mesh.n_tets()) * kStressPerElement, 9);
    device::Buffer<double> f(whole.model.vector_size());
    device::Buffer<double> f_gpu(f.size());

    stress_force({all, moduli.relax, stress, f}, queue);
    const BlockNodes nodes = block_nodes(
        {reinterpret_cast<const std::int32_t*>(mesh.conn.data()), mesh.conn.size() * 10},
        mesh.blocks.colours, 1);
    const BlockScatter blocks(nodes, mesh.blocks, 0, queue);
    add_blocks<double>(blocks, 1, body::StressForce{all, moduli.relax.data(), stress.data()},
                       f_gpu.view());

    expect_close(f_gpu, f, 1e-13);
}

TEST_F(ElementBody, NodesOfABlockAreSortedByWhatIsAdded) {
    const BlockNodes ascending = element_blocks(NodeOrder::Ascending);
    const BlockNodes sorted = element_blocks();
    const auto count = [](const BlockNodes& blocks, std::int32_t entry) {
        return blocks.place_ptr[entry + 1] - blocks.place_ptr[entry];
    };
    bool any_less = false;
    for (std::size_t block = 0; block < sorted.groups.size(); ++block) {
        for (auto entry = sorted.node_ptr[block] + 1; entry < sorted.node_ptr[block + 1]; ++entry) {
            EXPECT_LT(ascending.node[entry - 1], ascending.node[entry]);
            const int fewer = count(sorted, entry - 1) - count(sorted, entry);
            EXPECT_GE(fewer, 0);
            EXPECT_TRUE(fewer > 0 || sorted.node[entry - 1] < sorted.node[entry]);
            any_less = any_less || fewer > 0;
        }
    }
    EXPECT_TRUE(any_less);
    EXPECT_EQ(sorted.node_ptr, ascending.node_ptr);
    EXPECT_EQ(sorted.most_nodes, ascending.most_nodes);
}

TEST_F(ElementBody, OneLaunchTakesBlocksInTheOrderOfTheirElements) {
    // On three ranks, elements at shared nodes come first, in colours of their own.
    comm::run_as_threads(3, [&](comm::Comm& ranks) {
        const BoxModel part(distorted_box(), two_rocks(), clamped({mesh::Side::Bottom}), ranks);
        const p2::ElementBlocks& blocks = part.model.mesh().blocks;
        std::vector<std::int32_t> begin;
        std::size_t boundary = 0;
        for (std::size_t c = 0; c < blocks.colours.size(); ++c) {
            for (const auto& block : blocks.colours[c]) {
                begin.push_back(block.begin);
            }
            boundary +=
                static_cast<int>(c) < blocks.n_boundary_colours ? blocks.colours[c].size() : 0;
        }
        const auto order = spatial_order_of_blocks(blocks);
        ASSERT_EQ(order.size(), begin.size());
        ASSERT_GT(boundary, 0u);
        for (std::size_t k = 0; k < order.size(); ++k) {
            EXPECT_EQ(static_cast<std::size_t>(order[k]) < boundary, k < boundary);
            EXPECT_TRUE(k == 0 || begin[order[k]] > begin[order[k - 1]]) << k;
        }
    });
}

TEST(BlockScatter, ThreadsOfAWarpWriteToDifferentBanks) {
    // Shared memory has 32 banks of 4 bytes; FP64 goes half a warp at a time.
    for (const int words : {1, 2}) {
        std::set<int> banks;
        for (int thread = 0; thread < 32 / words; ++thread) {
            const int number = thread / kLanes * body::kElementStride + thread % kLanes;
            for (int word = 0; word < words; ++word) {
                banks.insert((number * words + word) % 32);
            }
        }
        EXPECT_EQ(banks.size(), 32u) << words;
    }
}

TEST_F(ElementBody, SpatialOrderIsForWholePartsOnly) {
    const auto& mesh = box.model.mesh();
    const BlockScatter scatter = element_scatter();
    const int all = static_cast<int>(mesh.blocks.colours.size());
    ASSERT_GT(all, 2);
    EXPECT_TRUE(scatter.spatial(0, all));
    EXPECT_FALSE(scatter.spatial(0, 1));
    EXPECT_FALSE(scatter.spatial(1, all));
}

TEST_F(ElementBody, ForceOfEveryLaneOfEverySlot) {
    // The CPU's packing, whose groups the body is told of: fillers have no volume.
    const PressureNodes& nodes = *box.model.pressure_nodes();
    constexpr int group = lanes::kGroup<double>;
    const ElementGroups<double> elements(box.model.mesh(), box.model.geometry(), step.moduli, queue,
                                         nodes.conn);
    const auto x = random_vector<double>(box.model.vector_size(), 1);
    auto pressure = random_vector<double>((std::size_t(nodes.size()) + 1) * kLanes, 2);
    std::fill_n(pressure.data() + std::size_t(nodes.size()) * kLanes, kLanes, 0.0);
    const int colours = static_cast<int>(elements.colours.size());
    const ElementSlots<double> slots{elements.conn.data(), elements.coef.data(),
                                     elements.pressure_conn.data(), elements.weight.data()};
    const BlockScatter blocks(block_nodes(elements.conn.view(), elements.colours, group),
                              box.model.mesh().blocks, group, queue);
    expect_nodes_at_staged_places(elements.conn.view(), blocks, group);

    device::Buffer<double> cpu(x.size());
    ebe_apply<double>({elements, x, cpu, 0, colours, pressure}, queue);
    device::Buffer<double> gpu(x.size());
    add_blocks<double>(
        blocks, group,
        [&](std::int64_t slot, const Lane& p, double(&f)[10][3]) {
            body::operator_force(SlotLane<double, group>{slots, slot, p.lane}, x.data(),
                                 pressure.data(), f);
        },
        gpu.view());
    expect_close(gpu, cpu, 1e-13);

    device::Buffer<double> y(pressure.size());
    device::Buffer<double> y_gpu(pressure.size());
    ebe_dilatation<double>({elements, x, y, 0, colours}, queue);
    for (std::size_t slot = 0; slot < elements.conn.size() / 10; ++slot) {
        for (int l = 0; l < kLanes && elements.pressure_conn[slot * 4] != nodes.size(); ++l) {
            double theta[4];
            body::operator_dilatation(
                SlotLane<double, group>{slots, static_cast<std::int64_t>(slot), l}, x.data(),
                theta);
            for (int k = 0; k < 4; ++k) {
                y_gpu[std::size_t(elements.pressure_conn[slot * 4 + k]) * kLanes + l] += theta[k];
            }
        }
    }
    expect_close(y_gpu, y, 1e-13);
}

TEST_F(ElementBody, StressAndItsForce) {
    const auto du = random_vector<double>(box.model.vector_size(), 3);
    const std::size_t n = data.conn.size();
    auto cpu = random_vector<double>(n * kStressPerElement, 4);
    auto gpu = random_vector<double>(n * kStressPerElement, 4);
    std::vector<ElementOffset> offsets = {{5, 0, {}}, {17, 0, {}}};
    for (ElementOffset& offset : offsets) {
        for (int k = 0; k < 30 * kLanes; ++k) {
            (&offset.s[0][0][0])[k] = 0.01 * k - offset.elem;
        }
    }
    stress_update({data, step.relax, offsets, du, cpu}, queue);
    lanes::run_threads(
        n, body::StressUpdate<>{data, step.relax.data(), offsets.data(), 2, du.data(), gpu.data()});
    expect_close(gpu, cpu, 1e-13);

    device::Buffer<double> f(du.size());
    device::Buffer<double> f_gpu(du.size());
    stress_force({data, step.relax, cpu, f}, queue);
    add_blocks<double>(element_scatter(), 1, body::StressForce{data, step.relax.data(), cpu.data()},
                       f_gpu.view());
    expect_close(f_gpu, f, 1e-13);

    for (const LaneChain chain : {LaneChain::Within, LaneChain::Next}) {
        stress_update({data, step.relax, {}, du, cpu, chain}, queue);
        const body::StressUpdate<> update{data, step.relax.data(), nullptr,
                                          0,    du.data(),         gpu.data()};
        lanes::run_threads(n, body::ChainedStressUpdate<>{update, chain == LaneChain::Within});
        expect_close(gpu, cpu, 1e-12);
    }
}

TEST_F(ElementBody, StressAndItsForceOfTwoBranches) {
    // Elements of one and of two branches side by side.
    auto rocks = two_rocks();
    rocks[1].kelvin_mu_pa = 2e10;
    rocks[1].kelvin_viscosity_pa_s = 3e18;
    const BoxModel both(distorted_box(), rocks, clamped({mesh::Side::Bottom}), comm,
                        Element::NodalDilatation);
    const StepModuli branches = both.model.step_moduli(1e8, 0.7);
    const std::size_t n = both.model.mesh().n_tets();
    const auto n_second = static_cast<std::size_t>(both.model.n_second());
    ASSERT_GT(n_second, 0u);
    ASSERT_LT(n_second, n);
    const auto du = random_vector<double>(both.model.vector_size(), 6);
    auto cpu = random_vector<double>(n * kStressPerElement, 7);
    auto gpu = random_vector<double>(n * kStressPerElement, 7);
    auto cpu_second = random_vector<double>(n_second * kStressPerElement, 8);
    auto gpu_second = random_vector<double>(n_second * kStressPerElement, 8);
    const auto second = [&](device::Buffer<double>& stress) {
        return SecondBranch{both.model.second_slot(), branches.second_relax, branches.second_weight,
                            stress};
    };
    const ElementData of{both.model.mesh(), both.model.geometry(), branches.moduli};
    for (const LaneChain chain : {LaneChain::None, LaneChain::Within, LaneChain::Next}) {
        stress_update({of, branches.relax, {}, du, cpu, chain, second(cpu_second)}, queue);
        const body::StressUpdate<> update{of,         branches.relax.data(), nullptr, 0, du.data(),
                                          gpu.data(), second(gpu_second)};
        if (chain == LaneChain::None) {
            lanes::run_threads(n, update);
        } else {
            lanes::run_threads(n, body::ChainedStressUpdate<>{update, chain == LaneChain::Within});
        }
        expect_close(gpu, cpu, 1e-12);
        expect_close(gpu_second, cpu_second, 1e-12);

        device::Buffer<double> f(du.size());
        device::Buffer<double> f_gpu(du.size());
        stress_force({of, branches.relax, cpu, f, second(cpu_second)}, queue);
        add_blocks<double>(
            element_scatter(), 1,
            body::StressForce{of, branches.relax.data(), cpu.data(), second(cpu_second)},
            f_gpu.view());
        expect_close(f_gpu, f, 1e-13);
    }
}

TEST_F(ElementBody, StepOfTheStressLoadsTheNextOne) {
    // One pass is the update and then, of its stress, the force with relaxation less that without.
    auto rocks = two_rocks();
    for (const bool second_branch : {false, true}) {
        if (second_branch) {
            rocks[1].kelvin_mu_pa = 2e10;
            rocks[1].kelvin_viscosity_pa_s = 3e18;
        }
        const BoxModel some(distorted_box(), rocks, clamped({mesh::Side::Bottom}), comm,
                            Element::NodalDilatation);
        const StepModuli now = some.model.step_moduli(0.0, 0.7);
        const StepModuli next = some.model.step_moduli(1e8, 0.7);
        const ElementData of{some.model.mesh(), some.model.geometry(), now.moduli};
        const RelaxingElements elements(some.model, queue);
        ASSERT_FALSE(elements.lasting().empty());
        const std::size_t n = some.model.mesh().n_tets();
        const std::size_t numbers = n * kStressPerElement;
        const std::size_t second_numbers = some.model.n_second() * std::size_t(kStressPerElement);
        const auto du = random_vector<double>(some.model.vector_size(), 3);
        const std::vector<ElementOffset> offsets = {{elements.relaxing()[3], 0, {{{1.0, 2.0}}}}};

        struct State {
            device::Buffer<double> stress, second, f;
        };
        const auto begin = [&] {
            return State{random_vector<double>(numbers, 4),
                         random_vector<double>(second_numbers, 5),
                         random_vector<double>(du.size(), 6)};
        };
        const auto branch = [&](State& state) {
            return SecondBranch{some.model.second_slot(), now.second_relax, now.second_weight,
                                state.second};
        };
        State wanted = begin();
        stress_update({of, now.relax, offsets, du, wanted.stress, LaneChain::None, branch(wanted),
                       elements.relaxing()},
                      queue);
        device::Buffer<double> less(du.size());
        SecondBranch relaxing = branch(wanted);
        stress_force({of, now.relax, wanted.stress, less, relaxing}, queue);
        relaxing.relax = next.second_relax;
        stress_force({of, next.relax, wanted.stress, wanted.f, relaxing}, queue);
        lanes::axpby(lanes::all_lanes(-1.0), less, lanes::all_lanes(1.0), wanted.f, queue);

        State cpu = begin();
        const auto args = [&](State& state) {
            return StressStepArgs{{elements.blocks_of(of), now.relax, offsets, du, state.stress,
                                   LaneChain::None, branch(state)},
                                  next.relax,
                                  next.second_relax,
                                  state.f};
        };
        stress_step(args(cpu), queue);
        State gpu = begin();
        add_blocks<double>(element_scatter(), 1, body::stress_step(args(gpu)), gpu.f.view());
        for (const State* found : {&cpu, &gpu}) {
            expect_close(found->stress, wanted.stress, 1e-13);
            expect_close(found->f, wanted.f, 1e-12);
            if (second_branch) {
                expect_close(found->second, wanted.second, 1e-13);
            }
        }
    }
}

TEST_F(ElementBody, StressThatLastsFollowsFromTheDisplacement) {
    const RelaxingElements elements(box.model, queue);
    const auto u = random_vector<double>(box.model.vector_size(), 3);
    const std::vector<ElementOffset> offsets = {{elements.lasting()[2], 0, {{{1.0, 2.0}}}}};
    const std::size_t numbers = data.conn.size() * kStressPerElement;
    device::Buffer<double> wanted(numbers);
    stress_update({data, std::vector<Parts>(data.conn.size()), offsets, u, wanted}, queue);
    auto found = random_vector<double>(numbers, 4);
    const auto before = random_vector<double>(numbers, 4);

    lasting_stress({data, elements.lasting(), offsets, u, found}, queue);

    std::vector<bool> lasts(data.conn.size());
    for (const std::int32_t elem : elements.lasting()) {
        lasts[elem] = true;
    }
    for (std::size_t i = 0; i < numbers; ++i) {
        ASSERT_EQ(found[i], (lasts[i / kStressPerElement] ? wanted : before)[i]);
    }
}

TEST_F(ElementBody, OffsetsAndPressures) {
    const PressureNodes& nodes = *box.model.pressure_nodes();
    std::vector<ElementOffset> offsets;
    for (std::int32_t elem = 2; elem < 60; elem += 9) {
        offsets.push_back({elem, 0, {}});
        for (int k = 0; k < 30 * kLanes; ++k) {
            (&offsets.back().s[0][0][0])[k] = std::sin(0.3 * k + elem);
        }
    }
    device::Buffer<double> f(box.model.vector_size());
    device::Buffer<double> f_gpu(f.size());
    offset_force({data, offsets, f}, queue);
    const body::OffsetForce force{data, offsets.data()};
    for (std::size_t item = 0; item < offsets.size(); ++item) {
        for (int lane = 0; lane < kLanes; ++lane) {
            double own[10][3];
            force(static_cast<std::int64_t>(item), Lane{lane}, own);
            for (int k = 0; k < 30; ++k) {
                const std::int32_t node = data.conn[offsets[item].elem][k / 3];
                f_gpu[(std::size_t(node) * 3 + k % 3) * kLanes + lane] += own[k / 3][k % 3];
            }
        }
    }
    expect_close(f_gpu, f, 1e-13);

    const auto pressure = random_vector<double>((std::size_t(nodes.size()) + 1) * kLanes, 5);
    device::Buffer<double> p(f.size());
    device::Buffer<double> p_gpu(f.size());
    pressure_force({data, nodes.conn, nodes.size(), pressure, p}, queue);
    const body::PressureForce pressed{data, {nodes.conn, nodes.size()}, pressure.data()};
    add_blocks<double>(element_scatter(), 1, pressed, p_gpu.view());
    expect_close(p_gpu, p, 1e-13);

    for (const bool with_x : {false, true}) {
        const auto x = random_vector<double>(f.size(), 6);
        const device::View<const double> given = with_x ? x.view() : device::View<const double>{};
        device::Buffer<double> y(pressure.size());
        device::Buffer<double> y_gpu(pressure.size());
        dilatation({data, nodes.conn, nodes.size(), offsets, given, y}, queue);
        const body::Dilatation strain{data, offsets.data(),
                                      static_cast<std::int32_t>(offsets.size()), given.data()};
        for (std::size_t elem = 0; elem < data.conn.size(); ++elem) {
            for (int lane = 0; lane < kLanes && nodes.conn[elem][0] != nodes.size(); ++lane) {
                double theta[4];
                strain(static_cast<std::int64_t>(elem), Lane{lane}, theta);
                for (int k = 0; k < 4; ++k) {
                    y_gpu[std::size_t(nodes.conn[elem][k]) * kLanes + lane] += theta[k];
                }
            }
        }
        expect_close(y_gpu, y, 1e-13);
    }
}

}  // namespace
}  // namespace kaname::viscoelastic::element_body_test
