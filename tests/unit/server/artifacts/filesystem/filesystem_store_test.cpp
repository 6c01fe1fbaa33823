// SPDX-License-Identifier: BSD-3-Clause
#include "server/artifacts/filesystem/filesystem_store.hpp"

#include <csignal>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "server/artifacts/filesystem/file.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::artifacts::filesystem_store_test {
namespace {

namespace fs = std::filesystem;

class FilesystemStoreTest : public testing::Test {
protected:
    void SetUp() override { options_.min_free_bytes = 0; }
    static void put(FilesystemStore& store, std::string_view text) {
        const auto upload = store.begin_put(sha256_hex(text), text.size());
        upload->write(0, std::as_bytes(std::span(text)));
        upload->commit();
    }

    support::TemporaryFolder temporary_;
    const fs::path& folder_ = temporary_.path();
    StoreOptions options_;
};

TEST_F(FilesystemStoreTest, FlippedByteOnDiskIsReportedAsDataLoss) {
    FilesystemStore store(folder_, options_);
    put(store, "abcdef");
    const fs::path path = store.object_path(sha256_hex("abcdef"));
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(3).put('X');

    try {
        store.verify(sha256_hex("abcdef"));
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::DataLoss);
        EXPECT_NE(std::string(error.what()).find("content hash"), std::string::npos);
    }
}

TEST_F(FilesystemStoreTest, ADamagedFileIsSetAsideAndCanBePutAnew) {
    FilesystemStore store(folder_, options_);
    const std::string hash = sha256_hex("abcdef");
    put(store, "abcdef");
    store.verify_or_set_aside(hash);
    ASSERT_TRUE(store.exists(hash));
    const fs::path path = store.object_path(hash);
    fs::permissions(path, fs::perms::owner_write, fs::perm_options::add);
    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(3).put('X');

    EXPECT_THROW(store.verify_or_set_aside(hash), Error);

    EXPECT_FALSE(store.exists(hash));
    EXPECT_EQ(read_file_if_any((folder_ / "damaged" / hash).string()), "abcXef");
    put(store, "abcdef");
    store.verify(hash);
}

TEST_F(FilesystemStoreTest, TruncationUnderAReaderIsReportedAsDataLoss) {
    FilesystemStore store(folder_, options_);
    put(store, "abcdef");
    const auto reader = store.open(sha256_hex("abcdef"));
    fs::resize_file(store.object_path(sha256_hex("abcdef")), 2);
    std::vector<std::byte> buffer(6);

    EXPECT_THROW(reader->read(0, buffer), Error);
}

TEST_F(FilesystemStoreTest, ContentSurvivesReopening) {
    {
        FilesystemStore store(folder_, options_);
        put(store, "abc");
        const std::string_view part = "de";
        store.begin_put(sha256_hex("defg"), 4)->write(0, std::as_bytes(std::span(part)));
    }

    FilesystemStore again(folder_, options_);

    again.verify(sha256_hex("abc"));
    EXPECT_EQ(again.begin_put(sha256_hex("defg"), 4)->offset(), 2U);
}

TEST_F(FilesystemStoreTest, TwoStoresOnOneRootLockTheirUploads) {
    FilesystemStore first(folder_, options_);
    FilesystemStore second(folder_, options_);
    const auto held = first.begin_put(sha256_hex("abc"), 3);
    const std::string_view part = "ab";
    held->write(0, std::as_bytes(std::span(part)));

    EXPECT_EQ(second.begin_put(sha256_hex("abc"), 3)->offset(), 0U);
}

TEST_F(FilesystemStoreTest, ArtifactsAreReadOnlyAndFoldersPrivate) {
    FilesystemStore store(folder_ / "a" / "b", options_);
    put(store, "abc");
    struct stat file {};
    struct stat root {};
    ASSERT_EQ(::stat(store.object_path(sha256_hex("abc")).c_str(), &file), 0);
    ASSERT_EQ(::stat((folder_ / "a" / "b").c_str(), &root), 0);

    EXPECT_EQ(file.st_mode & 0777U, 0400U);
    EXPECT_EQ(root.st_mode & 0777U, 0700U);
}

TEST_F(FilesystemStoreTest, RootThatCannotBeMadeIsNamed) {
    std::ofstream(folder_ / "file") << "x";

    try {
        FilesystemStore store(folder_ / "file" / "store", options_);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
        EXPECT_NE(std::string(error.what()).find("file/store"), std::string::npos);
    }
}

TEST_F(FilesystemStoreTest, ADiskThatTakesNoMoreIsExhaustedWithFolderAndRoom) {
    FilesystemStore store(folder_, options_);
    const std::string_view text = "abcdef";
    const auto upload = store.begin_put(sha256_hex(text), text.size());
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit two_bytes{2, before.rlim_max};
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &two_bytes), 0);
    std::optional<Error> refusal;
    try {
        upload->write(0, std::as_bytes(std::span(text)));
    } catch (const Error& error) {
        refusal = error;
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);

    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->code(), ErrorCode::Exhausted);
    const std::string message = refusal->what();
    EXPECT_NE(message.find(folder_.string()), std::string::npos) << message;
    EXPECT_NE(message.find(" bytes free"), std::string::npos) << message;
}

TEST_F(FilesystemStoreTest, AFolderHasOneIdHoweverManyComeFirst) {
    std::vector<std::string> ids(8);
    {
        std::vector<std::jthread> servers;
        for (std::string& id : ids) {
            servers.emplace_back([&] { id = store_id_of(folder_ / "store"); });
        }
    }

    EXPECT_EQ(ids.front().size(), 36U);
    for (const std::string& id : ids) {
        EXPECT_EQ(id, ids.front());
    }
    EXPECT_NE(store_id_of(folder_ / "other"), ids.front());
    const auto left = std::distance(fs::directory_iterator(folder_ / "store"), {});
    EXPECT_EQ(left, 1) << "the id alone";
}

TEST_F(FilesystemStoreTest, AnIdThatIsNoneIsNamed) {
    std::ofstream(folder_ / "store_id") << "not a UUID\n";

    try {
        (void)store_id_of(folder_);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::DataLoss);
        EXPECT_NE(std::string(error.what()).find("store_id: must hold the UUID"),
                  std::string::npos);
        EXPECT_NE(std::string(error.what()).find("not a UUID"), std::string::npos);
    }
}

}  // namespace
}  // namespace kaname::artifacts::filesystem_store_test
