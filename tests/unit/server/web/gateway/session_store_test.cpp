// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/gateway/session_store.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "solvers/base/files.hpp"

namespace kaname::gateway::session_store_test {
namespace {

class SealedTest : public testing::Test {
protected:
    [[nodiscard]] SessionStoreOptions options(std::size_t most = 10) {
        return {.lifetime_s = 60, .most = most, .most_of_owner = 3, .file = file_, .clock = [this] {
                    return now_s_;
                }};
    }

    TemporaryFolder folder_;
    const std::filesystem::path file_ = folder_.path() / "sessions";
    double now_s_ = 1000;
};

TEST_F(SealedTest, ATextIsFoundByItsKeyAlone) {
    SessionStore sealed(options());
    const SessionStore::Kept kept = sealed.keep("the token", "ada");

    EXPECT_EQ(sealed.find(kept.key)->text, "the token");
    EXPECT_EQ(sealed.find(kept.key)->until_s, 1060);
    EXPECT_FALSE(sealed.find(kept.key.substr(1)));
    EXPECT_FALSE(sealed.find(""));
    sealed.drop(kept.key);
    EXPECT_FALSE(sealed.find(kept.key));
}

TEST_F(SealedTest, OfManyWhoDropAKeyOneIsToldThatItWasThere) {
    SessionStore sealed(options());
    const std::string key = sealed.keep("the token", "ada").key;

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
    SessionStore sealed(options());
    const std::string key = sealed.keep("the token", "ada").key;

    now_s_ = 1059.9;
    EXPECT_TRUE(sealed.find(key));
    now_s_ = 1060;
    EXPECT_FALSE(sealed.find(key));
}

TEST_F(SealedTest, AFileOutlivesItWithoutTextsOrKeys) {
    std::string key;
    {
        SessionStore sealed(options());
        key = sealed.keep("the token", "ada").key;
    }
    const std::string text = read_file_if_any(file_);
    EXPECT_EQ(text.find("the token"), std::string::npos);
    EXPECT_EQ(text.find(key), std::string::npos);

    SessionStore later(options());

    EXPECT_EQ(later.find(key)->text, "the token");
    now_s_ = 1061;
    EXPECT_FALSE(SessionStore(options()).find(key));
}

TEST_F(SealedTest, ADamagedFileCostsLoginsAlone) {
    SessionStore sealed(options());
    const std::string key = sealed.keep("the token", "ada").key;
    std::string text = read_file_if_any(file_);
    const std::size_t digit = text.find(' ') + 1;
    text[digit] = text[digit] == '0' ? '1' : '0';
    write_file(file_, "no line\n\n" + std::string(64, 'a') + " xyz 5000\n" + text);

    SessionStore later(options());

    EXPECT_FALSE(later.find(key));  // its tag does not fit any more
    EXPECT_TRUE(later.find(later.keep("another", "ada").key));
}

TEST_F(SealedTest, TheOldestOfWhoHasMostGoesWhenThereAreTooMany) {
    SessionStore sealed(options(3));
    const std::string others = sealed.keep("a", "bob").key;
    now_s_ += 1;
    const std::string first = sealed.keep("b", "ada").key;
    now_s_ += 1;
    const std::string second = sealed.keep("c", "ada").key;
    now_s_ += 1;
    const std::string third = sealed.keep("d", "ada").key;

    EXPECT_TRUE(sealed.find(others));
    EXPECT_FALSE(sealed.find(first));
    EXPECT_TRUE(sealed.find(second));
    EXPECT_TRUE(sealed.find(third));
}

TEST_F(SealedTest, WithTooManyOfAnOwnerTheirOldestGoes) {
    std::string others, first, second;
    {
        SessionStore sealed(options(100));
        others = sealed.keep("a", "bob").key;
        now_s_ += 1;
        first = sealed.keep("b", "ada").key;
        now_s_ += 1;
        second = sealed.keep("c", "ada").key;
    }
    SessionStore sealed(options(100));  // the file knows whose they are
    for (int k = 0; k < 2; ++k) {
        now_s_ += 1;
        (void)sealed.keep("d", "ada");
    }

    EXPECT_TRUE(sealed.find(others));
    EXPECT_FALSE(sealed.find(first));
    EXPECT_TRUE(sealed.find(second));
}

}  // namespace
}  // namespace kaname::gateway::session_store_test
