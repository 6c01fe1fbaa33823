// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/rupture/fault_faces.hpp"
#include "solvers/rupture/fault_setup.hpp"
#include "solvers/rupture/kernels/friction_body.hpp"

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

/// A point's numbers before the first step.
struct PointStart {
    std::array<double, Given::kFields> given{};
    std::array<double, Kept::kFields> kept{};
};

/// Numbers of point `number`; what is wrong with it is told to `problems`.
[[nodiscard]] PointStart start_of(const FaultSetup& setup, const FaultPlace& place,
                                  std::int64_t number, PointProblems& problems);

/// Returns the numbers of a step from t_s on that points need. Rates are taken to be linear in time
/// between the nodes, also from a step's last one to the next one's first.
[[nodiscard]] kernels::FrictionStep friction_step(const FaultRule& rule, const FaultSetup& setup,
                                                  double t_s, double dt_s);

}  // namespace kaname::rupture
