// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <mutex>

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include "proto/kaname/v1/admin_service.grpc.pb.h"
#include "proto/kaname/v1/artifacts_service.grpc.pb.h"
#include "proto/kaname/v1/campaigns_service.grpc.pb.h"
#include "proto/kaname/v1/datasets_service.grpc.pb.h"
#include "proto/kaname/v1/greens_service.grpc.pb.h"
#include "proto/kaname/v1/jobs_service.grpc.pb.h"
#include "proto/kaname/v1/workers_service.grpc.pb.h"
#include "proto/request/greens/load.hpp"
#include "proto/status/status.hpp"
#include "server/artifacts/filesystem/filesystem_store.hpp"
#include "server/grpc/api_server.hpp"
#include "server/store/rules.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/files.hpp"
#include "tests/support/fake_helpers.hpp"
#include "tests/support/memory_store/memory_store.hpp"
#include "tests/support/token_list.hpp"

namespace kaname::service {

/// A server of its own on a free port, with a token per role.
class ApiTest : public testing::Test {
protected:
    ApiTest() : ApiTest(ApiOptions()) {}
    explicit ApiTest(ApiOptions options)
        : store_({}, [] { return 1000.0; }),
          artifacts_(folder_.path() / "artifacts", artifact_options()),
          checkpoints_(folder_.path() / "artifacts" / "checkpoints", artifact_options()),
          viewer_(tokens_.issue("viewer", auth::Role::Viewer)),
          user_(tokens_.issue("ann", auth::Role::User)),
          admin_(tokens_.issue("admin", auth::Role::Admin)),
          agent_(tokens_.issue("agent", auth::Role::Worker)) {
        options.logs = folder_.path() / "logs";
        options.scratch = folder_.path() / "scratch";
        options.version = "test";
        options.log = [this](const std::string& line) {
            const std::lock_guard lock(log_mutex_);
            log_ += line + "\n";
        };
        server_ = std::make_unique<rpc::ApiServer>(
            options, Backends{store_, artifacts_, checkpoints_, compute_, tokens_, running_});
        channel_ = grpc::CreateChannel("127.0.0.1:" + std::to_string(server_->port()),
                                       grpc::InsecureChannelCredentials());
        // gRPC may take what malloc left in errno for connect's error; its next attempt goes
        // through.
        EXPECT_TRUE(channel_->WaitForConnected(std::chrono::system_clock::now() +
                                               std::chrono::seconds(20)));
        jobs_ = v1::Jobs::NewStub(channel_);
        greens_ = v1::Greens::NewStub(channel_);
        data_ = v1::Artifacts::NewStub(channel_);
        datasets_ = v1::Datasets::NewStub(channel_);
        workers_ = v1::Workers::NewStub(channel_);
        admins_ = v1::Admin::NewStub(channel_);
        batch_ =
            request::load_batch_file(std::string(KANAME_SOURCE_DIR) + "/tests/e2e/data/tiny.yaml")
                .batch;
    }

    artifacts::StoreOptions artifact_options() {
        artifacts::StoreOptions options;
        options.min_free_bytes = 0;
        options.max_upload_bytes = 64U << 20U;
        options.free_bytes = [this] { return free_bytes_.load(); };
        return options;
    }

    /// One call's context with a token.
    struct Call : grpc::ClientContext {
        explicit Call(const std::string& token) {
            if (!token.empty()) {
                AddMetadata("authorization", "Bearer " + token);
            }
            set_deadline(std::chrono::system_clock::now() + std::chrono::minutes(3));
        }
    };
    /// A unary call as somebody.
    template <class Stub, class Method, class Request, class Reply>
    static grpc::Status call(Stub& stub, Method method, const std::string& token,
                             const Request& request, Reply& reply) {
        Call context(token);
        return (stub.*method)(&context, request, &reply);
    }

    v1::Job submit(const std::string& request_id = store::make_uuid()) {
        v1::CreateJobRequest request;
        *request.mutable_batch() = batch_;
        request.set_request_id(request_id);
        v1::Job job;
        const grpc::Status status = call(*jobs_, &v1::Jobs::Stub::CreateJob, user_, request, job);
        EXPECT_TRUE(status.ok()) << status.error_message();
        return job;
    }
    void register_worker() {
        v1::RegisterRequest request;
        request.set_worker_id(worker_);
        request.set_name("tester");
        request.set_ranks(1);
        request.set_threads(1);
        v1::RegisterResponse reply;
        ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Register, agent_, request, reply).ok());
    }
    v1::ClaimResponse claim(double wait_s = 0) {
        v1::ClaimRequest request;
        request.set_worker_id(worker_);
        request.set_claim_id(store::make_uuid());
        request.add_pools("cpu");
        request.add_pools("solve");
        request.set_wait_s(wait_s);
        v1::ClaimResponse reply;
        const grpc::Status status =
            call(*workers_, &v1::Workers::Stub::Claim, agent_, request, reply);
        EXPECT_TRUE(status.ok()) << status.error_message();
        return reply;
    }
    /// Puts what the server wants of a worker's result.
    grpc::Status put_result(const std::string& token, const std::string& text) {
        Call context(token);
        v1::Artifact reply;
        const auto writer = workers_->PutResult(&context, &reply);
        v1::PutRequest part;
        part.mutable_header()->set_sha256(sha256_hex(text));
        part.mutable_header()->set_bytes(static_cast<std::int64_t>(text.size()));
        v1::GetUploadRequest look;
        look.set_sha256(sha256_hex(text));
        look.set_bytes(static_cast<std::int64_t>(text.size()));
        v1::Upload upload;
        EXPECT_TRUE(call(*workers_, &v1::Workers::Stub::GetResultUpload, token, look, upload).ok());
        part.mutable_header()->set_offset(upload.offset());
        writer->Write(part);
        if (static_cast<std::size_t>(upload.offset()) < text.size()) {
            part.set_chunk(text.substr(static_cast<std::size_t>(upload.offset())));
            writer->Write(part);
        }
        writer->WritesDone();
        return writer->Finish();
    }
    /// Sent pairs the name in a header with what is sent for it.
    using Sent = std::vector<std::pair<std::string, std::string>>;
    struct PutReply {
        grpc::Status status;
        v1::PutResultsResponse reply;
    };
    PutReply put_results(const std::string& token, const std::string& worker, const Sent& results) {
        Call context(token);
        PutReply put;
        const auto writer = workers_->PutResults(&context, &put.reply);
        for (const auto& [named, sent] : results) {
            v1::PutRequest part;
            part.mutable_header()->set_sha256(sha256_hex(named));
            part.mutable_header()->set_bytes(static_cast<std::int64_t>(named.size()));
            part.mutable_header()->set_worker_id(worker);
            writer->Write(part);
            for (std::size_t at = 0; at < sent.size(); at += 7) {
                part.set_chunk(sent.substr(at, 7));
                writer->Write(part);
            }
        }
        writer->WritesDone();
        put.status = writer->Finish();
        return put;
    }
    /// Puts `text` as the task's result and completes it.
    grpc::Status complete(const v1::Task& task, const std::string& text, bool put = true) {
        if (put) {
            EXPECT_TRUE(put_result(agent_, text).ok());
        }
        v1::CompleteRequest request;
        request.set_worker_id(worker_);
        auto& result = *request.add_results();
        *result.mutable_ref() = task.ref();
        result.set_sha256(sha256_hex(text));
        result.set_bytes(static_cast<std::int64_t>(text.size()));
        v1::CompleteResponse reply;
        return call(*workers_, &v1::Workers::Stub::Complete, agent_, request, reply);
    }
    /// The worker's word about the tasks of a claim.
    void beat(const v1::ClaimResponse& pack, double fraction, const char* said = "") {
        v1::HeartbeatRequest request;
        request.set_worker_id(worker_);
        for (const v1::Task& task : pack.tasks()) {
            *request.add_held() = task.ref();
            v1::TaskProgress& progress = *request.add_progress();
            *progress.mutable_ref() = task.ref();
            progress.set_content_key(task.content_key());
            progress.set_fraction(fraction);
            progress.set_text(said);
        }
        v1::HeartbeatResponse reply;
        EXPECT_TRUE(call(*workers_, &v1::Workers::Stub::Heartbeat, agent_, request, reply).ok());
    }
    static std::string id_of(const v1::Job& job) { return job.name().substr(5); }
    /// Returns the answer of TailLogs for one stage.
    std::string log_of(const v1::Job& job, const std::string& label, bool follow = false) {
        Call context(viewer_);
        v1::TailLogsRequest request;
        request.set_job(job.name());
        request.set_label(label);
        request.set_follow(follow);
        const auto reader = jobs_->TailLogs(&context, request);
        v1::LogChunk chunk;
        std::string log;
        while (reader->Read(&chunk)) {
            log += chunk.data();
        }
        EXPECT_TRUE(reader->Finish().ok());
        return log;
    }
    [[nodiscard]] std::string log() {
        const std::lock_guard lock(log_mutex_);
        return log_;
    }

    TemporaryFolder folder_;
    std::atomic<std::uint64_t> free_bytes_ = std::uint64_t{1} << 40U;
    std::mutex log_mutex_;
    std::string log_;
    store::memory::MemoryStore store_;
    artifacts::FilesystemStore artifacts_, checkpoints_;
    scheduler::FairShare share_;
    scheduler::RunningTasks running_{share_};
    test::FakeHelpers compute_;
    auth::TokenList tokens_;
    std::string viewer_, user_, admin_, agent_;
    std::unique_ptr<rpc::ApiServer> server_;
    std::shared_ptr<grpc::Channel> channel_;
    std::unique_ptr<v1::Jobs::Stub> jobs_;
    std::unique_ptr<v1::Greens::Stub> greens_;
    std::unique_ptr<v1::Artifacts::Stub> data_;
    std::unique_ptr<v1::Datasets::Stub> datasets_;
    std::unique_ptr<v1::Workers::Stub> workers_;
    std::unique_ptr<v1::Admin::Stub> admins_;
    v1::GreensBatch batch_;
    const std::string worker_ = store::make_uuid();
};

/// Returns a status as a client reports it: its fields, or its reason.
inline std::string told(const grpc::Status& status) {
    try {
        rpc::throw_error(status, "call");
    } catch (const ValidationError& error) {
        std::string fields;
        for (const Violation& violation : error.violations()) {
            fields += (fields.empty() ? "" : " ") + violation.field;
        }
        return fields;
    } catch (const rpc::ReasonedError& error) {
        return error.reason();
    } catch (const Error& error) {
        return std::string(to_string(error.code()));
    }
}

}  // namespace kaname::service
