// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "solvers/device/hd.hpp"
#include "solvers/p2/predictors/sketch_fit.hpp"

namespace kaname::predictors::body {

/// Number i of an image [4][buckets].
struct KeepImage {
    KeepImageArgs args;
    double* before;
    KANAME_HD void operator()(std::int64_t i) const {
        const std::int64_t lane = i / args.buckets;
        const std::int64_t at = i % args.buckets * lanes::kLanes + lane;
        const double image = args.f[at] - args.r[at];
        if (args.x != nullptr) {
            args.x[i] = image - 2.0 * args.newest[i] + before[i];
        }
        before[i] = image;
    }
};

}  // namespace kaname::predictors::body
