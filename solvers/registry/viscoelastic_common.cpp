// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "solvers/base/sha256.hpp"
#include "solvers/registry/viscoelastic_stages.hpp"

namespace kaname::registry {
namespace {

// Of the shortest Maxwell time: above it the trapezoidal rule loses accuracy (docs/theory).
constexpr double kDefaultStep = 0.2;

}  // namespace

Steps time_steps(const GreensJob& job) {
    Steps steps;
    const auto tau = job.structure.shortest_maxwell_time_s();
    steps.shortest_maxwell_time_s = tau.value_or(0.0);
    if (!tau || job.end_s <= 0.0) {
        return steps;
    }
    const double wanted = job.step_s > 0.0 ? job.step_s : kDefaultStep * *tau;
    // A step that divides the end up to rounding must not give one step more.
    constexpr double kRounding = 1e-9;
    steps.n = std::max(1, static_cast<int>(std::ceil(job.end_s / wanted - kRounding)));
    steps.dt_s = job.end_s / steps.n;
    return steps;
}

std::string source_path(const std::string& work_dir, const std::string& source_id) {
    std::string name = source_id;
    std::replace(name.begin(), name.end(), '/', '_');
    return work_dir + "/source_" + name + ".h5";
}

std::string source_key(const GreensJob& job, const std::string& mesh_hash,
                       const std::string& source_id) {
    return sha256_hex(job.solve_key + '\n' + mesh_hash + '\n' + source_id);
}

}  // namespace kaname::registry
