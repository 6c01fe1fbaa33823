// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "proto/kaname/v1/report.pb.h"

namespace kaname::cli {

/// Reusable holds the results that a run need not compute again.
struct Reusable {
    bool mesh = false;
    std::int64_t sources = 0;
};

/// "1:40, mostly within 1:10 to 2:20"
[[nodiscard]] std::string time_text(double seconds, double low_s, double high_s);

/// Returns one line on the size of a run, its memory and the time that is left.
[[nodiscard]] std::string outlook(const v1::Estimate& estimate, const Reusable& reusable);

}  // namespace kaname::cli
