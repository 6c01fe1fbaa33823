// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/lease/grpc_client.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>

#include <grpcpp/grpcpp.h>
#include <poll.h>

#include "proto/status/status.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"

namespace kaname::agent {
namespace {

using std::chrono::seconds;
using Clock = std::chrono::steady_clock;

constexpr seconds kUnary{10};
constexpr seconds kTransfer{3600};
constexpr int kLook_ms = 10000;  // at whether a claim that waits is wanted, when nothing says so
constexpr std::size_t kChunk = 1U << 20U;
constexpr std::int64_t kTogether = 4 << 20;  // sent anew when the stream breaks
constexpr std::size_t kMostTogether = 64;    // as the server takes

void check(const grpc::Status& status, const char* call) {
    if (!status.ok()) {
        rpc::throw_error(status, call);
    }
}

/// The header in `part`, then the file from `offset` on. False when the stream has broken.
template <class Part>
bool send_file(grpc::ClientWriter<Part>& writer, Part& part, const std::filesystem::path& file,
               std::int64_t offset) {
    std::ifstream in(file, std::ios::binary);
    in.seekg(offset);
    bool open = writer.Write(part);
    std::string chunk(kChunk, '\0');
    while (open && (in.read(chunk.data(), kChunk), in.gcount() > 0)) {
        part.set_chunk(chunk.data(), static_cast<std::size_t>(in.gcount()));
        open = writer.Write(part);
    }
    return open;
}

/// An agent stays, mostly idle.
std::shared_ptr<grpc::Channel> channel_of_an_agent(const rpc::Target& server) {
    rpc::sleep_until_due();
    return rpc::connect(server);
}

}  // namespace

/// One call's context: token and deadline. Throws what check_listener throws.
class GrpcWorkersClient::Call : public grpc::ClientContext {
public:
    Call(const GrpcWorkersClient& client, seconds limit) : Call(client) {
        set_deadline(std::chrono::system_clock::now() + limit);
    }
    /// Without a deadline: whoever makes the call ends it.
    explicit Call(const GrpcWorkersClient& client) {
        rpc::check_listener(client.server_);
        AddMetadata("authorization", client.authorization_);
    }
};

GrpcWorkersClient::GrpcWorkersClient(rpc::Target server, std::string token)
    : server_(std::move(server)),
      stub_(v1::Workers::NewStub(channel_of_an_agent(server_))),
      authorization_("Bearer " + std::move(token)) {}

void GrpcWorkersClient::look_again() {
    look_again_.set();
}

v1::RegisterResponse GrpcWorkersClient::register_worker(const v1::RegisterRequest& request) {
    {
        const std::lock_guard lock(mutex_);
        worker_id_ = request.worker_id();
    }
    Call call(*this, kUnary);
    v1::RegisterResponse reply;
    try {
        check(stub_->Register(&call, request, &reply), "Register");
    } catch (const Error& error) {
        if (!is_retryable(error.code())) {
            throw;
        }
        throw Error(error.code(), error.what() + rpc::transport_advice(server_));
    }
    return reply;
}

std::string GrpcWorkersClient::worker_id() const {
    const std::lock_guard lock(mutex_);
    return worker_id_;
}

void GrpcWorkersClient::leave(const v1::LeaveRequest& request) {
    Call call(*this, seconds(3));
    google::protobuf::Empty reply;
    check(stub_->Leave(&call, request, &reply), "Leave");
}

v1::ClaimResponse GrpcWorkersClient::claim(const v1::ClaimRequest& request,
                                           const std::function<bool()>& unwanted) {
    v1::ClaimResponse reply;
    if (!unwanted || request.wait_s() <= 0) {
        Call call(*this, kUnary + seconds(static_cast<int>(request.wait_s())));
        check(stub_->Claim(&call, request, &reply), "Claim");
        return reply;
    }
    // A thread looks whether it is wanted, and at its time as well: gRPC's threads of timers, on
    // both sides, wake every second or more often for a deadline that is far away.
    Call call(*this);
    bool cut_short = false, overdue = false;
    grpc::Status status;
    {
        const Event answered;
        std::thread watch(
            [&, due = Clock::now() + kUnary + std::chrono::duration<double>(request.wait_s())] {
                pollfd sources[] = {{answered.fd(), POLLIN, 0}, {look_again_.fd(), POLLIN, 0}};
                while (sources[0].revents == 0) {
                    const auto left =
                        std::chrono::duration_cast<std::chrono::milliseconds>(due - Clock::now());
                    cut_short = unwanted();
                    overdue = !cut_short && left.count() <= 0;
                    if (cut_short || overdue) {
                        call.TryCancel();
                        return;
                    }
                    const int look_ms =
                        static_cast<int>(std::min<std::int64_t>(kLook_ms, left.count()));
                    if (::poll(sources, 2, look_ms) > 0 && sources[1].revents != 0) {
                        look_again_.clear();
                    }
                }
            });
        status = stub_->Claim(&call, request, &reply);
        answered.set();
        watch.join();
    }
    if (overdue && !status.ok()) {
        status = {grpc::StatusCode::DEADLINE_EXCEEDED, "no answer to a claim in its time"};
    }
    if (cut_short && !status.ok()) {
        // The server may have handed out tasks before the cancellation arrived: the same claim gets
        // the same answer.
        v1::ClaimRequest again = request;
        again.set_wait_s(0);
        again.set_first_time(false);
        return claim(again, {});
    }
    check(status, "Claim");
    return reply;
}

v1::HeartbeatResponse GrpcWorkersClient::heartbeat(const v1::HeartbeatRequest& request) {
    Call call(*this, seconds(5));
    v1::HeartbeatResponse reply;
    check(stub_->Heartbeat(&call, request, &reply), "Heartbeat");
    return reply;
}

v1::CompleteResponse GrpcWorkersClient::complete(const v1::CompleteRequest& request) {
    Call call(*this, kUnary);
    v1::CompleteResponse reply;
    check(stub_->Complete(&call, request, &reply), "Complete");
    return reply;
}

void GrpcWorkersClient::fail(const v1::FailRequest& request) {
    Call call(*this, kUnary);
    google::protobuf::Empty reply;
    check(stub_->Fail(&call, request, &reply), "Fail");
}

void GrpcWorkersClient::return_tasks(const v1::ReturnTasksRequest& request) {
    Call call(*this, seconds(3));
    google::protobuf::Empty reply;
    check(stub_->ReturnTasks(&call, request, &reply), "ReturnTasks");
}

void GrpcWorkersClient::put_log(const v1::PutLogRequest& request) {
    Call call(*this, seconds(3));
    google::protobuf::Empty reply;
    check(stub_->PutLog(&call, request, &reply), "PutLog");
}

void GrpcWorkersClient::get_input(const std::string& sha256, const std::filesystem::path& part,
                                  bool verify) {
    std::error_code none;
    const std::uintmax_t have = std::filesystem::file_size(part, none);
    v1::ReadArtifactRequest request;
    request.set_sha256(sha256);
    request.set_worker_id(worker_id());
    request.set_read_offset(none ? 0 : static_cast<std::int64_t>(have));
    request.set_verify(verify);
    Call call(*this, kTransfer);
    const auto reader = stub_->GetInput(&call, request);
    std::ofstream out(part, std::ios::binary | std::ios::app);
    v1::ReadArtifactResponse message;
    while (reader->Read(&message)) {
        if (crc32c(std::as_bytes(std::span(message.chunk()))) != message.crc32c()) {
            call.TryCancel();
            throw Error(ErrorCode::Unavailable, "input " + sha256 + ": a chunk at " +
                                                    std::to_string(message.offset()) +
                                                    " was damaged on its way");
        }
        out.write(message.chunk().data(), static_cast<std::streamsize>(message.chunk().size()));
    }
    check(reader->Finish(), "GetInput");
    if (!out.flush()) {
        throw Error(ErrorCode::Exhausted, part.string() + ": cannot be written (disk full?)");
    }
}

v1::Upload GrpcWorkersClient::look_up(Place place, const std::string& sha256, std::int64_t bytes) {
    v1::GetUploadRequest look;
    look.set_sha256(sha256);
    look.set_bytes(bytes);
    look.set_worker_id(worker_id());
    v1::Upload upload;
    Call call(*this, kUnary);
    if (place == Place::Results) {
        check(stub_->GetResultUpload(&call, look, &upload), "GetResultUpload");
    } else {
        check(stub_->GetCheckpointUpload(&call, look, &upload), "GetCheckpointUpload");
    }
    return upload;
}

void GrpcWorkersClient::put_result(const StoredFile& stored, const std::filesystem::path& file) {
    const v1::Upload upload = look_up(Place::Results, stored.sha256, stored.bytes);
    if (upload.complete()) {
        return;
    }
    Call call(*this, kTransfer);
    v1::Artifact artifact;
    const auto writer = stub_->PutResult(&call, &artifact);
    v1::PutRequest part;
    part.mutable_header()->set_sha256(stored.sha256);
    part.mutable_header()->set_bytes(stored.bytes);
    part.mutable_header()->set_offset(upload.offset());
    part.mutable_header()->set_worker_id(worker_id());
    (void)send_file(*writer, part, file, upload.offset());
    writer->WritesDone();
    check(writer->Finish(), "PutResult");
}

void GrpcWorkersClient::put_results(std::span<const ResultFile> results) {
    std::vector<ResultFile> small;
    for (const ResultFile& result : results) {
        if (one_by_one_ || results.size() == 1 || result.stored.bytes > kTogether) {
            put_result(result.stored, result.file);  // goes on where a broken one ended
        } else {
            small.push_back(result);
        }
    }
    for (std::size_t first = 0; first < small.size(); first += kMostTogether) {
        Call call(*this, kTransfer);
        v1::PutResultsResponse reply;
        const auto writer = stub_->PutResults(&call, &reply);
        const std::size_t end = std::min(small.size(), first + kMostTogether);
        bool open = true;
        for (std::size_t at = first; at < end && open; ++at) {
            v1::PutRequest part;
            part.mutable_header()->set_sha256(small[at].stored.sha256);
            part.mutable_header()->set_bytes(small[at].stored.bytes);
            part.mutable_header()->set_worker_id(worker_id());
            open = send_file(*writer, part, small[at].file, 0);
        }
        writer->WritesDone();
        const grpc::Status status = writer->Finish();
        if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED) {
            one_by_one_ = true;
            put_results(std::span(small).subspan(first));
            return;
        }
        check(status, "PutResults");
    }
}

void GrpcWorkersClient::put_checkpoint(const v1::PutCheckpointRequest::Header& header,
                                       const std::filesystem::path& file) {
    v1::PutCheckpointRequest part;
    *part.mutable_header() = header;
    v1::PutRequest::Header& stored = *part.mutable_header()->mutable_file();
    stored.set_offset(look_up(Place::Checkpoints, stored.sha256(), stored.bytes()).offset());
    Call call(*this, kTransfer);
    v1::Artifact artifact;
    const auto writer = stub_->PutCheckpoint(&call, &artifact);
    (void)send_file(*writer, part, file, stored.offset());
    writer->WritesDone();
    check(writer->Finish(), "PutCheckpoint");
}

}  // namespace kaname::agent

/// These two stand in front of gRPC's functions, and say what they say on a machine of one core.
/// gRPC keeps its timers in twice as many shards as there are cores, and looks at each of them
/// every second though none is due: the agent of a node with 64 cores woke thirty times a second
/// for that, while one connection is all that it has. Both must agree, for the second indexes what
/// the first counts.
extern "C" unsigned gpr_cpu_num_cores(void) {
    return 1;
}
extern "C" unsigned gpr_cpu_current_cpu(void) {
    return 0;
}
