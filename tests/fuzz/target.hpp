// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kaname::fuzz {

/// A reader of bytes that anybody may have written. It returns or throws kaname::Error; anything
/// else that it does is a fault.
struct Target {
    const char* name;
    void (*run)(std::string_view bytes);
    /// Files of the repository, and tests/fuzz/seeds/NAME.*, from which inputs are made.
    std::vector<const char*> files;
    /// Words of its format, put in by mutations.
    std::vector<const char*> words;
};

[[nodiscard]] std::span<const Target> targets();

/// Its seeds, which it accepts. Throws NotFound when one is missing.
[[nodiscard]] std::vector<std::string> seeds_of(const Target& target,
                                                const std::filesystem::path& source);

/// Inputs that once crashed or hung it, tests/fuzz/regressions/NAME.*.
[[nodiscard]] std::vector<std::string> regressions_of(const Target& target,
                                                      const std::filesystem::path& source);

/// The `number`-th input made of `seeds`, the same everywhere: bytes changed, taken out, doubled,
/// numbers and words put in, two seeds joined.
[[nodiscard]] std::string mutated(const Target& target, std::span<const std::string> seeds,
                                  std::uint64_t number);

}  // namespace kaname::fuzz
