// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "proto/kaname/v1/report.pb.h"

namespace kaname::cli {

/// What a run need not do again.
struct Reusable {
    bool mesh = false;
    std::int64_t sources = 0;
};

/// "1:40, mostly within 1:10 to 2:20"
[[nodiscard]] std::string time_text(double seconds, double low_s, double high_s);

/// What is ahead of a run, in one line.
[[nodiscard]] std::string outlook(const v1::Estimate& estimate, const Reusable& reusable);

}  // namespace kaname::cli
