// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace kaname::bench {

/// Multiplications and additions of a whole elastic update of one element and source, as the
/// kernels make them: none is with a zero.
[[nodiscard]] double flops_of_update(int order);

}  // namespace kaname::bench
