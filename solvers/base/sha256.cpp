// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/sha256.hpp"

#include <algorithm>
#include <bit>
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

}  // namespace kaname
