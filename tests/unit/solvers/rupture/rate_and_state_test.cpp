// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "tests/unit/solvers/rupture/one_face.hpp"

namespace kaname::rupture::test::rate_and_state_test {
namespace {

constexpr double kEta = 4.6e6;

struct Problem {
    FrictionLaw law;
    FaultPoint point;
};

/// TPV101's and TPV104's numbers.
Problem problem_of(FrictionLaw law) {
    FaultPoint point;
    point.reference_friction = 0.6;
    point.reference_rate_m_per_s = 1e-6;
    if (law == FrictionLaw::FastVelocityWeakening) {
        point.traction_pa = traction(-120e6, 40e6, 0.0);
        point.a = 0.01;
        point.b = 0.014;
        point.state_slip_m = 0.4;
        point.weakened_friction = 0.2;
        point.weakening_rate_m_per_s = 0.1;
        point.initial_rate_m_per_s = 1e-16;
    } else {
        point.traction_pa = traction(-120e6, 75e6, 0.0);
        point.a = 0.008;
        point.b = 0.012;
        point.state_slip_m = 0.02;
        point.initial_rate_m_per_s = 1e-12;
    }
    return {law, point};
}

FaultSetup setup_of(const Problem& problem) {
    FaultSetup setup;
    setup.laws = {problem.law};
    setup.at = [point = problem.point](const FaultPlace&) { return point; };
    return setup;
}

/// psi' by the law's differential equation.
double psi_rate(const Problem& problem, double rate, double psi) {
    const FaultPoint& q = problem.point;
    const double log_rate = std::log(rate / q.reference_rate_m_per_s);
    const double per_time = rate / q.state_slip_m;
    switch (problem.law) {
        case FrictionLaw::Ageing:
            return q.b * q.reference_rate_m_per_s / q.state_slip_m *
                       std::exp((q.reference_friction - psi) / q.b) -
                   q.b * per_time;
        case FrictionLaw::Slip:
            return -per_time * (psi - q.reference_friction + q.b * log_rate);
        default: {
            const double low = q.reference_friction - (q.b - q.a) * log_rate;
            const double steady =
                q.weakened_friction +
                (low - q.weakened_friction) /
                    std::pow(1.0 + std::pow(rate / q.weakening_rate_m_per_s, 8.0), 0.125);
            const double psi_steady =
                q.a * std::log(2.0 * q.reference_rate_m_per_s / rate * std::sinh(steady / q.a));
            return -per_time * (psi - psi_steady);
        }
    }
}

/// The rate at which strength and damping take tau, by halving.
double rate_of(const FaultPoint& q, double tau, double pressure, double psi) {
    double low = std::log(1e-40), high = std::log(1e4);
    for (int k = 0; k < 100; ++k) {
        const double mid = 0.5 * (low + high), rate = std::exp(mid);
        const double strength =
            q.a * pressure *
            std::asinh(rate / (2.0 * q.reference_rate_m_per_s) * std::exp(psi / q.a));
        (strength + kEta * rate < tau ? low : high) = mid;
    }
    return std::exp(0.5 * (low + high));
}

struct State {
    double slip = 0.0, psi = 0.0;
};

/// Runge and Kutta's rule of fourth order, halving and doubling steps by comparing one with two
/// halves.
State integrated(const Problem& problem, double psi, double end_s,
                 const std::function<double(double)>& tau, double pressure) {
    const auto slope = [&](double t, const State& s) {
        const double rate = rate_of(problem.point, tau(t), pressure, s.psi);
        return State{rate, psi_rate(problem, rate, s.psi)};
    };
    const auto rk4 = [&](double t, const State& s, double h) {
        const auto moved = [&](const State& k, double by) {
            return State{s.slip + by * k.slip, s.psi + by * k.psi};
        };
        const State a = slope(t, s), b = slope(t + 0.5 * h, moved(a, 0.5 * h));
        const State c = slope(t + 0.5 * h, moved(b, 0.5 * h)), d = slope(t + h, moved(c, h));
        return State{s.slip + h / 6.0 * (a.slip + 2.0 * b.slip + 2.0 * c.slip + d.slip),
                     s.psi + h / 6.0 * (a.psi + 2.0 * b.psi + 2.0 * c.psi + d.psi)};
    };
    State s{0.0, psi};
    double t = 0.0, h = 1e-3;
    while (t < end_s) {
        h = std::min(h, end_s - t);
        const State whole = rk4(t, s, h), halves = rk4(t + 0.5 * h, rk4(t, s, 0.5 * h), 0.5 * h);
        const double off = std::abs(whole.psi - halves.psi) + std::abs(whole.slip - halves.slip);
        if (off > 1e-9) {
            h *= 0.5;
            continue;
        }
        s = halves;
        t += h;
        if (off < 1e-11) {
            h *= 2.0;
        }
    }
    return s;
}

class RateAndState : public testing::TestWithParam<FrictionLaw> {
protected:
    /// Traction rises smoothly by so much over the run, then stays.
    static constexpr double kEnd = 0.4;
    [[nodiscard]] double rise() const {
        return GetParam() == FrictionLaw::FastVelocityWeakening ? 60e6 : 30e6;
    }
    [[nodiscard]] OneFace::Locked locked() const {
        return [rise = rise()](double t) {
            const double x = std::min(t / 0.3, 1.0);
            return std::array<double, 3>{0.0, rise * x * x * (3.0 - 2.0 * x), 0.0};
        };
    }
};

TEST_P(RateAndState, AtRestTractionSlipsAtTheInitialRate) {
    const Problem problem = problem_of(GetParam());
    OneFace face(setup_of(problem), kEta);

    EXPECT_TRUE(face.step(1e-6, nothing()));

    EXPECT_NEAR(face.mean_rate(0) / problem.point.initial_rate_m_per_s, 1.0, 1e-6);
    EXPECT_EQ(face.kept(Kept::kRuptureTime), -1.0);
}

TEST_P(RateAndState, FollowsItsDifferentialEquationToSecondOrder) {
    const Problem problem = problem_of(GetParam());
    const double start = OneFace(setup_of(problem), kEta).kept(Kept::kPsi);
    const double tau0 = std::abs(problem.point.traction_pa.x);
    const State wanted = integrated(
        problem, start, kEnd, [&](double t) { return tau0 + locked()(t)[1]; }, 120e6);
    ASSERT_GT(wanted.slip, 0.05);
    const auto error = [&](int steps) {
        OneFace face(setup_of(problem), kEta);
        face.run(kEnd, steps, locked());
        EXPECT_NEAR(face.kept(Kept::kPsi), wanted.psi, 0.03) << steps;
        return std::abs(face.kept(Kept::kSlipStrike) / wanted.slip - 1.0);
    };

    const double coarse = error(80), fine = error(160), finest = error(320);

    EXPECT_LT(fine, 3e-3);
    EXPECT_GT(coarse / fine, 3.0);
    EXPECT_GT(fine / finest, 3.0);
}

TEST_P(RateAndState, TractionsAreStrengthAndDirectionsHold) {
    Problem problem = problem_of(GetParam());
    const double shear = problem.point.traction_pa.x;
    problem.point.traction_pa = traction(-120e6, -0.8 * shear, -0.6 * shear);
    OneFace face(setup_of(problem), kEta);

    face.run(0.3, 60, [&](double t) {
        return std::array<double, 3>{0.0, 0.8 * rise() * t / 0.3, 0.6 * rise() * t / 0.3};
    });

    const double rate = std::hypot(face.kept(Kept::kRateStrike), face.kept(Kept::kRateDip));
    EXPECT_GT(rate, 0.1);
    EXPECT_NEAR(face.kept(Kept::kRateDip) / face.kept(Kept::kRateStrike), 0.75, 1e-12);
    const double tau = std::hypot(face.kept(Kept::kStrikeNow), face.kept(Kept::kDipNow));
    const FaultPoint& q = problem.point;
    const double y = tau / (q.a * 120e6);
    const double psi = q.a * std::log(2.0 * q.reference_rate_m_per_s / rate * std::sinh(y));
    // That of the last node, of which the step's end is not far.
    EXPECT_NEAR(face.kept(Kept::kPsi), psi, 0.02);
    const double work = 0.8 * std::abs(shear) * face.kept(Kept::kSlipStrike) +
                        0.6 * std::abs(shear) * face.kept(Kept::kSlipDip);
    EXPECT_NEAR((face.kept(Kept::kFriction) + face.kept(Kept::kReleased)) / work, 1.0, 1e-12);
}

TEST_P(RateAndState, ExtremesGiveNumbers) {
    for (const double normal : {-1e12, 100e6, 119.999999e6, 120e6, 500e6}) {
        for (const double shear : {-1e9, -75e6, -40e6, 0.0, 1e3, 5e9}) {
            for (const double dt : {1e-9, 1e-3, 10.0}) {
                OneFace face(setup_of(problem_of(GetParam())), kEta);
                for (int k = 0; k < 3; ++k) {
                    face.step(dt, [&](double) {
                        return std::array<double, 3>{normal, shear, 0.0};
                    });
                }
                face.step(dt, nothing());
                for (int field = 0; field < Kept::kFields; ++field) {
                    EXPECT_TRUE(std::isfinite(face.kept(field)))
                        << field << " " << normal << " " << shear << " " << dt;
                }
            }
        }
    }
}

std::string name_of(const testing::TestParamInfo<FrictionLaw>& law) {
    return law.param == FrictionLaw::Ageing ? "Ageing"
           : law.param == FrictionLaw::Slip ? "Slip"
                                            : "FastVelocityWeakening";
}

INSTANTIATE_TEST_SUITE_P(Laws, RateAndState,
                         testing::Values(FrictionLaw::Ageing, FrictionLaw::Slip,
                                         FrictionLaw::FastVelocityWeakening),
                         name_of);

}  // namespace
}  // namespace kaname::rupture::test::rate_and_state_test
