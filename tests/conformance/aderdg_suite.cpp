// SPDX-License-Identifier: BSD-3-Clause
#include "tests/conformance/aderdg_suite.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/base/error.hpp"
#include "solvers/comm/comm.hpp"
#include "tests/conformance/suite_support.hpp"
#include "tests/support/fault_box.hpp"
#include "tests/support/wave_cubes.hpp"

namespace kaname::conformance {
namespace {

using aderdg::Boundary;
using aderdg::Precision;
using aderdg::WaveModel;
using aderdg::WaveParams;
using aderdg::WavePoints;

constexpr int kWaveLanes = 3;

/// A box of two solids whose elements are thin in the middle, so that they have several steps,
/// with sources in two tets, receivers and peaks all over.
struct WaveProblem {
    explicit WaveProblem(int mechanisms, Precision precision) {
        model = aderdg::box_of_cubes({6, 4, 4}, {-1, -1, -1}, {1, 1, 1},
                                     aderdg::solid_of(1.0, 2.0, 1.1));
        model.solids.push_back(aderdg::solid_of(1.3, 2.5, 1.4));
        for (aderdg::Solid& s : model.solids) {
            for (int l = 0; l < mechanisms; ++l) {
                s.mechanisms.push_back({3.0 * (l + 1), 0.05 * s.lambda_pa, 0.04 * s.mu_pa});
            }
        }
        for (std::size_t e = 0; e < model.mesh.tets.size(); ++e) {
            model.mesh.material[e] = e % 7 == 0 ? 1 : 0;
        }
        for (Vec3& v : model.mesh.xyz) {
            v.x *= 0.15 + 0.85 * v.x * v.x;
        }
        model.surfaces[static_cast<int>(mesh::Side::Bottom)] = Boundary::Absorbing;
        params.order = 4;
        params.precision = precision;
        params.lanes = kWaveLanes;
        params.end_s = 0.3;
        params.interval_s = 0.0123;
        params.motion = aderdg::Motion::Displacement;
        for (int lane = 0; lane < kWaveLanes; ++lane) {
            aderdg::PointSource source;
            source.lane = lane;
            source.at = aderdg::tet_at(model, {0.02, 0.1 * lane, 0.3});
            source.force_n = {1.0, 0.5 * lane, -1.0};
            source.moment_nm = {0.1, 0.2, -0.1, 0.0, 0.3, 0.1 * lane};
            source.rate = [](double t) { return std::pow(std::sin(10.0 * M_PI * t), 2); };
            source.until_s = 0.2;
            points.sources.push_back(source);
        }
        for (const Vec3& x : {Vec3{0.01, 0.4, 0.2},
                              {-0.7, -0.3, 0.1},
                              {0.6, 0.7, -0.8},
                              {0.03, 0.05, 0.31},
                              {-0.2, 0.8, 0.9}}) {
            points.receivers.push_back(aderdg::tet_at(model, x));
        }
        points.peaks = points.receivers;
    }

    WaveModel model;
    WaveParams params;
    WavePoints points;
};

/// RuptureProblem is the same box with a rupturing fault through its thin elements, in place of
/// sources.
struct RuptureProblem : WaveProblem {
    RuptureProblem(int mechanisms, Precision precision, rupture::FrictionLaw law)
        : WaveProblem(mechanisms, precision) {
        aderdg::add_fault(model, 0.0, [](const Vec3& x) { return std::abs(x.x) < 0.5; });
        model.fault.laws = {law};
        model.fault.at = [](const rupture::FaultPlace& place) {
            rupture::FaultPoint p =
                aderdg::weakening(-10.0, norm(place.at_m) < 0.3 ? 6.5 : 5.5, 0.6, 0.4, 0.01);
            p.a = 0.01;
            p.b = 0.014;
            p.state_slip_m = 0.01;
            p.initial_rate_m_per_s = 1e-9;
            return p;
        };
        model.fault.interval_s = 0.0123;
        for (const std::int64_t face : {0, 5, 11}) {
            model.fault.receivers.push_back(
                {face, model.mesh.xyz[model.mesh.fault_faces[face].vertices[1]]});
        }
        params.lanes = 1;
        points.sources.clear();
    }
};

/// YieldingProblem is the same box with one source, whose waves make it yield and raise its
/// surface.
struct YieldingProblem : WaveProblem {
    YieldingProblem(int mechanisms, Precision precision) : WaveProblem(mechanisms, precision) {
        model.surfaces[static_cast<int>(mesh::Side::Top)] = Boundary::Gravity;
        model.gravity_m_s2 = 3.0;
        model.plasticity.relaxation_s = 0.02;
        model.plasticity.at = [](std::int64_t, const Vec3& x) {
            return aderdg::YieldPoint{
                0.02 + 0.01 * x.y, 0.6, {-0.02, -0.02 + 0.005 * x.z, -0.02, 0.0, 0.0}};
        };
        params.lanes = 1;
        points.sources.resize(1);
    }
};

/// All that a solver says in the end, on rank 0.
struct Outcome {
    std::vector<float> record, fault_record, peaks, velocity, strain, height;
    std::vector<std::byte> state;
};

void join(std::vector<float>& to, const std::vector<float>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// From `from` if there is one, or from rest to the end; `half` gets the state half way.
Outcome outcome(const WaveProblem& problem, comm::Comm& comm, const std::vector<std::byte>* from,
                std::vector<std::byte>* half = nullptr) {
    const auto solver =
        aderdg::make_wave_solver(problem.model, problem.params, problem.points, comm);
    Outcome o;
    if (from != nullptr) {
        solver->resume(*from);
    } else {
        expect(solver->clusters().elements.size() >= 3, "three clusters");
        solver->advance(solver->macro_steps() / 2);
        join(o.record, solver->take_record());
        join(o.fault_record, solver->take_fault_record());
        if (half != nullptr) {
            *half = solver->state();
        }
    }
    solver->advance(solver->macro_steps());
    join(o.record, solver->take_record());
    join(o.fault_record, solver->take_fault_record());
    o.peaks = solver->peak_velocity();
    o.velocity = solver->velocity_at(problem.points.receivers);
    o.strain = solver->plastic_strain();
    if (problem.model.plasticity.at) {
        const aderdg::PointInTet on_top = aderdg::tet_at(problem.model, {0.05, 0.1, 1.0});
        o.height = solver->surface_height(std::span(&on_top, 1));
    }
    o.state = solver->state();
    return o;
}

template <class T>
bool same_bytes(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

void expect_same_outcome(const Outcome& found, const Outcome& wanted, const std::string& of) {
    expect(!wanted.record.empty() && !wanted.peaks.empty(), "something recorded");
    expect(same_bytes(found.record, wanted.record), "the record of one rank, " + of);
    expect(same_bytes(found.fault_record, wanted.fault_record),
           "the fault's record of one rank, " + of);
    expect(same_bytes(found.peaks, wanted.peaks), "the peaks of one rank, " + of);
    expect(same_bytes(found.velocity, wanted.velocity), "the velocities of one rank, " + of);
    expect(same_bytes(found.strain, wanted.strain), "the plastic strain of one rank, " + of);
    expect(same_bytes(found.height, wanted.height), "the height of one rank, " + of);
    expect(same_bytes(found.state, wanted.state), "the state of one rank, " + of);
}

template <class T>
std::vector<T> end_of(const std::vector<T>& all, std::size_t n) {
    return {all.end() - static_cast<std::ptrdiff_t>(n), all.end()};
}

void any_ranks_give_what_one_does(comm::Comm& comm) {
    for (const Precision precision : {Precision::Single, Precision::Double}) {
        for (const int mechanisms : {0, 2}) {
            const WaveProblem problem(mechanisms, precision);
            const Outcome found = outcome(problem, comm, nullptr);
            if (comm.rank() == 0) {
                comm::SerialComm serial;
                expect_same_outcome(found, outcome(problem, serial, nullptr),
                                    std::to_string(mechanisms) + " mechanisms");
            }
        }
    }
}

void a_state_goes_on_with_any_ranks(comm::Comm& comm) {
    for (const int mechanisms : {0, 2}) {
        const WaveProblem problem(mechanisms, Precision::Single);
        comm::SerialComm serial;
        std::vector<std::byte> half;
        const Outcome whole = outcome(problem, serial, nullptr, &half);
        const Outcome rest = outcome(problem, comm, &half);
        if (comm.rank() == 0) {
            Outcome wanted = whole;
            expect(rest.record.size() < whole.record.size(), "only the rest of the record");
            wanted.record = end_of(whole.record, rest.record.size());
            expect_same_outcome(rest, wanted, "resumed");
        }
    }
}

void ruptures_are_the_same(comm::Comm& comm) {
    for (const auto law :
         {rupture::FrictionLaw::LinearSlipWeakening, rupture::FrictionLaw::Ageing}) {
        const bool slips = law == rupture::FrictionLaw::LinearSlipWeakening;
        const RuptureProblem problem(slips ? 0 : 2, slips ? Precision::Single : Precision::Double,
                                     law);
        comm::SerialComm serial;
        std::vector<std::byte> half;
        const Outcome whole = outcome(problem, serial, nullptr, &half);
        const Outcome found = outcome(problem, comm, nullptr);
        const Outcome rest = outcome(problem, comm, &half);
        if (comm.rank() == 0) {
            expect(*std::ranges::max_element(whole.fault_record) > 0.0F, "a fault that slips");
            expect_same_outcome(found, whole, "a rupture");
            Outcome wanted = whole;
            wanted.record = end_of(whole.record, rest.record.size());
            wanted.fault_record = end_of(whole.fault_record, rest.fault_record.size());
            expect_same_outcome(rest, wanted, "a rupture resumed");
        }
    }
}

void yielding_and_surfaces_are_the_same(comm::Comm& comm) {
    for (const int mechanisms : {0, 2}) {
        const YieldingProblem problem(mechanisms,
                                      mechanisms == 0 ? Precision::Single : Precision::Double);
        comm::SerialComm serial;
        std::vector<std::byte> half;
        const Outcome whole = outcome(problem, serial, nullptr, &half);
        const Outcome found = outcome(problem, comm, nullptr);
        const Outcome rest = outcome(problem, comm, &half);
        if (comm.rank() == 0) {
            const auto yielded = std::ranges::count_if(whole.strain, [](float e) { return e > 0; });
            expect(yielded > 10 && yielded < std::ssize(whole.strain), "some tets that yield");
            expect(whole.height.at(0) != 0.0F, "a surface that rises");
            expect_same_outcome(found, whole, "yielding");
            Outcome wanted = whole;
            wanted.record = end_of(whole.record, rest.record.size());
            expect_same_outcome(rest, wanted, "yielding resumed");
        }
    }
}

void states_of_other_solvers_are_refused(comm::Comm& comm) {
    const WaveProblem problem(0, Precision::Single);
    const auto state_of = [&](const WaveParams& params, const WavePoints& points) {
        comm::SerialComm serial;
        return aderdg::make_wave_solver(problem.model, params, points, serial)->state();
    };
    std::vector<std::vector<std::byte>> wrong(8, state_of(problem.params, problem.points));
    WaveParams params = problem.params;
    params.order = 5;
    wrong[0] = state_of(params, problem.points);
    params = problem.params;
    params.precision = Precision::Double;
    wrong[1] = state_of(params, problem.points);
    params = problem.params;
    params.lanes = 4;  // of three sources there are four, the last at rest
    params.end_s *= 2;
    wrong[2] = state_of(params, problem.points);
    WavePoints points = problem.points;
    points.receivers.pop_back();
    wrong[3] = state_of(problem.params, points);
    points = problem.points;
    points.peaks.push_back(points.peaks.front());
    wrong[4] = state_of(problem.params, points);
    wrong[5].pop_back();
    wrong[6].push_back({});
    wrong[7].resize(5);
    const auto solver =
        aderdg::make_wave_solver(problem.model, problem.params, problem.points, comm);
    for (std::size_t k = 0; k < wrong.size(); ++k) {
        bool refused = false;
        try {
            solver->resume(wrong[k]);
        } catch (const Error& error) {
            refused = error.code() == ErrorCode::InvalidArgument;
        }
        expect(refused, "state " + std::to_string(k) + " refused");
    }
}

}  // namespace

std::vector<CommCase> aderdg_cases() {
    return {{"AnyRanksGiveWhatOneDoes", any_ranks_give_what_one_does},
            {"AStateGoesOnWithAnyRanks", a_state_goes_on_with_any_ranks},
            {"RupturesAreTheSame", ruptures_are_the_same},
            {"YieldingAndSurfacesAreTheSame", yielding_and_surfaces_are_the_same},
            {"StatesOfOtherSolversAreRefused", states_of_other_solvers_are_refused}};
}

}  // namespace kaname::conformance
