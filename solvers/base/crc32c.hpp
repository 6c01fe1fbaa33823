// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kaname {

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4): the check of a chunk on the wire. "123456789" has
/// 0xe3069283.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes);

/// Computes the CRC-32C on processors that have no instruction for it.
[[nodiscard]] std::uint32_t crc32c_by_tables(std::span<const std::byte> bytes);

}  // namespace kaname
