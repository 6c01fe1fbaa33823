// SPDX-License-Identifier: BSD-3-Clause
// Seeds and what once crashed as they are, and up to two thousand inputs made of seeds, in the same
// order at every run. With clang's libFuzzer (preset fuzz, program kaname-fuzz) the same targets
// run for as long as one likes.
#include <chrono>
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

/// The next inputs: 2000, or those of five seconds where a reader is slow. KANAME_FUZZ_INPUTS asks
/// for another number, however long they take.
class Inputs {
public:
    [[nodiscard]] bool next() {
        const bool in_time = wanted_ != nullptr || number_ < 100 ||
                             std::chrono::steady_clock::now() - began_ < std::chrono::seconds(5);
        return in_time && number_++ < most_;
    }
    [[nodiscard]] std::uint64_t number() const { return number_; }

private:
    const char* wanted_ = std::getenv("KANAME_FUZZ_INPUTS");
    std::uint64_t most_ = wanted_ == nullptr ? 2000 : std::strtoull(wanted_, nullptr, 10);
    std::uint64_t number_ = 0;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

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
    for (Inputs inputs; inputs.next();) {
        const std::string input = mutated(target, seeds, inputs.number());
        EXPECT_EQ(fault_of(target, input), "") << "input " << inputs.number() << ":\n" << input;
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
    if (!std::string(target.name).starts_with("hdf5_")) {
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
