// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/run/backup/backup.hpp"
#include "server/run/backup/transfer.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::backup::manifest_test {
namespace {

namespace fs = std::filesystem;

class ManifestTest : public testing::Test {
protected:
    Manifest written() {
        Manifest manifest;
        manifest.backup_id = "id";
        manifest.made = "2026-01-31T23:59:59Z";
        manifest.version = "1";
        manifest.postgres = "pg_dump 15";
        manifest.migrations = {"001_queue"};
        manifest.store_id = "store";
        manifest.artifacts = Artifacts::Link;
        manifest.files = {{sha256_hex("a"), 1, File::State::Kept},
                          {sha256_hex("b"), 0, File::State::Missing}};
        write_file(folder_.path() / kDump, "dump");
        write_manifest(folder_.path(), manifest);
        return manifest;
    }
    ErrorCode code_of_reading() {
        try {
            (void)read_manifest(folder_.path());
        } catch (const Error& error) {
            return error.code();
        }
        return ErrorCode::Internal;
    }
    TemporaryFolder folder_;
};

TEST_F(ManifestTest, ReadsBackWhatWasWritten) {
    const Manifest wrote = written(), read = read_manifest(folder_.path());

    EXPECT_EQ(read.backup_id, wrote.backup_id);
    EXPECT_EQ(read.migrations, wrote.migrations);
    EXPECT_EQ(read.artifacts, wrote.artifacts);
    EXPECT_EQ(read.store_id, wrote.store_id);
    ASSERT_EQ(read.files.size(), 2U);
    EXPECT_EQ(read.files[0].sha256, wrote.files[0].sha256);
    EXPECT_EQ(read.files[0].bytes, 1);
    EXPECT_EQ(read.files[1].state, File::State::Missing);
}

TEST_F(ManifestTest, WhatWasChangedSinceIsDataLoss) {
    EXPECT_EQ(code_of_reading(), ErrorCode::NotFound);
    for (const char* name : {kManifest, kFiles, kDump, kSums}) {
        (void)written();
        write_file(folder_.path() / name, "else");
        EXPECT_EQ(code_of_reading(), ErrorCode::DataLoss) << name;
        (void)written();
        fs::remove(folder_.path() / name);
        EXPECT_EQ(code_of_reading(), name == kSums ? ErrorCode::NotFound : ErrorCode::DataLoss)
            << name;
    }
}

TEST_F(ManifestTest, ASchemaOfANewerVersionIsRefused) {
    Manifest manifest = written();
    EXPECT_NO_THROW(check_schema(manifest));
    manifest.migrations.emplace_back("999_future");

    EXPECT_THROW(check_schema(manifest), Error);
}

TEST_F(ManifestTest, ACopyOfADamagedFileIsNone) {
    auto from = open_files(folder_.path() / "from"), to = open_files(folder_.path() / "to");
    const std::string text = "bytes", sha256 = sha256_hex(text);
    const auto put = from.begin_put(sha256, text.size());
    put->write(0, std::as_bytes(std::span(text)));
    put->commit();

    EXPECT_TRUE(copy_file(from, to, sha256));
    EXPECT_EQ(to.size(sha256), text.size());
    EXPECT_TRUE(to.remove(sha256));
    const fs::path file = from.object_path(sha256);
    fs::permissions(file, fs::perms::owner_write, fs::perm_options::add);
    write_file(file, "bites");
    EXPECT_FALSE(copy_file(from, to, sha256));
    EXPECT_FALSE(to.exists(sha256));
}

TEST(BytesText, NamesUnits) {
    EXPECT_EQ(bytes_text(0), "0 B");
    EXPECT_EQ(bytes_text(1234567), "1.2 MB");
}

}  // namespace
}  // namespace kaname::backup::manifest_test
