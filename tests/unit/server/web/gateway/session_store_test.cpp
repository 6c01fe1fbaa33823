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
    SessionStore sessions(options());
    const SessionStore::Kept kept = sessions.keep("the token", "ada");

    EXPECT_EQ(sessions.find(kept.key)->text, "the token");
    EXPECT_EQ(sessions.find(kept.key)->until_s, 1060);
    EXPECT_FALSE(sessions.find(kept.key.substr(1)));
    EXPECT_FALSE(sessions.find(""));
    sessions.drop(kept.key);
    EXPECT_FALSE(sessions.find(kept.key));
}

TEST_F(SealedTest, OfManyWhoDropAKeyOneIsToldThatItWasThere) {
    SessionStore sessions(options());
    const std::string key = sessions.keep("the token", "ada").key;

    std::atomic<int> n_told = 0;
    {
        std::vector<std::jthread> droppers;
        for (int k = 0; k < 8; ++k) {
            droppers.emplace_back([&] { n_told += sessions.drop(key) ? 1 : 0; });
        }
    }

    EXPECT_EQ(n_told, 1);
}

TEST_F(SealedTest, ItsTimeEnds) {
    SessionStore sessions(options());
    const std::string key = sessions.keep("the token", "ada").key;

    now_s_ = 1059.9;
    EXPECT_TRUE(sessions.find(key));
    now_s_ = 1060;
    EXPECT_FALSE(sessions.find(key));
}

TEST_F(SealedTest, AFileOutlivesItWithoutTextsOrKeys) {
    std::string key;
    {
        SessionStore sessions(options());
        key = sessions.keep("the token", "ada").key;
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
    SessionStore sessions(options());
    const std::string key = sessions.keep("the token", "ada").key;
    std::string text = read_file_if_any(file_);
    const std::size_t digit = text.find(' ') + 1;
    text[digit] = text[digit] == '0' ? '1' : '0';
    write_file(file_, "no line\n\n" + std::string(64, 'a') + " xyz 5000\n" + text);

    SessionStore later(options());

    EXPECT_FALSE(later.find(key));  // its tag does not fit any more
    EXPECT_TRUE(later.find(later.keep("another", "ada").key));
}

TEST_F(SealedTest, TheOldestOfWhoHasMostGoesWhenThereAreTooMany) {
    SessionStore sessions(options(3));
    const std::string others = sessions.keep("a", "bob").key;
    now_s_ += 1;
    const std::string first = sessions.keep("b", "ada").key;
    now_s_ += 1;
    const std::string second = sessions.keep("c", "ada").key;
    now_s_ += 1;
    const std::string third = sessions.keep("d", "ada").key;

    EXPECT_TRUE(sessions.find(others));
    EXPECT_FALSE(sessions.find(first));
    EXPECT_TRUE(sessions.find(second));
    EXPECT_TRUE(sessions.find(third));
}

TEST_F(SealedTest, WithTooManyOfAnOwnerTheirOldestGoes) {
    std::string others, first, second;
    {
        SessionStore sessions(options(100));
        others = sessions.keep("a", "bob").key;
        now_s_ += 1;
        first = sessions.keep("b", "ada").key;
        now_s_ += 1;
        second = sessions.keep("c", "ada").key;
    }
    SessionStore sessions(options(100));  // the file knows whose they are
    for (int k = 0; k < 2; ++k) {
        now_s_ += 1;
        (void)sessions.keep("d", "ada");
    }

    EXPECT_TRUE(sessions.find(others));
    EXPECT_FALSE(sessions.find(first));
    EXPECT_TRUE(sessions.find(second));
}

}  // namespace
}  // namespace kaname::gateway::session_store_test
