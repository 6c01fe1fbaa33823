// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace kaname {

/// A place at which a crash must do no harm; tests/e2e/chaos crashes here. The environment variable
/// KANAME_FAIL_POINT="NAME:N" ends this process by SIGKILL at its N-th pass of point NAME; without
/// it nothing happens. Safe from any thread. The points are listed in docs/operations.md.
void fail_point(std::string_view name);

}  // namespace kaname
