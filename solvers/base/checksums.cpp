// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/checksums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname {
namespace {

// FIPS 180-4, section 4.2.2: fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
// Section 5.3.3: fractional parts of the square roots of the first 8 primes.
constexpr std::array<std::uint32_t, 8> kInitial = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

}  // namespace

Sha256::Sha256() : state_(kInitial) {}

void Sha256::compress(const std::byte* block) {
    std::array<std::uint32_t, 64> w;
    for (std::size_t t = 0; t < 16; ++t) {
        w[t] = 0;
        for (std::size_t byte = 0; byte < 4; ++byte) {
            w[t] = w[t] << 8 | std::to_integer<std::uint32_t>(block[4 * t + byte]);
        }
    }
    for (std::size_t t = 16; t < 64; ++t) {
        const std::uint32_t s0 =
            std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
        const std::uint32_t s1 =
            std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = state_;
    for (std::size_t t = 0; t < 64; ++t) {
        const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
        const std::uint32_t choose = (e & f) ^ (~e & g);
        const std::uint32_t t1 = h + sum1 + choose + kRound[t] + w[t];
        const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
        const std::uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + sum0 + majority;
    }
    const std::array<std::uint32_t, 8> add = {a, b, c, d, e, f, g, h};
    for (std::size_t word = 0; word < 8; ++word) {
        state_[word] += add[word];
    }
}

void Sha256::update(std::span<const std::byte> bytes) {
    n_bytes_ += bytes.size();
    if (n_pending_ > 0) {
        const std::size_t take = std::min(kBlock - n_pending_, bytes.size());
        std::copy_n(bytes.begin(), take, pending_.begin() + n_pending_);
        n_pending_ += take;
        bytes = bytes.subspan(take);
        if (n_pending_ < kBlock) {
            return;
        }
        compress(pending_.data());
        n_pending_ = 0;
    }
    while (bytes.size() >= kBlock) {
        compress(bytes.data());
        bytes = bytes.subspan(kBlock);
    }
    std::copy(bytes.begin(), bytes.end(), pending_.begin());
    n_pending_ = bytes.size();
}

void Sha256::update(std::string_view text) {
    update(std::as_bytes(std::span(text.data(), text.size())));
}

std::string Sha256::hex() const {
    Sha256 last = *this;
    // One 1-bit, zeros up to 8 bytes short of a block, the message's length in bits.
    std::vector<std::byte> padding(1, std::byte{0x80});
    while ((n_bytes_ + padding.size()) % kBlock != kBlock - 8) {
        padding.push_back(std::byte{0});
    }
    for (int shift = 56; shift >= 0; shift -= 8) {
        padding.push_back(static_cast<std::byte>(n_bytes_ * 8 >> shift));
    }
    last.update(padding);

    std::string text;
    for (const std::uint32_t word : last.state_) {
        for (int shift = 28; shift >= 0; shift -= 4) {
            text += "0123456789abcdef"[word >> shift & 0xf];
        }
    }
    return text;
}

std::string sha256_hex(std::string_view text) {
    Sha256 hash;
    hash.update(text);
    return hash.hex();
}

std::string sha256_file(const std::string& path) {
    // A directory opens as a stream but cannot be read.
    std::error_code ignored;
    std::ifstream in(path, std::ios::binary);
    if (!in || std::filesystem::is_directory(path, ignored)) {
        throw Error(ErrorCode::NotFound, "cannot open file '" + path + "'");
    }
    Sha256 hash;
    std::vector<char> piece(1 << 16);
    while (in) {
        in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        hash.update(std::string_view(piece.data(), static_cast<std::size_t>(in.gcount())));
    }
    if (in.bad()) {
        throw Error(ErrorCode::Unavailable, "reading file '" + path + "' failed");
    }
    return hash.hex();
}

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
