// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "proto/kaname/v1/source_time.pb.h"
#include "proto/spec/form/rules.hpp"

namespace kaname::spec {

/// The kind is one, and just the numbers that belong to it are given and in their range.
void check_time_function(const v1::TimeFunction& function, const std::string& path, Rules& rules);

}  // namespace kaname::spec
