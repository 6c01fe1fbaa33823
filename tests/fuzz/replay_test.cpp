// SPDX-License-Identifier: BSD-3-Clause
// Seeds and what once crashed as they are, and two thousand inputs made of seeds, in the same order
// at every run. Readers of HDF5, which take milliseconds, see the first 250 of them, and the others
// with deploy/test --full: a fault that only those find is not found before. With clang's libFuzzer
// (preset fuzz, program kaname-fuzz) the same targets run for as long as one likes.
#include <cstdint>
#include <cstdlib>
#include <ostream>

#include <gtest/gtest.h>

#include "solvers/base/error.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/indirect_hdf5.hpp"

namespace kaname::fuzz {

/// For gtest's messages.
void PrintTo(const Target& target, std::ostream* out) {
    *out << target.name;
}

namespace {

bool reads_hdf5(const Target& target) {
    return std::string(target.name).starts_with("hdf5_");
}

/// Returns how many inputs a target gets; KANAME_FUZZ_INPUTS asks for another number.
std::uint64_t inputs_of(const Target& target) {
    const char* wanted = std::getenv("KANAME_FUZZ_INPUTS");
    return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : reads_hdf5(target) ? 250 : 2000;
}

/// Returns the message of an exception that is no Error of Kaname; empty if there is none.
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
    const std::uint64_t most = inputs_of(target);
    for (std::uint64_t number = 1; number <= most; ++number) {
        const std::string input = mutated(target, seeds, number);
        EXPECT_EQ(fault_of(target, input), "") << "input " << number << ":\n" << input;
        if (HasFailure()) {
            return;
        }
    }
    target.run(seeds.front());  // nothing of the others is left
}

/// Every reader of HDF5 goes through the gate of solvers/h5: what it takes it refuses as soon as an
/// object of the file, of whatever name, leads to another file.
TEST_P(Fuzz, ReadsNoFileThatLeadsToAnother) {
    const Target& target = GetParam();
    if (!reads_hdf5(target)) {
        GTEST_SKIP() << "reads no HDF5";
    }
    for (const std::string& seed : seeds_of(target, KANAME_SOURCE_DIR)) {
        for (const auto& [name, kind] : test::kIndirections) {
            const std::string text = [&] {
                try {
                    target.run(seed + "\n" + name + " elsewhere/values 2x2\n");
                } catch (const std::exception& error) {
                    return std::string(error.what());
                }
                return std::string();
            }();
            EXPECT_NE(text.find("'/elsewhere/values': "), std::string::npos) << name << text;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, testing::ValuesIn(targets().begin(), targets().end()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kaname::fuzz
