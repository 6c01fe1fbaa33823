// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/worker/agent/lease/pack_of_two.hpp"
#include "worker/agent/lease/held_tasks.hpp"

namespace kaname::agent::input_cache_test {
namespace {

namespace fs = std::filesystem;

TEST_F(CacheTest, AFileIsFetchedOnce) {
    const std::string hash = client_.add_file("slab");

    EXPECT_EQ(read_file_if_any(cache_.get(hash)), "slab");
    EXPECT_EQ(read_file_if_any(cache_.get(hash)), "slab");

    EXPECT_EQ(client_.n_fetches, 1);
}

TEST_F(CacheTest, APartIsContinuedAndADamagedOneFetchedAnew) {
    const std::string hash = client_.add_file("slab geometry");
    write_file(folder_.path() / "cache" / (hash + ".part"), "slab");
    EXPECT_EQ(read_file_if_any(cache_.get(hash)), "slab geometry");
    EXPECT_EQ(client_.n_fetches, 1);

    const std::string other = client_.add_file("other geometry");
    write_file(folder_.path() / "cache" / (other + ".part"), "OTHER");
    EXPECT_EQ(read_file_if_any(cache_.get(other)), "other geometry");
    EXPECT_EQ(client_.n_fetches, 3);
}

TEST_F(CacheTest, BytesOfAnotherHashAreRefused) {
    const std::string hash = client_.add_file("slab");
    client_.files[hash] = "Slab";

    try {
        (void)cache_.get(hash);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::DataLoss);
    }
}

TEST_F(CacheTest, AFileDamagedOnTheServerIsToldInTheServersWords) {
    const std::string hash = client_.add_file("slab");
    client_.files[hash] = "Slab";
    client_.damaged = {hash};

    try {
        (void)cache_.get(hash);
        FAIL();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "damaged on the server's disk");
    }
}

TEST_F(CacheTest, TheLeastRecentlyUsedGoFirst) {
    const std::string old = client_.add_file(std::string(600, 'o'));
    const std::string used = client_.add_file(std::string(300, 'u'));
    const std::string fresh = client_.add_file(std::string(300, 'f'));
    const auto back = [&](const std::string& hash, int hours) {
        fs::last_write_time(cache_.path_of(hash),
                            fs::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    for (const std::string& hash : {old, used, fresh}) {
        (void)cache_.get(hash);
        back(hash, 3);
    }
    (void)cache_.get(used);

    cache_.trim();

    EXPECT_TRUE(fs::exists(cache_.path_of(used)));
    EXPECT_EQ(fs::exists(cache_.path_of(old)) + fs::exists(cache_.path_of(fresh)), 1);
}

}  // namespace
}  // namespace kaname::agent::input_cache_test
