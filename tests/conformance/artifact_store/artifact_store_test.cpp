// SPDX-License-Identifier: BSD-3-Clause
#include "server/artifacts/artifact_store.hpp"

#include <atomic>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include "server/artifacts/filesystem/filesystem_store.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/memory_artifacts/memory_store.hpp"
#include "tests/support/temporary_folder.hpp"

namespace kaname::artifacts::artifact_store_test {
namespace {

using std::chrono::hours;

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

std::string text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Call>
ErrorCode code_of(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.code();
    }
    ADD_FAILURE() << "no error";
    return ErrorCode::Internal;
}

/// Space and time that a test sets.
struct World {
    std::atomic<std::uint64_t> free_bytes{1U << 30U};
    std::chrono::seconds later{0};

    StoreOptions options() {
        StoreOptions result;
        result.max_upload_bytes = 1U << 20U;
        result.min_free_bytes = 1000;
        result.partial_lifetime = hours(1);
        result.now = [this] { return std::chrono::system_clock::now() + later; };
        result.free_bytes = [this] { return free_bytes.load(); };
        return result;
    }
};

class ArtifactStoreSuite : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        if (GetParam() == "memory") {
            store_ = std::make_unique<memory::MemoryStore>(world_.options());
            return;
        }
        store_ = std::make_unique<FilesystemStore>(folder_.path("new/store"), world_.options());
    }
    void put(const std::string& text) {
        const std::unique_ptr<Upload> upload = store_->begin_put(sha256_hex(text), text.size());
        upload->write(0, bytes_of(text));
        upload->commit();
    }

    World world_;
    support::TemporaryFolder folder_;
    std::unique_ptr<ArtifactStore> store_;
};

TEST_P(ArtifactStoreSuite, CommittedBytesReadBack) {
    const std::string text = "displacement of the sea floor";
    const std::string hash = sha256_hex(text);

    put(text);

    EXPECT_EQ(store_->size(hash), text.size());
    EXPECT_EQ(text_of(store_->read(hash, 0, 1000)), text);
    EXPECT_EQ(text_of(store_->read(hash, 20, 3)), "sea");
    store_->verify(hash);
}

TEST_P(ArtifactStoreSuite, EmptyArtifactIsLegal) {
    put("");

    EXPECT_EQ(store_->size(sha256_hex("")), 0U);
    EXPECT_TRUE(store_->read(sha256_hex(""), 0, 10).empty());
}

TEST_P(ArtifactStoreSuite, LocalFileHasTheBytesWhileTheArtifactIsHere) {
    put("abc");

    const std::filesystem::path file = store_->local_file(sha256_hex("abc"));
    EXPECT_EQ(sha256_file(file.string()), sha256_hex("abc"));

    EXPECT_TRUE(store_->remove(sha256_hex("abc")));
    EXPECT_EQ(code_of([&] { (void)store_->local_file(sha256_hex("abc")); }), ErrorCode::NotFound);
    EXPECT_EQ(code_of([&] { (void)store_->local_file("abc"); }), ErrorCode::InvalidArgument);
}

TEST_P(ArtifactStoreSuite, NothingIsVisibleBeforeCommit) {
    const std::string hash = sha256_hex("abc");

    const std::unique_ptr<Upload> upload = store_->begin_put(hash, 3);
    upload->write(0, bytes_of("abc"));

    EXPECT_FALSE(store_->exists(hash));
    EXPECT_TRUE(store_->list().empty());
    EXPECT_EQ(code_of([&] { (void)store_->open(hash); }), ErrorCode::NotFound);
}

TEST_P(ArtifactStoreSuite, DroppedUploadResumesWhereItEnded) {
    const std::string hash = sha256_hex("abcdef");
    store_->begin_put(hash, 6)->write(0, bytes_of("abcd"));

    const std::unique_ptr<Upload> upload = store_->begin_put(hash, 6);
    EXPECT_EQ(upload->offset(), 4U);
    upload->write(4, bytes_of("ef"));
    upload->commit();

    EXPECT_EQ(text_of(store_->read(hash, 0, 6)), "abcdef");
}

TEST_P(ArtifactStoreSuite, LookingUpMakesNothing) {
    const std::string hash = sha256_hex("abcdef");
    for (int k = 0; k < 100; ++k) {
        EXPECT_EQ(store_->look_up(sha256_hex(std::to_string(k)), 6), 0U);
    }
    if (GetParam() != "memory") {
        EXPECT_TRUE(std::filesystem::is_empty(folder_.path("new/store/partial")));
    }

    store_->begin_put(hash, 6)->write(0, bytes_of("abcd"));
    EXPECT_EQ(store_->look_up(hash, 6), 4U);
    EXPECT_EQ(store_->look_up(hash, 3), 0U);  // not this content
    const std::unique_ptr<Upload> rest = store_->begin_put(hash, 6);
    rest->write(4, bytes_of("ef"));
    rest->commit();
    EXPECT_EQ(store_->look_up(hash, 6), 6U);
    EXPECT_EQ(code_of([&] { (void)store_->look_up(hash, 7); }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { (void)store_->look_up("x", 1); }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { (void)store_->look_up(sha256_hex("x"), (1U << 20U) + 1); }),
              code_of([&] { (void)store_->begin_put(sha256_hex("x"), (1U << 20U) + 1); }));
}

TEST_P(ArtifactStoreSuite, PutOfPresentArtifactNeedsNoBytes) {
    put("abc");

    const std::unique_ptr<Upload> upload = store_->begin_put(sha256_hex("abc"), 3);
    upload->commit();

    EXPECT_EQ(upload->offset(), 3U);
    EXPECT_EQ(store_->list().size(), 1U);
    EXPECT_EQ(code_of([&] { (void)store_->begin_put(sha256_hex("abc"), 4); }),
              ErrorCode::InvalidArgument);
}

TEST_P(ArtifactStoreSuite, WrongContentIsRefusedAndDiscarded) {
    const std::string hash = sha256_hex("abc");
    const std::unique_ptr<Upload> upload = store_->begin_put(hash, 3);
    upload->write(0, bytes_of("abX"));

    EXPECT_EQ(code_of([&] { upload->commit(); }), ErrorCode::InvalidArgument);

    EXPECT_FALSE(store_->exists(hash));
    EXPECT_EQ(store_->begin_put(hash, 3)->offset(), 0U);
    EXPECT_EQ(code_of([&] { upload->write(0, bytes_of("a")); }), ErrorCode::Conflict);
    EXPECT_EQ(code_of([&] { upload->commit(); }), ErrorCode::Conflict);
}

TEST_P(ArtifactStoreSuite, ShortCommitIsRefusedAndMayContinue) {
    const std::string hash = sha256_hex("abc");
    const std::unique_ptr<Upload> upload = store_->begin_put(hash, 3);
    upload->write(0, bytes_of("ab"));

    EXPECT_EQ(code_of([&] { upload->commit(); }), ErrorCode::InvalidArgument);
    upload->write(2, bytes_of("c"));
    upload->commit();

    EXPECT_TRUE(store_->exists(hash));
}

TEST_P(ArtifactStoreSuite, PartialLongerThanDeclaredStartsAnew) {
    const std::string hash = sha256_hex("abc");
    store_->begin_put(hash, 6)->write(0, bytes_of("abcd"));

    EXPECT_EQ(store_->begin_put(hash, 3)->offset(), 0U);
}

TEST_P(ArtifactStoreSuite, OversizeIsRefused) {
    const std::string hash = sha256_hex("abc");

    const std::unique_ptr<Upload> upload = store_->begin_put(hash, 3);

    EXPECT_EQ(code_of([&] { (void)store_->begin_put(hash, (1U << 20U) + 1); }),
              ErrorCode::Exhausted);
    EXPECT_EQ(code_of([&] { upload->write(0, bytes_of("abcd")); }), ErrorCode::InvalidArgument);
    EXPECT_EQ(upload->offset(), 0U);
}

TEST_P(ArtifactStoreSuite, GapsAndRepeatsAreRefused) {
    const std::unique_ptr<Upload> upload = store_->begin_put(sha256_hex("abc"), 3);
    upload->write(0, bytes_of("a"));

    EXPECT_EQ(code_of([&] { upload->write(2, bytes_of("c")); }), ErrorCode::InvalidArgument);
    EXPECT_EQ(code_of([&] { upload->write(0, bytes_of("a")); }), ErrorCode::InvalidArgument);
}

TEST_P(ArtifactStoreSuite, LowDiskIsRefusedAndKeepsTheUpload) {
    const std::string hash = sha256_hex("abc");
    const std::unique_ptr<Upload> upload = store_->begin_put(hash, 3);
    upload->write(0, bytes_of("ab"));

    world_.free_bytes = 1000;

    EXPECT_EQ(code_of([&] { upload->write(2, bytes_of("c")); }), ErrorCode::Exhausted);
    EXPECT_EQ(code_of([&] { (void)store_->begin_put(sha256_hex("x"), 1); }), ErrorCode::Exhausted);
    world_.free_bytes = 1001;
    upload->write(2, bytes_of("c"));
    upload->commit();
    EXPECT_TRUE(store_->exists(hash));
}

TEST_P(ArtifactStoreSuite, ReadPastTheEndIsRefused) {
    put("abc");

    EXPECT_TRUE(store_->read(sha256_hex("abc"), 3, 1).empty());
    EXPECT_EQ(code_of([&] { (void)store_->read(sha256_hex("abc"), 4, 1); }), ErrorCode::OutOfRange);
}

TEST_P(ArtifactStoreSuite, BadHashNamesAreRefused) {
    for (const std::string& bad :
         {std::string(), std::string("../../etc/passwd"), std::string(64, 'A'),
          std::string(63, 'a'), std::string(60, 'a') + "/../"}) {
        EXPECT_EQ(code_of([&] { (void)store_->begin_put(bad, 1); }), ErrorCode::InvalidArgument);
        EXPECT_EQ(code_of([&] { (void)store_->open(bad); }), ErrorCode::InvalidArgument);
        EXPECT_EQ(code_of([&] { (void)store_->size(bad); }), ErrorCode::InvalidArgument);
        EXPECT_EQ(code_of([&] { (void)store_->remove(bad); }), ErrorCode::InvalidArgument);
    }
}

TEST_P(ArtifactStoreSuite, RemovedArtifactStaysReadableForOpenReaders) {
    put("abc");
    const std::unique_ptr<Artifact> reader = store_->open(sha256_hex("abc"));
    std::vector<std::byte> buffer(3);

    EXPECT_TRUE(store_->remove(sha256_hex("abc")));

    EXPECT_FALSE(store_->remove(sha256_hex("abc")));
    EXPECT_FALSE(store_->exists(sha256_hex("abc")));
    EXPECT_EQ(reader->read(0, buffer), 3U);
    EXPECT_EQ(text_of(buffer), "abc");
}

TEST_P(ArtifactStoreSuite, ListTellsSizesAndRepeatedPutRefreshesTheTime) {
    put("abc");
    put("defgh");
    const std::vector<ArtifactInfo> before = store_->list();

    world_.later = hours(2);
    (void)store_->begin_put(before[0].sha256, before[0].bytes);

    const std::vector<ArtifactInfo> after = store_->list();
    ASSERT_EQ(after.size(), 2U);
    EXPECT_LT(after[0].sha256, after[1].sha256);
    EXPECT_EQ(after[0].bytes + after[1].bytes, 8U);
    EXPECT_GT(after[0].put_at, before[0].put_at + hours(1));
    EXPECT_EQ(after[1].put_at, before[1].put_at);
}

TEST_P(ArtifactStoreSuite, WhatSomebodyAskedForSinceIsNotRemoved) {
    put("wanted");
    const std::string sha256 = sha256_hex("wanted");
    const auto put_at = store_->list().at(0).put_at;
    EXPECT_FALSE(store_->remove_if_idle(sha256, put_at - hours(1)));
    world_.later += hours(2);
    (void)store_->look_up(sha256, 6);  // complete: the caller need not send it
    EXPECT_FALSE(store_->remove_if_idle(sha256, put_at + hours(1)));
    EXPECT_TRUE(store_->exists(sha256));
    EXPECT_TRUE(store_->remove_if_idle(sha256, put_at + hours(3)));
    EXPECT_FALSE(store_->exists(sha256));
    EXPECT_TRUE(store_->remove_if_idle(sha256, put_at)) << "it is not here any more";
}

TEST_P(ArtifactStoreSuite, OnlyAbandonedPartialsExpire) {
    const std::unique_ptr<Upload> live = store_->begin_put(sha256_hex("abc"), 3);
    live->write(0, bytes_of("ab"));
    store_->begin_put(sha256_hex("def"), 3)->write(0, bytes_of("d"));

    EXPECT_EQ(store_->expire_partials(), 0U);
    world_.later = hours(2);
    EXPECT_EQ(store_->expire_partials(), 1U);

    EXPECT_EQ(store_->begin_put(sha256_hex("def"), 3)->offset(), 0U);
    live->write(2, bytes_of("c"));
    live->commit();
    EXPECT_TRUE(store_->exists(sha256_hex("abc")));
}

TEST_P(ArtifactStoreSuite, WritersOfOneHashDoNotShareBytes) {
    const std::string hash = sha256_hex("abc");
    const std::unique_ptr<Upload> good = store_->begin_put(hash, 3);
    const std::unique_ptr<Upload> bad = store_->begin_put(hash, 3);
    good->write(0, bytes_of("abc"));
    bad->write(0, bytes_of("XYZ"));

    EXPECT_EQ(code_of([&] { bad->commit(); }), ErrorCode::InvalidArgument);
    good->commit();

    EXPECT_EQ(text_of(store_->read(hash, 0, 3)), "abc");
}

TEST_P(ArtifactStoreSuite, TooManyWritersOfOneHashAreTurnedAway) {
    std::vector<std::unique_ptr<Upload>> writers;
    for (int writer = 0; writer < kMaxWritersPerHash; ++writer) {
        writers.push_back(store_->begin_put(sha256_hex("abc"), 3));
    }

    EXPECT_EQ(code_of([&] { (void)store_->begin_put(sha256_hex("abc"), 3); }),
              ErrorCode::Unavailable);
}

TEST_P(ArtifactStoreSuite, ConcurrentPutsOfOneHashAllSucceed) {
    const std::string text(200'000, 'k');
    const std::string hash = sha256_hex(text);
    std::atomic<int> n_failed{0};
    std::vector<std::jthread> writers;

    for (int writer = 0; writer < kMaxWritersPerHash; ++writer) {
        writers.emplace_back([&] {
            try {
                for (int round = 0; round < 5; ++round) {
                    const std::unique_ptr<Upload> upload = store_->begin_put(hash, text.size());
                    while (upload->offset() < text.size()) {
                        upload->write(upload->offset(),
                                      bytes_of(text).subspan(upload->offset(), 10'000));
                    }
                    upload->commit();
                }
            } catch (const std::exception&) {
                ++n_failed;
            }
        });
    }
    writers.clear();

    EXPECT_EQ(n_failed, 0);
    store_->verify(hash);
    world_.later = hours(2);
    EXPECT_EQ(store_->expire_partials(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Stores, ArtifactStoreSuite, testing::Values("memory", "filesystem"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace kaname::artifacts::artifact_store_test
