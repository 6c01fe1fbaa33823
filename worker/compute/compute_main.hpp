// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "worker/compute/kind.hpp"

namespace kaname::compute {

/// kaname-compute with the verbs of these kinds of request; returns its exit code.
int compute_main(int argc, const char* const* argv, std::span<const Kind* const> kinds);

}  // namespace kaname::compute
