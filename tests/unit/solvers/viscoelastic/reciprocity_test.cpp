// SPDX-License-Identifier: BSD-3-Clause
// Forces at stations in place of slip on patches: the same numbers, by both ways through time.
#include <cmath>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/viscoelastic/model/fault_traction.hpp"
#include "solvers/viscoelastic/spectrum/spectrum_solver.hpp"
#include "solvers/viscoelastic/stepping/pack_solver.hpp"
#include "tests/support/thread_comm/thread_comm.hpp"
#include "tests/unit/solvers/viscoelastic/fault_model.hpp"

namespace kaname::viscoelastic::reciprocity_test {
namespace {

using lanes::kLanes;
using predictors::Polynomial;

enum class Rock { Elastic, Maxwell, Four };

struct Kind {
    Element element;
    Gravity gravity;
    Rock rock;
};

std::vector<earth::Material> rocks_of(const Kind& kind) {
    std::vector<earth::Material> rocks = kind.rock == Rock::Four ? four_rheologies()
                                         : kind.rock == Rock::Maxwell
                                             ? std::vector{rock(3e10, 3e10, 1e19)}
                                             : std::vector{rock(3e10, 3e10)};
    for (std::size_t k = 0; k < rocks.size() && kind.gravity == Gravity::Buoyancy; ++k) {
        earth::Material& of = rocks[k];
        of.density_kg_m3 = 2600.0 + 200.0 * static_cast<double>(k);
        // Soft, so that gravity matters, with the same relaxation times.
        for (double* pa : {&of.mu_pa, &of.lambda_pa}) {
            *pa *= 1e-2;
        }
        for (auto* number :
             {&of.viscosity_pa_s, &of.relaxed_mu_pa, &of.kelvin_mu_pa, &of.kelvin_viscosity_pa_s}) {
            *number = number->has_value() ? std::optional(1e-2 * **number) : std::nullopt;
        }
    }
    return rocks;
}

/// The fault of FaultModel, on any body; two slips that change along the fault, four forces, of
/// which one is at a station in an element of the fault.
struct Faulted : BoxModel {
    Faulted(comm::Comm& comm, const Kind& kind)
        : BoxModel(
              test::BoxMesh{
                  .cells = {6, 6, 4},
                  .low = {0.0, 0.0, -4e3},
                  .high = {6e3, 6e3, 0.0},
                  .faults = {{.axis = 2, .index = 2, .low = {1, 1, 0}, .high = {5, 5, 0}}},
                  .material =
                      [n = rocks_of(kind).size()](const Vec3& x) {
                          return static_cast<int>(-x.z / 4e3 * static_cast<double>(n));
                      }},
              rocks_of(kind), clamped({mesh::Side::Bottom}), comm, kind.element, kind.gravity),
          split(fault::split_fault_nodes(mesh, dofs.conn, dofs.node_xyz)),
          places(p2::locate_points(
              mesh, std::vector<Vec3>{{1.2e3, 2.2e3, 0.0}, {3.1e3, 3.4e3, -1.9e3}})) {
        for (const auto& [node, of] : split.split) {
            const Vec3& x = dofs.node_xyz[node];
            slip[0].push_back({1.0, 0.0, 0.0});
            slip[2].push_back({0.1 * std::sin(x.x / 1e3), 1e-4 * x.y, std::cos(x.y / 2e3)});
        }
        for (const auto& place : places) {
            forces.push_back({place, {1.0, 0.0, 0.0}});
            forces.push_back({place, {0.0, -0.6, 0.8}});
        }
    }
    [[nodiscard]] std::vector<ElementOffset> offsets() const {
        return element_offsets(model, dofs, split, slip);
    }
    /// Returns [forces][2] of observed motion [places][3][4].
    [[nodiscard]] std::vector<double> along(const std::vector<double>& seen) const {
        std::vector<double> result;
        for (std::size_t k = 0; k < forces.size(); ++k) {
            for (const int lane : {0, 2}) {
                double sum = 0.0;
                for (int comp = 0; comp < 3; ++comp) {
                    sum += forces[k].direction[comp] * seen[((k / 2) * 3 + comp) * kLanes + lane];
                }
                result.push_back(sum);
            }
        }
        return result;
    }
    /// Returns [forces][2] of tractions [split nodes][3][4].
    [[nodiscard]] std::vector<double> summed(const FaultTraction& traction,
                                             const std::vector<double>& T) const {
        std::vector<double> result;
        for (std::size_t k = 0; k < forces.size(); ++k) {
            const std::vector<double> own = traction.own_offset(forces[k]);
            for (const int lane : {0, 2}) {
                double sum = 0.0;
                for (std::size_t a = 0; a < split.split.size(); ++a) {
                    for (int comp = 0; comp < 3; ++comp) {
                        sum += (T[(a * 3 + comp) * kLanes + k] + own[a * 3 + comp]) *
                               slip[lane][a][comp];
                    }
                }
                result.push_back(sum);
            }
        }
        return result;
    }

    fault::SplitNodes split;
    std::vector<p2::Location> places;
    std::vector<PointForce> forces;
    PackSlip slip;
};

double largest_of(const std::vector<double>& values) {
    double largest = 0.0;
    for (const double value : values) {
        largest = std::max(largest, std::abs(value));
    }
    return largest;
}

void expect_same(const std::vector<double>& found, const std::vector<double>& wanted, double within,
                 const std::string& where) {
    const double size = largest_of(wanted);
    ASSERT_EQ(found.size(), wanted.size());
    EXPECT_GT(size, 1e-3) << where;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(found[i], wanted[i], within * size) << where << ", number " << i;
    }
}

class Reciprocity : public testing::TestWithParam<Kind> {};

TEST_P(Reciprocity, StepsGiveTheSameToTenDigits) {
    comm::run_as_threads(2, [&](comm::Comm& comm) {
        device::Queue queue;
        const Faulted body(comm, GetParam());
        const TimeGrid grid{0.4 * kMaxwellTime_s, 5, 0.5 + 0.2 * (GetParam().rock == Rock::Four)};
        PackSolver direct(body.model, grid, tight(1e-13), Polynomial::Cubic, comm, queue);
        PackSolver turned(body.model, grid, tight(1e-13), Polynomial::Cubic, comm, queue);
        Observer observer(body.model, body.places, queue);
        FaultTraction traction(body.model, body.dofs, body.split, queue);
        direct.start(body.offsets());
        turned.start({}, {}, point_load(body.model, body.forces, queue));

        while (!direct.finished()) {
            const int step = direct.advance().step;
            (void)turned.advance();
            const auto wanted =
                body.along(observer.observe(direct.displacement(), direct.offsets(), comm, queue));
            const auto T = traction.of_stress(turned.stress_of(traction.elements()),
                                              turned.displacement(), comm, queue);
            expect_same(body.summed(traction, T), wanted, 1e-10, "step " + std::to_string(step));
        }
    });
}

class ReciprocityOfSpectra : public testing::TestWithParam<Kind> {};

TEST_P(ReciprocityOfSpectra, GivesTheSame) {
    comm::SerialComm comm;
    device::Queue queue;
    const Faulted body(comm, GetParam());
    const RelaxationGroups groups = relaxation_groups(body.model.materials(), body.model.element());
    SpectrumParams params;
    params.end_s = 5.0 * kMaxwellTime_s;
    params.tolerance = GetParam().rock == Rock::Four ? 1e-6 : 1e-8;
    Observer observer(body.model, body.places, queue);
    FaultTraction traction(body.model, body.dofs, body.split, queue);
    SpectrumSolver direct(body.model, groups, params, tight(1e-12), observer, comm, queue);
    SpectrumSolver turned(body.model, groups, params, tight(1e-12), traction, comm, queue);
    (void)direct.start(body.offsets());
    (void)turned.start({}, point_load(body.model, body.forces, queue));
    for (SpectrumSolver* solver : {&direct, &turned}) {
        while (solver->advance()) {
        }
        EXPECT_TRUE(solver->reached());
    }
    const RelaxationModes of_slip = direct.reduced().modes(groups.relaxation);
    const RelaxationModes of_force = turned.reduced().modes(groups.relaxation);
    const auto add = [&](const SpectrumSolver& solver, double whole,
                         const ReducedModel::LaneRows& c, const auto& of,
                         std::vector<double>& sum) {
        const auto field = of(solver.elastic_displacement());
        for (std::size_t i = 0; i < field.size(); ++i) {
            sum.resize(field.size(), 0.0);
            sum[i] += whole * field[i];
        }
        for (std::size_t k = 0; k < solver.basis().size(); ++k) {
            const auto seen = of(solver.basis()[k].view());
            for (std::size_t i = 0; i < seen.size(); ++i) {
                for (int lane = 0; lane < kLanes; ++lane) {  // lane of the result
                    sum[i - i % kLanes + lane] += c[k * kLanes + i % kLanes][lane] * seen[i];
                }
            }
        }
    };
    for (const double t_s : {0.0, 0.5 * kMaxwellTime_s, 4.0 * kMaxwellTime_s}) {
        std::vector<double> u;
        add(
            direct, 1.0, of_slip.at(t_s),
            [&](device::View<const double> w) { return observer.observe(w, {}, comm, queue); }, u);
        // The offset of the slip itself does not change.
        const std::vector<double> zero(body.model.vector_size(), 0.0);
        const auto own = observer.observe(zero, direct.offsets(), comm, queue);
        std::transform(u.begin(), u.end(), own.begin(), u.begin(), std::plus<>());

        std::vector<double> T;
        const ElementModuli lasting = body.model.relaxed_to(groups.elastic());
        add(
            turned, 1.0, of_force.at(t_s),
            [&](device::View<const double> w) { return traction.of(lasting, w, comm, queue); }, T);
        for (std::size_t j = 0; j < groups.relaxation.size(); ++j) {
            const ElementModuli moduli = body.model.relaxing(groups.only(static_cast<int>(j)));
            add(
                turned, groups.relaxation[j].at_time(t_s),
                of_force.remembered(groups.relaxation[j], t_s),
                [&](device::View<const double> w) { return traction.of(moduli, w, comm, queue); },
                T);
        }
        expect_same(body.summed(traction, T), body.along(u), 3.0 * params.tolerance,
                    "t = " + std::to_string(t_s / kMaxwellTime_s));
    }
}

std::string name_of(const testing::TestParamInfo<Kind>& info) {
    return std::string(info.param.element == Element::P2 ? "p2" : "nodal") +
           (info.param.gravity == Gravity::None ? "" : "_gravity") +
           (info.param.rock == Rock::Elastic   ? "_elastic"
            : info.param.rock == Rock::Maxwell ? "_maxwell"
                                               : "_four");
}

constexpr Kind kRelaxing[] = {{Element::P2, Gravity::None, Rock::Maxwell},
                              {Element::P2, Gravity::Buoyancy, Rock::Four},
                              {Element::NodalDilatation, Gravity::None, Rock::Maxwell},
                              {Element::NodalDilatation, Gravity::Buoyancy, Rock::Four}};
INSTANTIATE_TEST_SUITE_P(Lasting, Reciprocity,
                         testing::Values(Kind{Element::P2, Gravity::None, Rock::Elastic}), name_of);
INSTANTIATE_TEST_SUITE_P(Relaxing, Reciprocity, testing::ValuesIn(kRelaxing), name_of);
INSTANTIATE_TEST_SUITE_P(Relaxing, ReciprocityOfSpectra, testing::ValuesIn(kRelaxing), name_of);

TEST(PointLoad, TakesFourForces) {
    comm::SerialComm comm;
    device::Queue queue;
    const FaultModel fault(comm);
    EXPECT_THROW((void)point_load(fault.model, std::vector<PointForce>(5), queue), Error);
}

}  // namespace
}  // namespace kaname::viscoelastic::reciprocity_test
