// SPDX-License-Identifier: BSD-3-Clause
#include <filesystem>

#include <gtest/gtest.h>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/jobs/greens/verbs/verbs.hpp"

namespace kaname::compute::stored_request_test {
namespace {

template <class Call>
std::string message_of(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_TRUE(error.code() == ErrorCode::InvalidArgument ||
                    error.code() == ErrorCode::NotFound);
        return error.what();
    }
    ADD_FAILURE() << "no error was thrown";
    return "";
}

class StoredRequestTest : public testing::Test {
protected:
    StoredRequestTest() {
        const std::string plain =
            std::string(KANAME_SOURCE_DIR) + "/docs/examples/plane/plane.yaml";
        batch_ = request::load_batch_file(plain).batch;
        batch_.mutable_stations()->clear_list();
        v1::File& file = *batch_.mutable_stations()->add_files();
        file.set_sha256(sha256_hex(kStations));
        std::filesystem::create_directories(folder_.path() / "files");
        write_file(folder_.path() / "files" / file.sha256(), kStations);
    }
    /// The request as JSON, beside which "list.csv" lies.
    std::string written() {
        const auto path = folder_.path() / "spec.json";
        write_file(path, request::to_json(batch_));
        return path.string();
    }
    [[nodiscard]] std::string files() const { return (folder_.path() / "files").string(); }

    static constexpr const char* kStations = "station,lon_deg,lat_deg\nA,138.1,36.0\n";
    TemporaryFolder folder_;
    v1::GreensBatch batch_;
};

TEST_F(StoredRequestTest, AFileWithAHashIsReadByIt) {
    const request::LoadedBatch loaded = load_stored_batch(written(), files());

    ASSERT_EQ(loaded.stations.size(), 1U);
    EXPECT_EQ(loaded.stations[0].id, "A");
}

TEST_F(StoredRequestTest, TheFolderMayBeRelative) {
    const std::string request = written();
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(files());

    EXPECT_EQ(load_stored_batch(request, ".").stations.size(), 1U);
    std::filesystem::current_path(folder_.path());
    EXPECT_EQ(load_stored_batch(request, "files").stations.size(), 1U);
    std::filesystem::current_path(before);
}

TEST_F(StoredRequestTest, AListNamesEachFile) {
    const std::string sha256 = batch_.stations().files(0).sha256();
    const auto list = folder_.path() / "list", elsewhere = folder_.path() / "a b.csv";
    std::filesystem::rename(folder_.path() / "files" / sha256, elsewhere);
    write_file(list, sha256 + "\t" + elsewhere.string() + "\n");

    EXPECT_EQ(load_stored_batch(written(), list.string()).stations.size(), 1U);
}

TEST_F(StoredRequestTest, WithoutAFolderAndWithoutAHashThePathHolds) {
    write_file(folder_.path() / "list.csv", kStations);
    v1::File& file = *batch_.mutable_stations()->mutable_files(0);
    file.set_path("list.csv");
    EXPECT_EQ(load_stored_batch(written(), "").stations.size(), 1U);
    file.clear_sha256();

    EXPECT_EQ(load_stored_batch(written(), files()).stations.size(), 1U);
}

TEST_F(StoredRequestTest, BytesOfAnotherHashAndHashesThatAreNoneAreRefused) {
    v1::File& file = *batch_.mutable_stations()->mutable_files(0);
    write_file(folder_.path() / "files" / file.sha256(), "station,lon_deg,lat_deg\nB,138.1,36.0\n");
    EXPECT_NE(message_of([&] { (void)load_stored_batch(written(), files()); }).find("has sha256"),
              std::string::npos);

    file.set_sha256("../spec.json");
    EXPECT_NE(message_of([&] {
                  (void)load_stored_batch(written(), files());
              }).find("must be 64 hexadecimal digits in lower case, got '../spec.json'"),
              std::string::npos);
}

}  // namespace
}  // namespace kaname::compute::stored_request_test
