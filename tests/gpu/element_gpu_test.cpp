// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/comm/comm.hpp"
#include "solvers/viscoelastic/kernels/ebe_apply.hpp"
#include "solvers/viscoelastic/kernels/lane_steps.hpp"
#include "solvers/viscoelastic/kernels/nodal_pressure.hpp"
#include "solvers/viscoelastic/model/relaxation.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/unit/solvers/viscoelastic/box_model.hpp"

namespace kaname::viscoelastic::element_gpu_test {
namespace {

using device::Buffer;
using device::Queue;
using device::View;
using lanes::kLanes;

/// 7 x 7 x 7 distorted cells: 2,058 elements, blocks and colours of odd sizes.
test::BoxMesh odd_box() {
    test::BoxMesh box = distorted_box();
    box.cells = {7, 7, 7};
    return box;
}

std::vector<earth::Material> burgers_below() {
    auto rocks = two_rocks();
    rocks[1].kelvin_mu_pa = 2e10;
    rocks[1].kelvin_viscosity_pa_s = 3e18;
    return rocks;
}

class ElementGpu : public GpuTest {
protected:
    std::size_t size() const { return box.model.vector_size(); }
    std::size_t pressures() const { return (std::size_t(nodes().size()) + 1) * kLanes; }
    const PressureNodes& nodes() const { return *box.model.pressure_nodes(); }
    std::vector<double> random_pressure() {
        auto p = random<double>(pressures());
        std::fill(p.end() - kLanes, p.end(), 0.0);
        return p;
    }
    std::vector<ElementOffset> offsets() {
        std::vector<ElementOffset> result;
        for (std::int32_t elem = 2; elem < 2000; elem += 37) {
            result.push_back({elem, 0, {}});
            for (int k = 0; k < 30 * kLanes; ++k) {
                (&result.back().s[0][0][0])[k] = std::sin(0.3 * k + elem);
            }
        }
        return result;
    }
    /// ElementData in the memory of any queue.
    struct OnQueue {
        OnQueue(const BoxModel& box, const StepModuli& step, Queue& queue)
            : arrays(box.model.mesh(), box.model.geometry(), queue),
              lam(std::span<const double>(step.moduli.lam), queue),
              mu(std::span<const double>(step.moduli.mu), queue),
              relax(std::span<const Parts>(step.relax), queue),
              nodes(std::span<const std::array<std::int32_t, 4>>(box.model.pressure_nodes()->conn),
                    queue),
              data(arrays.data(lam, mu)) {}
        ElementArrays arrays;
        Buffer<double> lam, mu;
        Buffer<Parts> relax;
        Buffer<std::array<std::int32_t, 4>> nodes;
        ElementData data;
    };

    /// FP32 sums of up to some forty contributions in another order on each backend.
    template <class T>
    void compare_operator(double rounding, Scatter scatter, bool nodal) {
        expect_same(
            rounding,
            [&](Queue& queue, const Buffer<T>& x, const Buffer<T>& pressure, View<T> y) {
                const ElementGroups<T> elements(box.model.mesh(), box.model.geometry(), step.moduli,
                                                queue, nodes().conn);
                const int colours = static_cast<int>(elements.colours.size());
                EbeApplyArgs<T> args{elements, x, y, 0, colours, {}, scatter};
                if (nodal) {
                    args.pressure = pressure;
                }
                ebe_apply(args, queue);
            },
            random<T>(size()), random<T>(size()),
            [&] {
                const auto p = random_pressure();
                return std::vector<T>(p.begin(), p.end());
            }());
    }

    comm::SerialComm comm;
    BoxModel box{odd_box(), two_rocks(), clamped({mesh::Side::Bottom}), comm,
                 Element::NodalDilatation};
    StepModuli step = box.model.step_moduli(1e9, 0.5);
    BoxModel branched{odd_box(), burgers_below(), clamped({mesh::Side::Bottom}), comm,
                      Element::NodalDilatation};
};

TEST_F(ElementGpu, OperatorInEveryScatterAndPrecision) {
    for (const Scatter scatter : {Scatter::Atomics, Scatter::BlockAtomics, Scatter::Coloured}) {
        for (const bool nodal : {false, true}) {
            compare_operator<double>(1e-14, scatter, nodal);
            compare_operator<float>(1e-6, scatter, nodal);
        }
    }
}

TEST_F(ElementGpu, ColouredOperatorRepeatsBitForBit) {
    const auto x = random<float>(size());
    std::vector<std::vector<float>> results;
    for (int run = 0; run < 3; ++run) {
        const ElementGroups<float> elements(box.model.mesh(), box.model.geometry(), step.moduli,
                                            gpu);
        const Buffer<float> in(std::span<const float>(x), gpu);
        Buffer<float> out(x.size(), gpu);
        ebe_apply<float>({elements, in, out, 0, static_cast<int>(elements.colours.size())}, gpu);
        results.emplace_back(x.size());
        device::download<float>(out, results.back(), gpu);
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

TEST_F(ElementGpu, Dilatation) {
    expect_same(
        1e-13,
        [&](Queue& queue, const Buffer<double>& x, View<double> y) {
            const ElementGroups<double> elements(box.model.mesh(), box.model.geometry(),
                                                 step.moduli, queue, nodes().conn);
            ebe_dilatation<double>({elements, x, y, 0, static_cast<int>(elements.colours.size())},
                                   queue);
        },
        random<double>(pressures()), random<double>(size()));
    for (const bool with_x : {false, true}) {
        expect_same(
            1e-13,
            [&](Queue& queue, const Buffer<double>& x, const Buffer<ElementOffset>& all,
                View<double> y) {
                const OnQueue on(box, step, queue);
                dilatation({on.data, on.nodes, nodes().size(), all,
                            with_x ? x.view() : View<const double>{}, y},
                           queue);
            },
            random<double>(pressures()), random<double>(size()), offsets());
    }
}

TEST_F(ElementGpu, StressAndForcesOfTwoBranches) {
    const auto n_second = static_cast<std::size_t>(branched.model.n_second());
    const std::size_t stress_size = branched.model.mesh().conn.size() * kStressPerElement;
    const StepModuli branches = branched.model.step_moduli(1e8, 0.7);
    // y: the stress, that of the second branches and the force, one after the other.
    const auto kernels_on = [&](LaneChain chain) {
        return [&, chain](Queue& queue, const Buffer<double>& du, View<double> y) {
            OnQueue on(branched, branches, queue);
            const Buffer<std::int32_t> slot(branched.model.second_slot(), queue);
            const Buffer<Parts> relax(std::span<const Parts>(branches.second_relax), queue);
            const Buffer<Parts> weight(std::span<const Parts>(branches.second_weight), queue);
            const View<double> stress = y.first(stress_size);
            const SecondBranch second = {slot, relax, weight,
                                         y.subspan(stress_size, n_second * kStressPerElement)};
            const View<double> f = y.last(size());
            stress_update({on.data, on.relax, {}, du, stress, chain, second}, queue);
            stress_force({on.data, on.relax, stress, f, second}, queue);
            if (chain == LaneChain::None) {
                const RelaxingElements elements(branched.model, queue);
                stress_step({{elements.blocks_of(on.data), on.relax, {}, du, stress, chain, second},
                             on.relax,
                             relax,
                             f},
                            queue);
                lasting_stress({on.data, elements.lasting(), {}, du, stress}, queue);
            }
        };
    };
    ASSERT_GT(n_second, 0u);
    for (const LaneChain chain : {LaneChain::None, LaneChain::Within, LaneChain::Next}) {
        expect_same(1e-13, kernels_on(chain),
                    random<double>(stress_size + n_second * kStressPerElement + size()),
                    random<double>(size()));
    }
}

TEST_F(ElementGpu, StressAndForces) {
    const std::size_t stress_size = box.model.mesh().conn.size() * kStressPerElement;
    for (const LaneChain chain : {LaneChain::None, LaneChain::Within, LaneChain::Next}) {
        expect_same(
            1e-14,
            [&](Queue& queue, const Buffer<double>& du, const Buffer<ElementOffset>& all,
                View<double> stress) {
                OnQueue on(box, step, queue);
                stress_update({on.data, on.relax, all, du, stress, chain}, queue);
            },
            random<double>(stress_size), random<double>(size()), offsets());
    }
    expect_same(
        1e-13,
        [&](Queue& queue, const Buffer<double>& stress, const Buffer<ElementOffset>& all,
            const Buffer<double>& pressure, View<double> f) {
            const OnQueue on(box, step, queue);
            stress_force({on.data, on.relax, stress, f}, queue);
            offset_force({on.data, all, f}, queue);
            pressure_force({on.data, on.nodes, nodes().size(), pressure, f}, queue);
        },
        random<double>(size()), random<double>(stress_size), offsets(), random_pressure());
}

TEST_F(ElementGpu, VerticalSprings) {
    auto rocks = two_rocks();
    rocks[0].density_kg_m3 = 2700.0;
    rocks[1].density_kg_m3 = 3300.0;
    const BoxModel heavy(odd_box(), rocks, clamped({mesh::Side::Bottom}), comm, Element::P2,
                         Gravity::Buoyancy);
    const Buoyancy::Rows& rows = heavy.model.buoyancy()->rows();
    ASSERT_GT(rows.node.size(), 100u);
    expect_same(
        1e-14,
        [&](Queue& queue, const Buffer<double>& x, View<double> y) {
            const BuoyancyRows<double> on(rows, queue);
            apply_springs<double>(on.springs(), x, y, queue);
        },
        random<double>(size()), random<double>(size()));
    expect_same(
        1e-6,
        [&](Queue& queue, const Buffer<float>& x, View<float> y) {
            const BuoyancyRows<float> on(rows, queue);
            apply_springs<float>(on.springs(), x, y, queue);
        },
        random<float>(size()), random<float>(size()));
}

TEST_F(ElementGpu, StepsInLanes) {
    const std::size_t numbers = size() / kLanes;
    expect_same(
        0.0, [](Queue& queue, View<double> x) { spread_first_lane(x, queue); },
        random<double>(size()));
    expect_same(
        0.0,
        [](Queue& queue, const Buffer<double>& x, View<double> first) {
            take_first_lane(x, first, queue);
        },
        poison<double>(numbers), random<double>(size()));
    for (const NewestLane newest : {NewestLane::Zero, NewestLane::Ab2, NewestLane::Line}) {
        expect_same(
            1e-15,
            [&](Queue& queue, const Buffer<double>& increments, View<double> x) {
                LaneShift shift;
                shift.newest = newest;
                for (int k = 0; k < LaneShift::kTerms; ++k) {
                    shift.increment[k] = increments.data() + k * numbers;
                    shift.weight[k] = 0.4 - 0.1 * k;
                }
                shift_lanes(shift, x, queue);
            },
            random<double>(size()), random<double>(LaneShift::kTerms * numbers));
    }
}

}  // namespace
}  // namespace kaname::viscoelastic::element_gpu_test
