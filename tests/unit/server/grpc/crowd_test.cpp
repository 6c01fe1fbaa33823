// SPDX-License-Identifier: BSD-3-Clause
// Callers in crowds: what they hold open takes nothing from workers, nor from each other without
// end.
#include <list>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "solvers/base/files.hpp"
#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::crowd_test {
namespace {

ApiOptions impatient() {
    ApiOptions options;
    options.longest_stall = std::chrono::milliseconds(1500);
    return options;
}

class Crowd : public ApiTest {
protected:
    Crowd() : ApiTest(impatient()) {}

    /// A connection of its own: gRPC shares those whose arguments are equal.
    std::shared_ptr<grpc::Channel> connect() {
        grpc::ChannelArguments arguments;
        arguments.SetInt("kaname.test.connection", ++n_connections_);
        auto channel = grpc::CreateCustomChannel("127.0.0.1:" + std::to_string(server_->port()),
                                                 grpc::InsecureChannelCredentials(), arguments);
        EXPECT_TRUE(
            channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(20)));
        return channel;
    }
    struct Watching {
        explicit Watching(const std::string& token) : call(token) {}
        Call call;
        std::unique_ptr<grpc::ClientReader<v1::JobUpdate>> reader;
    };
    /// Opens `count` watches of a job over one connection and reads nothing.
    void watch(std::list<Watching>& all, v1::Jobs::Stub& stub, const std::string& job, int count) {
        v1::WatchJobRequest request;
        request.set_name(job);
        for (int k = 0; k < count; ++k) {
            all.emplace_back(viewer_);
            all.back().reader = stub.WatchJob(&all.back().call, request);
        }
    }
    grpc::Status heartbeat() {
        Call call(agent_);
        call.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(5));
        v1::HeartbeatRequest request;
        request.set_worker_id(worker_);
        v1::HeartbeatResponse reply;
        return workers_->Heartbeat(&call, request, &reply);
    }
    std::vector<Fd> idle_connections(int count) {
        std::vector<Fd> sockets;
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(server_->port()));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        for (int k = 0; k < count; ++k) {
            sockets.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
            EXPECT_EQ(::connect(sockets.back().get(), reinterpret_cast<sockaddr*>(&address),
                                sizeof address),
                      0);
        }
        return sockets;
    }
    /// Puts that have sent their header and no more.
    struct Putting {
        explicit Putting(const std::string& token) : call(token) {}
        Call call;
        v1::Artifact reply;
        std::unique_ptr<grpc::ClientWriter<v1::PutRequest>> writer;
    };

private:
    int n_connections_ = 0;
};

TEST_F(Crowd, OfWatchersTakesNoHeartbeatAndNoClaim) {
    const v1::Job job = submit();
    register_worker();
    std::list<Watching> watching;
    std::vector<std::unique_ptr<v1::Jobs::Stub>> stubs;
    for (int connection = 0; connection < 3; ++connection) {
        stubs.push_back(v1::Jobs::NewStub(connect()));
        watch(watching, *stubs.back(), job.name(), 150);
    }
    const std::vector<Fd> idle = idle_connections(200);
    // All of them are open: each has said that the job was submitted.
    for (Watching& one : watching) {
        v1::JobUpdate update;
        ASSERT_TRUE(one.reader->Read(&update)) << one.reader->Finish().error_message();
    }

    for (int k = 0; k < 50; ++k) {
        const grpc::Status beat = heartbeat();
        ASSERT_TRUE(beat.ok()) << beat.error_message();
    }
    const v1::ClaimResponse pack = claim(1.0);

    ASSERT_GT(pack.tasks_size(), 0);
    EXPECT_TRUE(complete(pack.tasks(0), "mesh").ok());
    v1::ListJobsResponse jobs;
    EXPECT_TRUE(call(*jobs_, &v1::Jobs::Stub::ListJobs, viewer_, v1::ListJobsRequest(), jobs).ok());
    for (Watching& one : watching) {
        one.call.TryCancel();
    }
}

TEST_F(Crowd, OnOneConnectionIsToldOfTheLimit) {
    const v1::Job job = submit();
    std::list<Watching> watching;
    const auto stub = v1::Jobs::NewStub(connect());
    watch(watching, *stub, job.name(), kWaitingStreams.per_connection);
    for (Watching& one : watching) {
        v1::JobUpdate update;
        ASSERT_TRUE(one.reader->Read(&update));
    }

    watch(watching, *stub, job.name(), 1);
    const grpc::Status refused = watching.back().reader->Finish();

    EXPECT_EQ(refused.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_NE(refused.error_message().find("waiting streams: at most 200 may be open at a time on "
                                           "one connection"),
              std::string::npos)
        << refused.error_message();
    for (Watching& one : watching) {
        one.call.TryCancel();
    }
}

TEST_F(Crowd, OfUploadsThatStandStillLeavesThreadsForWorkers) {
    register_worker();
    std::list<Putting> putting;
    std::vector<std::string> users;
    for (int k = 0; k < 6; ++k) {
        users.push_back(tokens_.issue("user" + std::to_string(k), auth::Role::User));
    }
    int n_refused = 0;
    for (const std::string& user : users) {
        const auto stub = v1::Artifacts::NewStub(connect());
        for (int k = 0; k < 40; ++k) {
            putting.emplace_back(user);
            Putting& one = putting.back();
            one.writer = stub->Put(&one.call, &one.reply);
            v1::PutRequest part;
            part.mutable_header()->set_sha256(sha256_hex(std::to_string(putting.size())));
            part.mutable_header()->set_bytes(8);
            one.writer->Write(part);
        }
    }
    // Whoever is refused is told at once; the others stand.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const std::string text = "the worker's result";
    v1::PutRequest part;
    part.mutable_header()->set_sha256(sha256_hex(text));
    part.mutable_header()->set_bytes(static_cast<std::int64_t>(text.size()));
    Call mine(agent_);
    mine.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    v1::Artifact stored;
    const auto writer = workers_->PutResult(&mine, &stored);
    writer->Write(part);
    part.set_chunk(text);
    writer->Write(part);
    writer->WritesDone();
    const grpc::Status put = writer->Finish();

    EXPECT_TRUE(put.ok()) << put.error_message();
    EXPECT_LT(std::chrono::steady_clock::now(), deadline);
    for (Putting& one : putting) {
        one.writer->WritesDone();
        n_refused +=
            one.writer->Finish().error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED ? 1 : 0;
    }
    // 144, but for those that came late enough to get the place of one that had ended.
    EXPECT_GE(n_refused, 100);
}

TEST_F(Crowd, ThatAsksForUploadsMakesNoFiles) {
    const auto count = [&] {
        const std::filesystem::directory_iterator all(folder_.path() / "artifacts" / "partial");
        return std::distance(begin(all), end(all));
    };
    v1::GetUploadRequest look;
    look.set_bytes(1000);
    for (int k = 0; k < 200; ++k) {
        look.set_sha256(sha256_hex(std::to_string(k)));
        v1::Upload upload;
        ASSERT_TRUE(call(*data_, &v1::Artifacts::Stub::GetUpload, user_, look, upload).ok());
    }
    EXPECT_EQ(count(), 0);

    // Nor does the header of an upload, before the first bytes.
    Call mine(user_);
    v1::Artifact stored;
    const auto writer = data_->Put(&mine, &stored);
    v1::PutRequest part;
    part.mutable_header()->set_sha256(look.sha256());
    part.mutable_header()->set_bytes(look.bytes());
    writer->Write(part);
    writer->WritesDone();
    EXPECT_FALSE(writer->Finish().ok());
    EXPECT_LE(count(), 1);
}

TEST_F(Crowd, WhoDoesNotReadIsCutOffAndGoesOnWhereItWas) {
    const std::string text(8U << 20U, 'x');
    const auto upload = artifacts_.begin_put(sha256_hex(text), text.size());
    upload->write(0, std::as_bytes(std::span(text)));
    upload->commit();
    v1::ReadArtifactRequest request;
    request.set_sha256(sha256_hex(text));
    Call stalled(viewer_);
    // A channel that guesses from slow answers that much is under way would take in the whole file.
    grpc::ChannelArguments plain;
    plain.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    const auto slow = v1::Artifacts::NewStub(grpc::CreateCustomChannel(
        "127.0.0.1:" + std::to_string(server_->port()), grpc::InsecureChannelCredentials(), plain));
    const auto reader = slow->ReadArtifact(&stalled, request);
    v1::ReadArtifactResponse message;
    ASSERT_TRUE(reader->Read(&message));
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));

    std::size_t read = message.chunk().size();
    while (reader->Read(&message)) {
        read += message.chunk().size();
    }
    const grpc::Status cut = reader->Finish();

    EXPECT_EQ(cut.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_NE(cut.error_message().find("nothing was read for 1 s"), std::string::npos)
        << cut.error_message();
    ASSERT_LT(read, text.size());
    request.set_read_offset(static_cast<std::int64_t>(read));
    Call again(viewer_);
    const auto rest = data_->ReadArtifact(&again, request);
    while (rest->Read(&message)) {
        read += message.chunk().size();
    }
    EXPECT_TRUE(rest->Finish().ok());
    EXPECT_EQ(read, text.size());
}

TEST_F(Crowd, WhichDoesNothingIsNotWaitedForWhenTheServerShutsDown) {
    (void)submit();  // over a connection that stays, and whose client does not look at it
    const auto begun = std::chrono::steady_clock::now();

    server_->shutdown(std::chrono::seconds(20));

    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(10));
}

TEST_F(Crowd, EndsWithAWordWhenTheServerShutsDown) {
    const v1::Job job = submit();
    register_worker();
    std::list<Watching> watching;
    watch(watching, *jobs_, job.name(), 100);
    for (Watching& one : watching) {
        v1::JobUpdate update;
        ASSERT_TRUE(one.reader->Read(&update));
    }

    server_->shutdown(std::chrono::seconds(5));

    for (Watching& one : watching) {
        v1::JobUpdate update;
        while (one.reader->Read(&update)) {
        }
        const grpc::Status ended = one.reader->Finish();
        EXPECT_EQ(ended.error_code(), grpc::StatusCode::UNAVAILABLE) << ended.error_message();
    }
}

}  // namespace
}  // namespace kaname::service::crowd_test
