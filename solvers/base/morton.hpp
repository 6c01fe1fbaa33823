// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace kaname {

/// Every third bit of 21.
[[nodiscard]] inline std::uint64_t spread_bits(std::uint64_t x) {
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    x = (x | x << 2) & 0x1249249249249249;
    return x;
}

/// Place along the curve that visits near points near each other; coordinates of 21 bits.
[[nodiscard]] inline std::uint64_t morton(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
    return spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2;
}

}  // namespace kaname
