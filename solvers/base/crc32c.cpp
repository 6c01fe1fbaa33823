// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/crc32c.hpp"

#include <array>
#include <cstring>

namespace kaname {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected 0x1edc6f41
constexpr int kSlices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

// tables[k][b]: the remainder of byte b followed by k zero bytes.
constexpr Tables make_tables() {
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
        }
        tables[0][byte] = crc;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[slice - 1][byte];
            tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
    }
    return tables;
}

constexpr Tables kTables = make_tables();

#ifdef __x86_64__
/// By the processor's own instruction, eight bytes in three cycles.
__attribute__((target("sse4.2"))) std::uint32_t crc32c_of_sse42(std::span<const std::byte> bytes) {
    std::uint64_t crc = 0xffffffff;
    std::uint64_t word = 0;
    for (; bytes.size() >= sizeof word; bytes = bytes.subspan(sizeof word)) {
        std::memcpy(&word, bytes.data(), sizeof word);
        crc = __builtin_ia32_crc32di(crc, word);
    }
    auto rest = static_cast<std::uint32_t>(crc);
    for (const std::byte byte : bytes) {
        rest = __builtin_ia32_crc32qi(rest, static_cast<std::uint8_t>(byte));
    }
    return ~rest;
}
#endif

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
#ifdef __x86_64__
    static const bool has_sse42 = __builtin_cpu_supports("sse4.2") != 0;
    if (has_sse42) {
        return crc32c_of_sse42(bytes);
    }
#endif
    return crc32c_by_tables(bytes);
}

std::uint32_t crc32c_by_tables(std::span<const std::byte> bytes) {
    std::uint32_t crc = 0xffffffff;
    const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(bytes[i]); };
    // Eight bytes at a time: eight lookups that do not wait for each other.
    while (bytes.size() >= kSlices) {
        crc ^= at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24;
        crc = kTables[7][crc & 0xff] ^ kTables[6][crc >> 8 & 0xff] ^ kTables[5][crc >> 16 & 0xff] ^
              kTables[4][crc >> 24] ^ kTables[3][at(4)] ^ kTables[2][at(5)] ^ kTables[1][at(6)] ^
              kTables[0][at(7)];
        bytes = bytes.subspan(kSlices);
    }
    for (const std::byte byte : bytes) {
        crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<std::uint32_t>(byte)) & 0xff];
    }
    return ~crc;
}

}  // namespace kaname
