// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/rupture/point_problems.hpp"

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

}  // namespace kaname::rupture
