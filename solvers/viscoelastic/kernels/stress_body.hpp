// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solvers/device/hd.hpp"

namespace kaname::viscoelastic {

/// sigma - relax dev(sigma), in place; `whole`: sigma - relax sigma.
template <class V>
KANAME_HD inline void relax_stress(V (&s)[6], double relax, bool whole) {
    const V mean = whole ? V{} : V((s[0] + s[1] + s[2]) / 3.0);
    KANAME_UNROLL(6)
    for (int c = 0; c < 6; ++c) {
        s[c] -= relax * (c < 3 ? V(s[c] - mean) : s[c]);
    }
}

}  // namespace kaname::viscoelastic
