// SPDX-License-Identifier: BSD-3-Clause
#include "server/gateway/sealed.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"

namespace kaname::gateway::sealed_test {
namespace {

class SealedTest : public testing::Test {
protected:
    [[nodiscard]] SealedOptions options(std::size_t most = 10) {
        return {.lifetime_s = 60, .most = most, .file = file_, .clock = [this] { return now_s_; }};
    }

    TemporaryFolder folder_;
    const std::filesystem::path file_ = folder_.path() / "sessions";
    double now_s_ = 1000;
};

TEST_F(SealedTest, ATextIsFoundByItsKeyAlone) {
    Sealed sealed(options());
    const Sealed::Kept kept = sealed.keep("the token");

    EXPECT_EQ(sealed.find(kept.key)->text, "the token");
    EXPECT_EQ(sealed.find(kept.key)->until_s, 1060);
    EXPECT_FALSE(sealed.find(kept.key.substr(1)));
    EXPECT_FALSE(sealed.find(""));
    sealed.drop(kept.key);
    EXPECT_FALSE(sealed.find(kept.key));
}

TEST_F(SealedTest, OfManyWhoDropAKeyOneIsToldThatItWasThere) {
    Sealed sealed(options());
    const std::string key = sealed.keep("the token").key;

    std::atomic<int> n_told = 0;
    {
        std::vector<std::jthread> droppers;
        for (int k = 0; k < 8; ++k) {
            droppers.emplace_back([&] { n_told += sealed.drop(key) ? 1 : 0; });
        }
    }

    EXPECT_EQ(n_told, 1);
}

TEST_F(SealedTest, ItsTimeEnds) {
    Sealed sealed(options());
    const std::string key = sealed.keep("the token").key;

    now_s_ = 1059.9;
    EXPECT_TRUE(sealed.find(key));
    now_s_ = 1060;
    EXPECT_FALSE(sealed.find(key));
}

TEST_F(SealedTest, AFileOutlivesItWithoutTextsOrKeys) {
    std::string key;
    {
        Sealed sealed(options());
        key = sealed.keep("the token").key;
    }
    const std::string text = read_file_if_any(file_);
    EXPECT_EQ(text.find("the token"), std::string::npos);
    EXPECT_EQ(text.find(key), std::string::npos);

    Sealed later(options());

    EXPECT_EQ(later.find(key)->text, "the token");
    now_s_ = 1061;
    EXPECT_FALSE(Sealed(options()).find(key));
}

TEST_F(SealedTest, ADamagedFileCostsLoginsAlone) {
    Sealed sealed(options());
    const std::string key = sealed.keep("the token").key;
    std::string text = read_file_if_any(file_);
    const std::size_t digit = text.find(' ') + 1;
    text[digit] = text[digit] == '0' ? '1' : '0';
    write_file(file_, "no line\n\n" + std::string(64, 'a') + " xyz 5000\n" + text);

    Sealed later(options());

    EXPECT_FALSE(later.find(key));  // its tag does not fit any more
    EXPECT_TRUE(later.find(later.keep("another").key));
}

TEST_F(SealedTest, TheOldestGoesWhenThereAreTooMany) {
    Sealed sealed(options(2));
    const std::string first = sealed.keep("a").key;
    now_s_ += 1;
    const std::string second = sealed.keep("b").key;
    now_s_ += 1;
    const std::string third = sealed.keep("c").key;

    EXPECT_FALSE(sealed.find(first));
    EXPECT_TRUE(sealed.find(second));
    EXPECT_TRUE(sealed.find(third));
}

}  // namespace
}  // namespace kaname::gateway::sealed_test
