// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname::device {

/// Threads that CPU kernels of this process use; 1 when built without OpenMP.
void set_threads(int n);
[[nodiscard]] int max_threads();

}  // namespace kaname::device
