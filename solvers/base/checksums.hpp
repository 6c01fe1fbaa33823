// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kaname {

/// SHA-256 (FIPS 180-4) of bytes that arrive in pieces.
class Sha256 {
public:
    Sha256();

    void update(std::span<const std::byte> bytes);
    void update(std::string_view text);
    /// 64 lower-case hexadecimal digits of everything given so far; more may follow.
    [[nodiscard]] std::string hex() const;

private:
    static constexpr std::size_t kBlock = 64;
    void compress(const std::byte* block);

    std::array<std::uint32_t, 8> state_;
    std::array<std::byte, kBlock> pending_{};
    std::size_t n_pending_ = 0;
    std::uint64_t n_bytes_ = 0;
};

[[nodiscard]] std::string sha256_hex(std::string_view text);
/// Hash of a file's bytes, read in pieces. Throws NotFound when it cannot be opened, Unavailable
/// when reading fails; both name the path.
[[nodiscard]] std::string sha256_file(const std::string& path);

/// CRC-32C (Castagnoli, RFC 3720 appendix B.4): the check of a chunk on the wire. "123456789" has
/// 0xe3069283.
[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes);

/// Computes the CRC-32C on processors that have no instruction for it.
[[nodiscard]] std::uint32_t crc32c_by_tables(std::span<const std::byte> bytes);

}  // namespace kaname
