// SPDX-License-Identifier: BSD-3-Clause
// The client library against a server that breaks streams, damages bytes, or is away.
#include "client/lib/client.hpp"

#include <cstdlib>
#include <filesystem>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "proto/kaname/v1/artifacts_service.grpc.pb.h"
#include "proto/kaname/v1/greens_service.grpc.pb.h"
#include "proto/kaname/v1/jobs_service.grpc.pb.h"
#include "proto/status/status.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/log_line.hpp"
#include "tests/support/failing_fsync.hpp"

namespace kaname::client::client_test {
namespace {

namespace fs = std::filesystem;

struct FakeArtifacts final : v1::Artifacts::Service {
    grpc::Status GetUpload(grpc::ServerContext*, const v1::GetUploadRequest* request,
                           v1::Upload* reply) override {
        reply->set_offset(static_cast<std::int64_t>(text.size()));
        reply->set_complete(static_cast<std::int64_t>(text.size()) == request->bytes());
        return grpc::Status::OK;
    }
    grpc::Status Put(grpc::ServerContext*, grpc::ServerReader<v1::PutRequest>* reader,
                     v1::Artifact*) override {
        v1::PutRequest part;
        reader->Read(&part);
        first_offset = part.header().offset();
        while (reader->Read(&part)) {
            text += part.chunk();
            if (n_breaks > 0) {
                --n_breaks;
                return {grpc::StatusCode::UNAVAILABLE, "broken"};
            }
        }
        return grpc::Status::OK;
    }
    grpc::Status ReadArtifact(grpc::ServerContext*, const v1::ReadArtifactRequest* request,
                              grpc::ServerWriter<v1::ReadArtifactResponse>* writer) override {
        offsets.push_back(request->read_offset());
        if (request->verify() && is_damaged) {
            return rpc::to_status(Error(ErrorCode::DataLoss, "damaged on the server's disk"));
        }
        if (request->read_offset() > static_cast<std::int64_t>(text.size())) {
            return rpc::to_status(Error(ErrorCode::OutOfRange, "read_offset"));
        }
        v1::ReadArtifactResponse message;
        message.mutable_artifact()->set_bytes(static_cast<std::int64_t>(text.size()));
        for (auto at = static_cast<std::size_t>(request->read_offset()); at < text.size();
             at += 4) {
            message.set_offset(static_cast<std::int64_t>(at));
            message.set_chunk(text.substr(at, 4));
            message.set_crc32c(crc32c(std::as_bytes(std::span(message.chunk()))));
            if (n_damages > 0 && at >= 4) {
                --n_damages;
                message.set_chunk("XXXX");
            }
            writer->Write(message);
            if (n_breaks > 0) {
                --n_breaks;
                return {grpc::StatusCode::UNAVAILABLE, "broken"};
            }
        }
        return grpc::Status::OK;
    }

    std::string text;
    std::vector<std::int64_t> offsets;
    std::int64_t first_offset = -1;
    int n_breaks = 0, n_damages = 0;
    bool is_damaged = false;
};

struct FakeJobs final : v1::Jobs::Service {
    grpc::Status WatchJob(grpc::ServerContext*, const v1::WatchJobRequest* request,
                          grpc::ServerWriter<v1::JobUpdate>* writer) override {
        const int seen = request->resume_token().empty() ? 0 : std::stoi(request->resume_token());
        for (int seq = seen + 1; seq <= 5; ++seq) {
            v1::JobUpdate update;
            update.set_resume_token(std::to_string(seq));
            writer->Write(update);
            if (seq == 2 && seen == 0) {
                return {grpc::StatusCode::UNAVAILABLE, "broken"};
            }
        }
        return grpc::Status::OK;
    }
    grpc::Status CreateJob(grpc::ServerContext* call, const v1::CreateJobRequest*,
                           v1::Job* reply) override {
        const auto token = call->client_metadata().find("authorization");
        if (token == call->client_metadata().end() || token->second != "Bearer secret") {
            return rpc::to_status(Error(ErrorCode::Unauthenticated, "the token is unknown"));
        }
        if (n_away > 0) {
            --n_away;
            return rpc::to_status(Error(ErrorCode::Unavailable, away));
        }
        if (!violations.empty()) {
            return rpc::to_status(ValidationError(violations));
        }
        reply->set_name("jobs/one");
        reply->set_title(title);
        return grpc::Status::OK;
    }

    int n_away = 0;
    std::string away = "database is away", title;
    std::vector<Violation> violations;
};

struct FakeGreens final : v1::Greens::Service {
    grpc::Status SubmitBatch(grpc::ServerContext*,
                             grpc::ServerReader<v1::SubmitBatchRequest>* reader,
                             v1::Job* reply) override {
        v1::SubmitBatchRequest part;
        while (reader->Read(&part)) {
            if (part.has_piece()) {
                bytes += part.piece();
                ++pieces;
            } else if (part.has_commit()) {
                whole =
                    part.commit().pieces() == pieces && part.commit().sha256() == sha256_hex(bytes);
            }
        }
        reply->set_name("jobs/large");
        return grpc::Status::OK;
    }

    /// Axes in two pieces; broken once after the first.
    grpc::Status StreamResults(grpc::ServerContext*, const v1::StreamResultsRequest*,
                               grpc::ServerWriter<v1::GreensResult>* writer) override {
        v1::GreensResult result;
        result.mutable_axes()->set_sources(1);
        result.mutable_axes()->set_n_stations(2);
        result.mutable_axes()->add_stations("A");
        writer->Write(result);
        if (n_breaks > 0) {
            --n_breaks;
            return {grpc::StatusCode::UNAVAILABLE, "broken"};
        }
        result.Clear();
        result.mutable_axes()->add_stations("B");
        writer->Write(result);
        result.Clear();
        result.set_source("s");
        writer->Write(result);
        return grpc::Status::OK;
    }

    std::string bytes;
    std::int64_t pieces = 0;
    bool whole = false;
    int n_breaks = 0;
};

class ClientTest : public testing::Test {
protected:
    ClientTest() {
        grpc::ServerBuilder builder;
        int port = 0;
        builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
        builder.RegisterService(&artifacts_);
        builder.RegisterService(&jobs_);
        builder.RegisterService(&greens_);
        server_ = builder.BuildAndStart();
        client_ = std::make_unique<Client>(
            Endpoint{"127.0.0.1:" + std::to_string(port), "secret", "a test"});
        path_ = (folder_.path() / "d.h5.part").string();
    }
    Downloaded download(const std::string& expected) {
        return client_->download(sha256_hex(expected), path_, [](auto, auto) {});
    }

    FakeArtifacts artifacts_;
    FakeJobs jobs_;
    FakeGreens greens_;
    std::unique_ptr<grpc::Server> server_;
    std::unique_ptr<Client> client_;
    TemporaryFolder folder_;
    std::string path_;
};

TEST_F(ClientTest, ADownloadGoesOnOverBrokenStreams) {
    artifacts_.text = "twelve bytes";
    artifacts_.n_breaks = 2;

    const Downloaded done = download("twelve bytes");

    EXPECT_EQ(read_file_if_any(path_), "twelve bytes");
    EXPECT_EQ(done.bytes, 12);
    EXPECT_EQ(artifacts_.offsets, (std::vector<std::int64_t>{0, 4, 8}));
}

TEST_F(ClientTest, ADownloadGoesOnAfterAnEarlierProgram) {
    artifacts_.text = "twelve bytes";
    write_file(path_, "twelve");

    EXPECT_EQ(download("twelve bytes").resumed_from, 6);

    EXPECT_EQ(read_file_if_any(path_), "twelve bytes");
    EXPECT_EQ(artifacts_.offsets, std::vector<std::int64_t>{6});
}

TEST_F(ClientTest, AnEarlierPartOfAnotherFileIsReplaced) {
    artifacts_.text = "twelve bytes";
    for (const char* part : {"another file", "a longer one than that"}) {
        write_file(path_, part);

        EXPECT_EQ(download("twelve bytes").resumed_from, 0) << part;

        EXPECT_EQ(read_file_if_any(path_), "twelve bytes");
    }
}

TEST_F(ClientTest, ADamagedChunkIsFetchedAgain) {
    artifacts_.text = "twelve bytes";
    artifacts_.n_damages = 1;

    download("twelve bytes");

    EXPECT_EQ(read_file_if_any(path_), "twelve bytes");
    EXPECT_EQ(artifacts_.offsets.size(), 2U);
}

TEST_F(ClientTest, BytesOfAnotherHashAreDataLossAndLeaveNothing) {
    artifacts_.text = "other bytes!";

    try {
        download("twelve bytes");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::DataLoss);
    }
    EXPECT_FALSE(fs::exists(path_));
}

TEST_F(ClientTest, ADownloadThatTheDiskRefusedBeginsAnew) {
    artifacts_.text = "twelve bytes";
    {
        const failing_fsync::After disk(0);
        EXPECT_THROW(download("twelve bytes"), Error);
        EXPECT_FALSE(fs::exists(path_));
    }

    EXPECT_EQ(download("twelve bytes").resumed_from, 0);

    EXPECT_EQ(read_file_if_any(path_), "twelve bytes");
    EXPECT_EQ(artifacts_.offsets, (std::vector<std::int64_t>{0, 0}));
}

TEST_F(ClientTest, AFileDamagedOnTheServerIsToldInTheServersWords) {
    artifacts_.text = "other bytes!";
    artifacts_.is_damaged = true;

    try {
        download("twelve bytes");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::DataLoss);
        EXPECT_STREQ(error.what(), "damaged on the server's disk");
    }
    EXPECT_FALSE(fs::exists(path_));
}

TEST_F(ClientTest, AnUploadGoesOnWhereTheServerSays) {
    write_file(path_, "twelve bytes");
    artifacts_.text = "twelve";

    client_->upload(path_, sha256_hex("twelve bytes"), [](auto, auto) {});
    EXPECT_EQ(artifacts_.text, "twelve bytes");
    EXPECT_EQ(artifacts_.first_offset, 6);

    artifacts_.first_offset = -1;
    client_->upload(path_, sha256_hex("twelve bytes"), [](auto, auto) {});
    EXPECT_EQ(artifacts_.first_offset, -1);  // nothing was sent
}

TEST_F(ClientTest, AWatchIsTakenUpAgainWithoutGapsOrRepeats) {
    std::string seen;

    client_->watch_job("one", [&](const v1::JobUpdate& update) { seen += update.resume_token(); });

    EXPECT_EQ(seen, "12345");
}

TEST_F(ClientTest, CallsAreRepeatedWhileTheServerIsAway) {
    jobs_.n_away = 2;

    EXPECT_EQ(client_->submit(v1::GreensBatch(), make_uuid(), 0, false).name(), "jobs/one");
    EXPECT_EQ(jobs_.n_away, 0);
}

TEST_F(ClientTest, ViolationsArriveWithTheirFields) {
    jobs_.violations = {{"time.end_s", "must be >= 0, got -1"}};

    try {
        (void)client_->submit(v1::GreensBatch(), make_uuid(), 0, false);
        FAIL();
    } catch (const ValidationError& error) {
        EXPECT_EQ(error.violations().at(0).field, "time.end_s");
    }
}

TEST_F(ClientTest, ALargeBatchGoesInPieces) {
    v1::GreensBatch batch;
    batch.set_description(std::string(5 << 20, 'd'));

    EXPECT_EQ(client_->submit(batch, make_uuid(), 0, false).name(), "jobs/large");

    EXPECT_EQ(greens_.pieces, 6);
    EXPECT_TRUE(greens_.whole);
    EXPECT_EQ(greens_.bytes, batch.SerializeAsString());
}

TEST_F(ClientTest, AxesInPiecesAreToldOnceAndWhole) {
    greens_.n_breaks = 1;
    std::string seen;

    client_->stream_results("one", "", [&](const v1::GreensResult& result) {
        for (const std::string& station : result.axes().stations()) {
            seen += station;
        }
        seen += result.has_axes() ? " " : result.source();
    });

    EXPECT_EQ(seen, "AB s");
}

TEST_F(ClientTest, AReplyThatIsTooLargeIsNotAServerThatIsAway) {
    jobs_.title.assign(5U << 20U, 't');

    try {
        (void)client_->submit(v1::GreensBatch(), make_uuid(), 0, false);
        FAIL();
    } catch (const Error& error) {
        const std::string message = error.what();
        EXPECT_EQ(error.code(), ErrorCode::Exhausted);
        EXPECT_NE(message.find("larger than a call may carry"), std::string::npos) << message;
        EXPECT_EQ(message.find("is it running"), std::string::npos) << message;
    }
}

TEST_F(ClientTest, AConnectionThatFailedForADoubtfulReasonIsTriedMoreOften) {
    ClientOptions once;
    once.tries = 1;
    Client client({client_->endpoint().address, "secret", "test"}, once);

    jobs_.n_away = 2;
    jobs_.away = "failed to connect to all addresses; last error: UNKNOWN: No such file";
    EXPECT_EQ(client.submit(v1::GreensBatch(), make_uuid(), 0, false).name(), "jobs/one");

    jobs_.n_away = 1;
    jobs_.away = "failed to connect to all addresses; last error: Connection refused";
    EXPECT_THROW((void)client.submit(v1::GreensBatch(), make_uuid(), 0, false), Error);
}

TEST_F(ClientTest, AServerThatDoesNotRunIsNamedWithAdvice) {
    ClientOptions impatient;
    impatient.tries = 1;
    Client lonely({"127.0.0.1:1", "t", "/state/client.json"}, impatient);

    EXPECT_FALSE(lonely.serving());
    try {
        (void)lonely.get_job("x");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::Unavailable);
        for (const char* word : {"127.0.0.1:1", "/state/client.json", "kaname up"}) {
            EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
        }
    }
}

TEST(Endpoint, OptionsWinOverTheEnvironmentAndThatOverTheStateFolder) {
    const TemporaryFolder state;
    ::unsetenv("KANAME_SERVER");
    ::unsetenv("KANAME_TOKEN");
    EXPECT_THROW((void)find_endpoint("", "", state.path()), Error);
    write_file(state.path() / "client.json", R"({"address":"127.0.0.1:7","token":"t"})");

    EXPECT_EQ(find_endpoint("", "", state.path()).address, "127.0.0.1:7");
    EXPECT_EQ(find_endpoint("", "", state.path()).token, "t");
    ::setenv("KANAME_SERVER", "host:8", 1);
    ::setenv("KANAME_TOKEN", "e", 1);
    EXPECT_EQ(find_endpoint("", "", state.path()).address, "host:8");
    EXPECT_EQ(find_endpoint("other:9", "o", state.path()).address, "other:9");
    EXPECT_EQ(find_endpoint("other:9", "o", state.path()).token, "o");
    ::unsetenv("KANAME_SERVER");
    ::unsetenv("KANAME_TOKEN");
}

TEST(Endpoint, OfAFileThatOthersMayWriteIsRefused) {
    const TemporaryFolder state;
    const fs::path file = state.path() / "client.json";
    write_file(file, R"({"address":"127.0.0.1:7","token":"t"})");
    for (const fs::path& path : {file, state.path()}) {
        fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
        try {
            (void)find_endpoint("", "", state.path());
            FAIL() << path;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::PermissionDenied);
            EXPECT_NE(std::string(error.what()).find(path.string() + ": "), std::string::npos);
        }
        fs::permissions(path, fs::perms::group_write, fs::perm_options::remove);
    }
}

}  // namespace
}  // namespace kaname::client::client_test
