// SPDX-License-Identifier: BSD-3-Clause
#include "tests/bench/service/rows.hpp"

#include <algorithm>
#include <cstdio>

namespace kaname::bench {

double quantile(std::vector<double> values, double share) {
    std::ranges::sort(values);
    const double at = share * static_cast<double>(values.size() - 1);
    return values[static_cast<std::size_t>(at + 0.5)];
}

void Bench::add(const std::string& method, const std::string& metric, const std::string& unit,
                double value) const {
    Row row;
    row.model = name;
    row.method = method;
    report.add(row, metric, unit, {value, 0.0, 1});
    std::fprintf(stderr, "%s %s %s: %.4g %s\n", name.c_str(), method.c_str(), metric.c_str(), value,
                 unit.c_str());
    save(report);
}

}  // namespace kaname::bench
