// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/uuid.hpp"

#include <cstdint>
#include <cstdio>
#include <random>

namespace kaname {

std::string make_uuid() {
    thread_local std::mt19937_64 random{[] {
        std::random_device device;
        std::seed_seq seed{device(), device(), device(), device(), device(), device()};
        return std::mt19937_64(seed);
    }()};
    // RFC 4122: version 4 in the high half, variant 10 in the low half.
    const std::uint64_t high = (random() & ~0xf000ULL) | 0x4000ULL;
    const std::uint64_t low = (random() & ~(3ULL << 62)) | (2ULL << 62);
    char text[37];
    std::snprintf(text, sizeof text, "%08x-%04x-%04x-%04x-%012llx",
                  static_cast<unsigned>(high >> 32), static_cast<unsigned>(high >> 16 & 0xffff),
                  static_cast<unsigned>(high & 0xffff), static_cast<unsigned>(low >> 48),
                  static_cast<unsigned long long>(low & 0xffffffffffffULL));
    return text;
}

}  // namespace kaname
