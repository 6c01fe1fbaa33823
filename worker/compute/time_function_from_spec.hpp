// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/source_time.pb.h"
#include "solvers/source_time/time_function.hpp"

namespace kaname::compute {

/// A checked time function, with the defaults of what it leaves out.
[[nodiscard]] source_time::TimeFunction time_function_of(const v1::TimeFunction& function);

}  // namespace kaname::compute
