// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rupture/point_start.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/base/text.hpp"

namespace kaname::rupture {

void PointProblems::add(const std::string& field, const std::string& rule, double value,
                        std::int64_t number, const Vec3& at) {
    const std::lock_guard lock(mutex_);
    Problem& problem = problems_[field];
    if (problem.count++ == 0 || number < problem.number) {
        problem.rule = rule;
        problem.value = value;
        problem.number = number;
        problem.at = at;
    }
}

std::vector<Violation> PointProblems::violations() const {
    std::vector<Violation> violations;
    for (const auto& [field, problem] : problems_) {
        std::string message = "must be " + problem.rule + ", got " + number(problem.value) +
                              " at " + place_text(problem.at);
        if (problem.count > 1) {
            message += " and at " + std::to_string(problem.count - 1) + " more points";
        }
        violations.push_back({field, message});
    }
    return violations;
}

namespace {

/// ln sinh x for x > 0, whatever its size.
double log_sinh(double x) {
    return x + std::log(-0.5 * std::expm1(-2.0 * x));
}

class PointCheck {
public:
    PointCheck(PointProblems& problems, std::int64_t number, const Vec3& at)
        : problems_(problems), number_(number), at_(at) {}

    void finite(double value, const char* field) {
        require(std::isfinite(value), value, field, "finite");
    }
    void not_negative(double value, const char* field) {
        require(value >= 0.0 && std::isfinite(value), value, field, ">= 0");
    }
    void positive(double value, const char* field) {
        require(value > 0.0 && std::isfinite(value), value, field, "> 0");
    }
    void require(bool holds, double value, const char* field, const char* rule) {
        if (!holds) {
            problems_.add(std::string("fault.") + field, rule, value, number_, at_);
        }
    }

private:
    PointProblems& problems_;
    std::int64_t number_;
    Vec3 at_;
};

void fill_slip_weakening(const FaultPoint& point, PointCheck& check, PointStart& start) {
    // A fall at once takes a picometre.
    constexpr double kLeastSlip = 1e-12;
    check.not_negative(point.static_friction, "static_friction");
    check.not_negative(point.dynamic_friction, "dynamic_friction");
    check.not_negative(point.weakening_slip_m, "weakening_slip_m");
    check.not_negative(point.cohesion_pa, "cohesion_pa");
    check.finite(point.forced_rupture_s, "forced_rupture_s");
    start.given[Given::kStatic] = point.static_friction;
    start.given[Given::kDrop] = point.static_friction - point.dynamic_friction;
    start.given[Given::kPerSlip] = 1.0 / std::max(point.weakening_slip_m, kLeastSlip);
    start.given[Given::kCohesion] = point.cohesion_pa;
    start.given[Given::kForced] = point.forced_rupture_s;
}

void fill_rate_and_state(const FaultPoint& point, FrictionLaw law, PointCheck& check,
                         PointStart& start) {
    check.positive(point.a, "a");
    if (law == FrictionLaw::Ageing) {
        check.positive(point.b, "b");  // psi = f0 + b ln(theta V0/L) has to know theta
    } else {
        check.not_negative(point.b, "b");
    }
    check.positive(point.state_slip_m, "state_slip_m");
    check.not_negative(point.reference_friction, "reference_friction");
    check.positive(point.reference_rate_m_per_s, "reference_rate_m_per_s");
    check.positive(point.initial_rate_m_per_s, "initial_rate_m_per_s");
    if (law == FrictionLaw::FastVelocityWeakening) {
        check.not_negative(point.weakened_friction, "weakened_friction");
        check.positive(point.weakening_rate_m_per_s, "weakening_rate_m_per_s");
    }
    start.given[Given::kA] = point.a;
    start.given[Given::kB] = point.b;
    start.given[Given::kPerL] = 1.0 / point.state_slip_m;
    start.given[Given::kF0] = point.reference_friction;
    start.given[Given::kV0] = point.reference_rate_m_per_s;
    start.given[Given::kWeakened] = point.weakened_friction;
    start.given[Given::kWeakeningRate] = point.weakening_rate_m_per_s;

    const double normal = start.given[Given::kNormal];
    const double strike = start.given[Given::kStrike], dip = start.given[Given::kDip];
    const double shear = std::hypot(strike, dip);
    // Without either there is no psi for which the traction slips at the initial rate.
    check.require(normal < 0.0, normal, "traction_pa.normal",
                  "< 0 (compression) where friction is rate-and-state");
    check.require(shear > 0.0, shear, "traction_pa.shear", "> 0 where friction is rate-and-state");
    const double rate = point.initial_rate_m_per_s;
    start.kept[Kept::kPsi] = point.a * (std::log(2.0 * point.reference_rate_m_per_s / rate) +
                                        log_sinh(shear / (point.a * -normal)));
    start.kept[Kept::kRateStrike] = rate * strike / shear;
    start.kept[Kept::kRateDip] = rate * dip / shear;
    start.kept[Kept::kPeakRate] = rate;
}

}  // namespace

PointStart start_of(const FaultSetup& setup, const FaultPlace& place, std::int64_t number,
                    PointProblems& problems) {
    const FaultPoint point = setup.at(place);
    const FaultFrame frame = FaultFrame::of(place.normal);
    PointCheck check(problems, number, place.at_m);
    PointStart start;
    start.given[Given::kNormal] = dot(point.traction_pa, place.normal);
    start.given[Given::kStrike] = dot(point.traction_pa, frame.strike);
    start.given[Given::kDip] = dot(point.traction_pa, frame.dip);
    start.given[Given::kNucleationStrike] = dot(point.nucleation_pa, frame.strike);
    start.given[Given::kNucleationDip] = dot(point.nucleation_pa, frame.dip);
    for (int comp = 0; comp < 3; ++comp) {
        check.finite(point.traction_pa[comp], "traction_pa");
        check.finite(point.nucleation_pa[comp], "nucleation_pa");
    }
    start.kept[Kept::kRuptureTime] = -1.0;
    const double begun = setup.nucleation_s == 0.0 ? 1.0 : 0.0;
    start.kept[Kept::kNormalNow] = start.given[Given::kNormal];
    start.kept[Kept::kStrikeNow] =
        start.given[Given::kStrike] + begun * start.given[Given::kNucleationStrike];
    start.kept[Kept::kDipNow] =
        start.given[Given::kDip] + begun * start.given[Given::kNucleationDip];

    const FrictionLaw law = setup.laws[place.fault];
    if (law == FrictionLaw::LinearSlipWeakening) {
        fill_slip_weakening(point, check, start);
    } else {
        fill_rate_and_state(point, law, check, start);
    }
    return start;
}

kernels::FrictionStep friction_step(const FaultRule& rule, const FaultSetup& setup, double t_s,
                                    double dt_s) {
    // A fall at once takes a picosecond.
    constexpr double kLeastGrowth = 1e-12;
    kernels::FrictionStep step;
    step.n_times = rule.n_times();
    const double behind = 1.0 - rule.times.back();  // in the step before, as in this one
    double last = -behind;
    for (int l = 0; l < step.n_times; ++l) {
        const double x = rule.times[l];
        const double interval = x - std::max(last, 0.0);
        kernels::TimeNode& node = step.nodes[l];
        node.x = x;
        node.x_before = last;
        kernels::place_in_time(node, t_s, dt_s, setup.nucleation_s);
        node.interval_s = dt_s * interval;
        // The mean over the interval of the line through the rates at `last` and x.
        node.share_before = 0.5 * interval / (x - last);
        node.weight_s = dt_s * rule.time_weights[l];
        step.end_growth = 0.5 * behind / (x - last);
        last = x;
    }
    step.per_dt = 1.0 / dt_s;
    step.end_s = dt_s * behind;
    step.per_forced_growth = 1.0 / std::max(setup.forced_growth_s, kLeastGrowth);
    step.rupture_rate = setup.rupture_rate_m_per_s;
    return step;
}

}  // namespace kaname::rupture
