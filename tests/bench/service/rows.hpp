// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "tests/bench/suites.hpp"

namespace kaname::bench {

/// The value below which `share` of the samples lie.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// Where a part of the suite puts its figures, each measured once.
struct Bench {
    const Options& options;
    Report& report;
    std::string name;  ///< "case" of the rows

    void add(const std::string& method, const std::string& metric, const std::string& unit,
             double value) const;
};

/// The figures that need the whole server: streams, submits, agents.
void run_api(const Bench& bench, int scale);
/// Lists of `n` datasets, by each filter.
void run_dataset_lists(const Bench& bench, int n);

}  // namespace kaname::bench
