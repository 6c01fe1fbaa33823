// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "proto/kaname/v1/record.pb.h"
#include "solvers/base/machine.hpp"

namespace kaname::cli {

/// RunFigures holds the figures of a finished run.
struct RunFigures {
    std::string name, method, started;  ///< started: UTC, ISO 8601
    int ranks = 1, threads = 1;
    std::string device = {};  ///< "cpu", "cuda: NVIDIA H200 (GPU-...)"; empty: nothing was solved
    std::uint32_t dof = 0, sources = 0, epochs = 0, stations = 0, patches = 0;
    double max_displacement_m = 0.0;
    std::string displacement_unit = "m per m of slip";
    double solve_s = 0.0, total_s = 0.0;
    double iterations_per_step = 0.0;
};

/// Returns the contents of summary.json: suite "demo", one row per figure, in the form that
/// kaname-bench writes, so that the two can be compared.
[[nodiscard]] v1::RunSummary summary_of(const RunFigures& run, const Machine& machine);

}  // namespace kaname::cli
