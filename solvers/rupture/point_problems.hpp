// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"

namespace kaname::rupture {

/// PointProblems collects broken rules at points of faults: for each field the first point,
/// whatever the order in which they are checked, and how many there are. Several threads may add to
/// it.
class PointProblems {
public:
    /// A field's rule that point `number` at a place breaks.
    void add(const std::string& field, const std::string& rule, double value, std::int64_t number,
             const Vec3& at);
    [[nodiscard]] std::vector<Violation> violations() const;

private:
    struct Problem {
        std::string rule;
        double value = 0.0;
        std::int64_t number = 0, count = 0;
        Vec3 at;
    };
    std::mutex mutex_;
    std::map<std::string, Problem> problems_;
};

}  // namespace kaname::rupture
