// SPDX-License-Identifier: BSD-3-Clause
// Seeds and what once crashed as they are, and some thousand inputs made of seeds, the same at
// every run. With clang's libFuzzer (preset fuzz, program kaname-fuzz) the same targets run for as
// long as one likes.
#include <cstdint>
#include <cstdlib>
#include <ostream>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/fuzz/target.hpp"

namespace kaname::fuzz {

/// For gtest's messages.
void PrintTo(const Target& target, std::ostream* out) {
    *out << target.name;
}

namespace {

// KANAME_FUZZ_INPUTS: another number of inputs.
std::uint64_t n_inputs() {
    const char* wanted = std::getenv("KANAME_FUZZ_INPUTS");
    return wanted == nullptr ? 2000 : std::strtoull(wanted, nullptr, 10);
}

/// What it threw that is no Error of ours; empty: nothing.
std::string fault_of(const Target& target, const std::string& input) {
    try {
        target.run(input);
    } catch (const Error&) {
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

class Fuzz : public testing::TestWithParam<Target> {};

TEST_P(Fuzz, ReadsWhateverItGets) {
    const Target& target = GetParam();
    const std::vector<std::string> seeds = seeds_of(target, KANAME_SOURCE_DIR);
    ASSERT_FALSE(seeds.empty());
    std::size_t n_read = 0;
    for (const std::string& seed : seeds) {
        try {
            target.run(seed);
            ++n_read;
        } catch (const Error& error) {
            ADD_FAILURE() << "a seed is refused: " << error.what();
        }
    }
    EXPECT_EQ(n_read, seeds.size());
    for (const std::string& input : regressions_of(target, KANAME_SOURCE_DIR)) {
        EXPECT_EQ(fault_of(target, input), "") << input;
    }
    for (std::uint64_t number = 0; number < n_inputs(); ++number) {
        const std::string input = mutated(target, seeds, number);
        EXPECT_EQ(fault_of(target, input), "") << "input " << number << ":\n" << input;
        if (HasFailure()) {
            return;
        }
    }
    target.run(seeds.front());  // nothing of the others is left
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kaname::fuzz
