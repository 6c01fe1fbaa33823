// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rupture/fault_faces.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/parallel/loops.hpp"
#include "solvers/parallel/pack.hpp"
#include "solvers/rupture/kernels/friction_body.hpp"
#include "solvers/rupture/point_start.hpp"

namespace kaname::rupture {
namespace {

using Real = Pack<double>;

void check_rule(const FaultRule& rule) {
    const auto require = [](bool holds, const std::string& message) {
        if (!holds) {
            throw Error(ErrorCode::InvalidArgument, "FaultRule: " + message);
        }
    };
    require(rule.n_points() > 0 && rule.weights.size() == rule.points.size(),
            "points and weights must be as many and some, got " +
                std::to_string(rule.points.size()) + " and " + std::to_string(rule.weights.size()));
    require(rule.n_times() > 0 && rule.n_times() <= kernels::kMostTimes &&
                rule.time_weights.size() == rule.times.size(),
            "times and their weights must be as many, 1.." + std::to_string(kernels::kMostTimes) +
                ", got " + std::to_string(rule.times.size()) + " and " +
                std::to_string(rule.time_weights.size()));
    double last = 0.0;
    for (const double time : rule.times) {
        require(time > last && time < 1.0, "times must grow between 0 and 1, got " + number(time));
        last = time;
    }
}

void check_faces(const FaultSetup& setup, const std::vector<FaultFaceShape>& faces) {
    std::vector<Violation> violations;
    const auto require = [&](bool holds, const std::string& field, const std::string& message) {
        if (!holds) {
            violations.push_back({"fault." + field, message});
        }
    };
    require(setup.nucleation_s >= 0.0 && std::isfinite(setup.nucleation_s), "nucleation_s",
            "must be >= 0, got " + number(setup.nucleation_s));
    require(setup.forced_growth_s >= 0.0 && std::isfinite(setup.forced_growth_s), "forced_growth_s",
            "must be >= 0, got " + number(setup.forced_growth_s));
    require(setup.rupture_rate_m_per_s > 0.0, "rupture_rate_m_per_s",
            "must be > 0, got " + number(setup.rupture_rate_m_per_s));
    require(faces.empty() || setup.at, "at", "must be a function, got none");
    for (const FaultFaceShape& face : faces) {
        const std::string where = " at face " + std::to_string(face.face);
        if (face.fault < 0 || face.fault >= std::ssize(setup.laws)) {
            require(false, "laws",
                    "must be one for each fault, got " + std::to_string(setup.laws.size()) +
                        " and fault " + std::to_string(face.fault) + where);
            break;
        }
        if (!(face.shear_impedance > 0.0 && std::isfinite(face.shear_impedance))) {
            require(false, "shear_impedance",
                    "must be > 0, got " + number(face.shear_impedance) + where);
            break;
        }
    }
    if (!violations.empty()) {
        throw ValidationError(std::move(violations));
    }
}

Vec3 place_on(const FaultFaceShape& face, const std::array<double, 3>& lambda) {
    return lambda[0] * face.corners_m[0] + lambda[1] * face.corners_m[1] +
           lambda[2] * face.corners_m[2];
}

template <class Law>
void step_points(const kernels::FrictionStep& step, double eta, int padded, const double* given,
                 double* kept, const double* locked, double* mean_rate) {
    for (int k = 0; k < padded; k += kPack<double>) {
        kernels::friction_body<Law, Real>(step, eta, given + k, kept + k, locked + k, mean_rate + k,
                                          padded);
    }
}

}  // namespace

FaultFaces::FaultFaces(const FaultSetup& setup, FaultRule rule, std::vector<FaultFaceShape> faces)
    : setup_(setup), rule_(std::move(rule)), faces_(std::move(faces)) {
    check_rule(rule_);
    check_faces(setup_, faces_);
    const std::int64_t n_points = rule_.n_points(), padded = rule_.padded();
    given_.resize(faces_.size() * Given::kFields * padded);
    kept_.resize(faces_.size() * Kept::kFields * padded);
    PointProblems problems;
    parallel_for(
        std::ssize(faces_),
        [&](std::int64_t f) {
            const FaultFaceShape& face = faces_[f];
            PointStart start;
            for (std::int64_t k = 0; k < padded; ++k) {
                if (k < n_points) {
                    start =
                        start_of(setup_, {face.fault, place_on(face, rule_.points[k]), face.normal},
                                 f * n_points + k, problems);
                }
                for (int field = 0; field < Given::kFields; ++field) {
                    given_[(f * Given::kFields + field) * padded + k] = start.given[field];
                }
                for (int field = 0; field < Kept::kFields; ++field) {
                    kept_[(f * Kept::kFields + field) * padded + k] = start.kept[field];
                }
            }
        },
        16);
    std::vector<Violation> violations = problems.violations();
    if (!violations.empty()) {
        throw ValidationError(std::move(violations));
    }
}

bool FaultFaces::step(std::int64_t face, double t_s, double dt_s, const double* locked,
                      double* mean_rate) {
    const kernels::FrictionStep step = friction_step(rule_, setup_, t_s, dt_s);
    const int padded = rule_.padded();
    const auto run = [&]<class Law>() {
        step_points<Law>(step, faces_[face].shear_impedance, padded, given(face).data(),
                         kept(face).data(), locked, mean_rate);
    };
    switch (setup_.laws[faces_[face].fault]) {
        case FrictionLaw::LinearSlipWeakening:
            run.operator()<kernels::SlipWeakening<Real>>();
            break;
        case FrictionLaw::Ageing:
            run.operator()<kernels::RateAndState<Real, kernels::Ageing>>();
            break;
        case FrictionLaw::Slip:
            run.operator()<kernels::RateAndState<Real, kernels::SlipLaw>>();
            break;
        case FrictionLaw::FastVelocityWeakening:
            run.operator()<kernels::RateAndState<Real, kernels::FastWeakening>>();
            break;
    }
    for (int k = 0; k < rule_.n_points(); ++k) {
        if (mean_rate[k] != 0.0 || mean_rate[padded + k] != 0.0) {
            return true;
        }
    }
    return false;
}

std::span<const double> FaultFaces::given(std::int64_t face) const {
    const std::size_t size = static_cast<std::size_t>(Given::kFields) * rule_.padded();
    return {given_.data() + face * size, size};
}
std::span<const double> FaultFaces::kept(std::int64_t face) const {
    const std::size_t size = static_cast<std::size_t>(Kept::kFields) * rule_.padded();
    return {kept_.data() + face * size, size};
}
std::span<double> FaultFaces::kept(std::int64_t face) {
    const std::size_t size = static_cast<std::size_t>(Kept::kFields) * rule_.padded();
    return {kept_.data() + face * size, size};
}

}  // namespace kaname::rupture
