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
/// Bytes of each of three streams that are hashed at once and then put together.
constexpr std::size_t kStream = 4096;

/// Shift maps a remainder to the one after kStream zero bytes. The map is linear, so it is a sum
/// over the remainder's four bytes.
using Shift = std::array<std::array<std::uint32_t, 256>, 4>;
Shift make_shift() {
    std::array<std::uint32_t, 32> of_bit{};
    for (std::size_t bit = 0; bit < 32; ++bit) {
        std::uint32_t crc = std::uint32_t{1} << bit;
        for (std::size_t byte = 0; byte < kStream; ++byte) {
            crc = (crc >> 8) ^ kTables[0][crc & 0xff];
        }
        of_bit[bit] = crc;
    }
    Shift shift{};
    for (std::size_t place = 0; place < 4; ++place) {
        for (std::size_t value = 0; value < 256; ++value) {
            for (std::size_t bit = 0; bit < 8; ++bit) {
                shift[place][value] ^= (value >> bit & 1) != 0 ? of_bit[8 * place + bit] : 0;
            }
        }
    }
    return shift;
}

std::uint64_t shifted(const Shift& shift, std::uint64_t crc) {
    return shift[0][crc & 0xff] ^ shift[1][crc >> 8 & 0xff] ^ shift[2][crc >> 16 & 0xff] ^
           shift[3][crc >> 24 & 0xff];
}

/// By the processor's own instruction: eight bytes in three cycles, which three streams share.
__attribute__((target("sse4.2"))) std::uint32_t crc32c_of_sse42(std::span<const std::byte> bytes) {
    std::uint64_t crc = 0xffffffff;
    std::uint64_t word = 0;
    if (bytes.size() >= 3 * kStream) {
        static const Shift shift = make_shift();
        for (; bytes.size() >= 3 * kStream; bytes = bytes.subspan(3 * kStream)) {
            std::uint64_t second = 0, third = 0, words[2];
            for (std::size_t at = 0; at < kStream; at += sizeof word) {
                std::memcpy(&word, &bytes[at], sizeof word);
                std::memcpy(&words[0], &bytes[kStream + at], sizeof word);
                std::memcpy(&words[1], &bytes[2 * kStream + at], sizeof word);
                crc = __builtin_ia32_crc32di(crc, word);
                second = __builtin_ia32_crc32di(second, words[0]);
                third = __builtin_ia32_crc32di(third, words[1]);
            }
            crc = shifted(shift, shifted(shift, crc) ^ second) ^ third;
        }
    }
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
