// SPDX-License-Identifier: BSD-3-Clause
// Every RPC's bad calls in one table: status code, and the field or reason that clients act upon.
#include <algorithm>
#include <limits>

#include "server/service/jobs/resolved_request.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/text.hpp"
#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::bad_calls_test {
namespace {

using grpc::StatusCode;

class BadCalls : public ApiTest {
protected:
    void expect(const std::string& what, const grpc::Status& status, StatusCode code,
                const std::string& reason) {
        EXPECT_EQ(status.error_code(), code) << what << ": " << status.error_message();
        EXPECT_EQ(told(status), reason) << what;
    }
    template <class Method, class Request>
    grpc::Status jobs(Method method, const Request& request) {
        v1::Job reply;
        return call(*jobs_, method, user_, request, reply);
    }
    grpc::Status create(const std::function<void(v1::CreateJobRequest&)>& change) {
        v1::CreateJobRequest request;
        *request.mutable_batch() = batch_;
        request.set_request_id(store::make_uuid());
        change(request);
        return jobs(&v1::Jobs::Stub::CreateJob, request);
    }
    grpc::Status list(const std::function<void(v1::ListJobsRequest&)>& change) {
        v1::ListJobsRequest request;
        change(request);
        v1::ListJobsResponse reply;
        return call(*jobs_, &v1::Jobs::Stub::ListJobs, user_, request, reply);
    }
    grpc::Status put(const std::vector<v1::PutRequest>& parts) {
        Call context(user_);
        v1::Artifact reply;
        const auto writer = data_->Put(&context, &reply);
        for (const v1::PutRequest& part : parts) {
            if (!writer->Write(part)) {
                break;
            }
        }
        writer->WritesDone();
        return writer->Finish();
    }
    static v1::PutRequest header(const std::string& sha256, std::int64_t bytes,
                                 std::int64_t offset = 0) {
        v1::PutRequest part;
        part.mutable_header()->set_sha256(sha256);
        part.mutable_header()->set_bytes(bytes);
        part.mutable_header()->set_offset(offset);
        return part;
    }
    static v1::PutRequest chunk(const std::string& bytes) {
        v1::PutRequest part;
        part.set_chunk(bytes);
        return part;
    }

    const std::string unknown_ = store::make_uuid();
};

TEST_F(BadCalls, TokensAndRoles) {
    const auto get = [&](const std::string& token) {
        v1::ListJobsResponse reply;
        return call(*jobs_, &v1::Jobs::Stub::ListJobs, token, v1::ListJobsRequest(), reply);
    };
    expect("no token", get(""), StatusCode::UNAUTHENTICATED, rpc::kTokenMissing);
    expect("unknown token", get("guess"), StatusCode::UNAUTHENTICATED, rpc::kTokenUnknown);
    expect("worker lists jobs", get(agent_), StatusCode::PERMISSION_DENIED, rpc::kRoleTooLow);
    EXPECT_TRUE(get(viewer_).ok());

    v1::Job job;
    v1::CancelJobRequest cancel;
    cancel.set_name(unknown_);
    expect("viewer cancels", call(*jobs_, &v1::Jobs::Stub::CancelJob, viewer_, cancel, job),
           StatusCode::PERMISSION_DENIED, rpc::kRoleTooLow);
    v1::ClaimResponse claimed;
    expect("admin claims",
           call(*workers_, &v1::Workers::Stub::Claim, admin_, v1::ClaimRequest(), claimed),
           StatusCode::PERMISSION_DENIED, rpc::kRoleTooLow);
    v1::Worker worker;
    expect("user drains",
           call(*admins_, &v1::Admin::Stub::DrainWorker, user_, v1::DrainWorkerRequest(), worker),
           StatusCode::PERMISSION_DENIED, rpc::kRoleTooLow);
    v1::Upload upload;
    expect("viewer uploads",
           call(*data_, &v1::Artifacts::Stub::GetUpload, viewer_, v1::GetUploadRequest(), upload),
           StatusCode::PERMISSION_DENIED, rpc::kRoleTooLow);
    v1::ListDatasetsResponse datasets;
    expect("worker lists datasets",
           call(*datasets_, &v1::Datasets::Stub::ListDatasets, agent_, v1::ListDatasetsRequest(),
                datasets),
           StatusCode::PERMISSION_DENIED, rpc::kRoleTooLow);
}

TEST_F(BadCalls, CreateJob) {
    expect("no request id", create([](auto& r) { r.clear_request_id(); }),
           StatusCode::INVALID_ARGUMENT, "request_id");
    for (const int priority : {101, -101, std::numeric_limits<std::int32_t>::min()}) {
        expect("priority", create([&](auto& r) { r.set_priority(priority); }),
               StatusCode::INVALID_ARGUMENT, "priority");
    }
    expect("all fields at once", create([](auto& r) {
               r.mutable_batch()->mutable_region()->set_depth_m(-1);
               r.mutable_batch()->mutable_time()->set_alpha(2);
           }),
           StatusCode::INVALID_ARGUMENT, "region.depth_m time.alpha");
    expect("file that was not uploaded", create([](auto& r) {
               r.mutable_batch()->mutable_stations()->add_files()->set_sha256(std::string(64, 'a'));
           }),
           StatusCode::INVALID_ARGUMENT, "stations.files[0]");
    expect("file without a hash", create([](auto& r) {
               r.mutable_batch()->mutable_stations()->add_files()->set_path("/etc/passwd");
           }),
           StatusCode::INVALID_ARGUMENT, "stations.files[0].sha256");
    compute_.refusal = [] {
        throw ValidationError(std::vector<Violation>{{"stations.list[1]", "outside the region"}});
    };
    expect("preflight", create([](auto&) {}), StatusCode::INVALID_ARGUMENT, "stations.list[1]");
    compute_.refusal = [] { throw Error(ErrorCode::Unavailable, "took longer than 300 s"); };
    expect("slow preflight", create([](auto&) {}), StatusCode::UNAVAILABLE, "Unavailable");
    compute_.refusal = nullptr;
    const std::string request = store::make_uuid();
    submit(request);
    expect("request id of another body", create([&](auto& r) {
               r.set_request_id(request);
               r.set_priority(3);
           }),
           StatusCode::ALREADY_EXISTS, rpc::kRequestIdConflict);
    EXPECT_EQ(store_.list_jobs({}, 10, "").rows.size(), 1U);
}

TEST_F(BadCalls, AFileThatIsThereIsTakenAgainAndComparedAlone) {
    const std::string bytes = "some file";
    const std::string sha256 = sha256_hex(bytes);
    const auto size = static_cast<std::int64_t>(bytes.size());
    for (int k = 0; k < 3; ++k) {
        EXPECT_TRUE(put({header(sha256, size), chunk("some "), chunk("file")}).ok()) << k;
    }
    EXPECT_TRUE(put({header(sha256, size)}).ok());
    EXPECT_TRUE(put({header(sha256, size, size)}).ok());
    expect("other bytes", put({header(sha256, size), chunk("same file")}),
           StatusCode::INVALID_ARGUMENT, "InvalidArgument");
    expect("fewer", put({header(sha256, size), chunk("some")}), StatusCode::INVALID_ARGUMENT,
           "InvalidArgument");
    expect("more", put({header(sha256, size), chunk(bytes + "!")}), StatusCode::INVALID_ARGUMENT,
           "InvalidArgument");
}

TEST_F(BadCalls, FilesAreCalledAsTheirOwnersCallThem) {
    const auto refusal = [&](const std::string& stations, const std::string& name) {
        const std::string sha256 = put_text(artifacts_, stations);
        const grpc::Status status = create([&](auto& r) {
            v1::File& file = *r.mutable_batch()->mutable_stations()->add_files();
            file.set_sha256(sha256);
            file.set_path(name);
        });
        EXPECT_FALSE(status.ok());
        EXPECT_EQ(status.error_message().find(folder_.path().string()), std::string::npos)
            << status.error_message();
        return status.error_message();
    };
    const std::string broken = "station,lon_deg,lat_deg\nA,138\n";
    EXPECT_NE(refusal(broken, "mine.csv").find("mine.csv"), std::string::npos);
    EXPECT_NE(refusal(broken, "").find("file " + sha256_hex(broken)), std::string::npos);

    const std::string good = "station,lon_deg,lat_deg\nA,138,36\n";
    compute_.refusal = [&] {
        throw Error(ErrorCode::Unavailable,
                    artifacts_.object_path(sha256_hex(good)).string() + ": cannot be read");
    };
    EXPECT_NE(refusal(good, "mine.csv").find("mine.csv: cannot be read"), std::string::npos);
}

TEST_F(BadCalls, Jobs) {
    v1::GetJobRequest get;
    get.set_name("jobs/" + unknown_);
    expect("unknown job", jobs(&v1::Jobs::Stub::GetJob, get), StatusCode::NOT_FOUND,
           rpc::kJobUnknown);
    get.set_name("jobs/../../etc");
    expect("malformed name", jobs(&v1::Jobs::Stub::GetJob, get), StatusCode::INVALID_ARGUMENT,
           "name");
    v1::CancelJobRequest cancel;
    cancel.set_name(unknown_);
    expect("cancel unknown", jobs(&v1::Jobs::Stub::CancelJob, cancel), StatusCode::NOT_FOUND,
           rpc::kJobUnknown);
    const v1::Job job = submit();
    v1::DeleteJobRequest remove;
    remove.set_name(job.name());
    google::protobuf::Empty nothing;
    const auto delete_job = [&] {
        return call(*jobs_, &v1::Jobs::Stub::DeleteJob, user_, remove, nothing);
    };
    expect("delete active", delete_job(), StatusCode::FAILED_PRECONDITION, rpc::kJobActive);
    store_.cancel_job(id_of(job));
    remove.set_etag(job.etag());
    expect("stale etag", delete_job(), StatusCode::ABORTED, rpc::kEtagMismatch);
    v1::ListItemsRequest items;
    items.set_job(job.name());
    items.set_page_token("7.guess");
    v1::ListItemsResponse page;
    expect("token of nothing", call(*jobs_, &v1::Jobs::Stub::ListItems, user_, items, page),
           StatusCode::INVALID_ARGUMENT, "InvalidArgument");
}

TEST_F(BadCalls, ListJobs) {
    expect("page size", list([](auto& r) { r.set_page_size(-1); }), StatusCode::INVALID_ARGUMENT,
           "page_size");
    expect("order", list([](auto& r) { r.set_order_by("name"); }), StatusCode::INVALID_ARGUMENT,
           "order_by");
    for (const char* filter :
         {"state", "state =", "state = active", "state = \"gone\"", "colour = \"red\"",
          "state = \"done\" OR", "title = \"x", "title = \"x\" AND "}) {
        expect(filter, list([&](auto& r) { r.set_filter(filter); }), StatusCode::INVALID_ARGUMENT,
               "filter");
    }
    submit();
    submit();
    v1::ListJobsRequest one;
    one.set_page_size(1);
    v1::ListJobsResponse page;
    ASSERT_TRUE(call(*jobs_, &v1::Jobs::Stub::ListJobs, user_, one, page).ok());
    expect("token of another filter", list([&](auto& r) {
               r.set_page_token(page.next_page_token());
               r.set_filter("title = \"tiny\"");
           }),
           StatusCode::INVALID_ARGUMENT, "InvalidArgument");
}

TEST_F(BadCalls, Watching) {
    const v1::Job job = submit();
    const auto watch = [&](const std::string& name, const std::string& token) {
        Call context(viewer_);
        v1::WatchJobRequest request;
        request.set_name(name);
        request.set_resume_token(token);
        const auto reader = jobs_->WatchJob(&context, request);
        v1::JobUpdate update;
        while (reader->Read(&update)) {
        }
        return reader->Finish();
    };
    expect("unknown job", watch(unknown_, ""), StatusCode::NOT_FOUND, rpc::kJobUnknown);
    expect("token of another job", watch(job.name(), unknown_ + ".1"), StatusCode::INVALID_ARGUMENT,
           "resume_token");
    expect("token of nothing", watch(job.name(), id_of(job) + ".x"), StatusCode::INVALID_ARGUMENT,
           "resume_token");
    const auto stream = [&](const std::string& token) {
        Call context(viewer_);
        v1::StreamResultsRequest request;
        request.set_job(job.name());
        request.set_resume_token(token);
        const auto reader = greens_->StreamResults(&context, request);
        v1::GreensResult result;
        while (reader->Read(&result)) {
        }
        return reader->Finish();
    };
    expect("stream token", stream("nonsense"), StatusCode::INVALID_ARGUMENT, "resume_token");
    Call context(viewer_);
    v1::TailLogsRequest logs;
    logs.set_job(job.name());
    logs.set_label("s99d99/dip_slip");
    const auto reader = jobs_->TailLogs(&context, logs);
    v1::LogChunk chunk;
    while (reader->Read(&chunk)) {
    }
    expect("log of no stage", reader->Finish(), StatusCode::NOT_FOUND, "NotFound");
}

TEST_F(BadCalls, Uploads) {
    const std::string hash = sha256_hex("abc");
    expect("no header", put({chunk("abc")}), StatusCode::INVALID_ARGUMENT, "header");
    expect("bad hash", put({header("../../x", 3)}), StatusCode::INVALID_ARGUMENT,
           "InvalidArgument");
    expect("negative size", put({header(hash, -3)}), StatusCode::INVALID_ARGUMENT, "header.bytes");
    expect("oversized", put({header(hash, 65 << 20)}), StatusCode::RESOURCE_EXHAUSTED,
           rpc::kLimitExceeded);
    expect("wrong content", put({header(hash, 3), chunk("abX")}), StatusCode::INVALID_ARGUMENT,
           "InvalidArgument");
    expect("too short", put({header(hash, 3), chunk("ab")}), StatusCode::INVALID_ARGUMENT,
           "InvalidArgument");
    expect("wrong offset", put({header(hash, 3, 1), chunk("c")}), StatusCode::INVALID_ARGUMENT,
           "InvalidArgument");
    expect("huge chunk",
           put({header(sha256_hex(std::string(2 << 20, 'a')), 2 << 20),
                chunk(std::string(2 << 20, 'a'))}),
           StatusCode::INVALID_ARGUMENT, "chunk");
    EXPECT_FALSE(artifacts_.exists(hash));
    EXPECT_TRUE(put({header(hash, 3, 2), chunk("c")}).ok());  // "ab" had been kept
    EXPECT_TRUE(put({header(hash, 3, 3)}).ok());
}

TEST_F(BadCalls, Downloads) {
    const std::string text = "abc";
    const auto upload = artifacts_.begin_put(sha256_hex(text), 3);
    upload->write(0, std::as_bytes(std::span(text)));
    upload->commit();
    const auto read = [&](const std::string& hash, std::int64_t offset) {
        Call context(viewer_);
        v1::ReadArtifactRequest request;
        request.set_sha256(hash);
        request.set_read_offset(offset);
        const auto reader = data_->ReadArtifact(&context, request);
        v1::ReadArtifactResponse message;
        while (reader->Read(&message)) {
        }
        return reader->Finish();
    };
    expect("unknown", read(sha256_hex("x"), 0), StatusCode::NOT_FOUND, "NotFound");
    expect("past the end", read(sha256_hex(text), 4), StatusCode::OUT_OF_RANGE, "OutOfRange");
    expect("negative", read(sha256_hex(text), -1), StatusCode::INVALID_ARGUMENT, "read_offset");
    EXPECT_TRUE(read(sha256_hex(text), 3).ok());

    const v1::Job job = submit();
    v1::GetDatasetRequest get;
    get.set_name("datasets/" + id_of(job));
    v1::Dataset dataset;
    expect("unfinished", call(*datasets_, &v1::Datasets::Stub::GetDataset, viewer_, get, dataset),
           StatusCode::FAILED_PRECONDITION, rpc::kResultNotReady);
    get.set_allow_partial(true);
    expect("nothing done yet",
           call(*datasets_, &v1::Datasets::Stub::GetDataset, viewer_, get, dataset),
           StatusCode::FAILED_PRECONDITION, rpc::kResultNotReady);
}

TEST_F(BadCalls, SubmitBatch) {
    const std::string bytes = batch_.SerializeAsString();
    const auto send = [&](bool with_header, std::int64_t pieces, const std::string& hash,
                          bool commit) {
        Call context(user_);
        v1::Job job;
        const auto writer = greens_->SubmitBatch(&context, &job);
        v1::SubmitBatchRequest part;
        if (with_header) {
            part.mutable_header()->set_request_id(store::make_uuid());
            writer->Write(part);
        }
        part.set_piece(bytes);
        writer->Write(part);
        if (commit) {
            part.mutable_commit()->set_pieces(pieces);
            part.mutable_commit()->set_sha256(hash);
            writer->Write(part);
        }
        writer->WritesDone();
        return writer->Finish();
    };
    expect("no header", send(false, 1, sha256_hex(bytes), true), StatusCode::INVALID_ARGUMENT,
           "header");
    expect("lost piece", send(true, 2, sha256_hex(bytes), true), StatusCode::INVALID_ARGUMENT,
           "commit");
    expect("other hash", send(true, 1, sha256_hex("x"), true), StatusCode::INVALID_ARGUMENT,
           "commit");
    expect("no commit", send(true, 1, "", false), StatusCode::INVALID_ARGUMENT, "commit");
    EXPECT_TRUE(store_.list_jobs({}, 10, "").rows.empty());
    EXPECT_TRUE(send(true, 1, sha256_hex(bytes), true).ok());
    EXPECT_EQ(store_.list_jobs({}, 10, "").rows.size(), 1U);
}

TEST_F(BadCalls, Workers) {
    v1::RegisterRequest registration;
    registration.set_worker_id("me");
    v1::RegisterResponse registered;
    const auto enrol = [&] {
        return call(*workers_, &v1::Workers::Stub::Register, agent_, registration, registered);
    };
    expect("worker id", enrol(), StatusCode::INVALID_ARGUMENT, "worker_id");
    registration.set_worker_id(worker_);
    expect("ranks", enrol(), StatusCode::INVALID_ARGUMENT, "ranks");
    v1::ClaimRequest claiming;
    claiming.set_worker_id(worker_);
    v1::ClaimResponse claimed;
    const auto claim_as = [&] {
        return call(*workers_, &v1::Workers::Stub::Claim, agent_, claiming, claimed);
    };
    expect("claim id", claim_as(), StatusCode::INVALID_ARGUMENT, "claim_id");
    claiming.set_claim_id("one");
    claiming.add_pools("cpu");
    expect("unknown worker", claim_as(), StatusCode::NOT_FOUND, "NotFound");
    claiming.set_wait_s(21);
    expect("long wait", claim_as(), StatusCode::INVALID_ARGUMENT, "wait_s");

    register_worker();
    submit();
    const v1::ClaimResponse mesh = claim();
    ASSERT_EQ(mesh.tasks_size(), 1);
    expect("complete before put", complete(mesh.tasks(0), "mesh", false),
           StatusCode::FAILED_PRECONDITION, "NotReady");
    v1::Task stale = mesh.tasks(0);
    stale.mutable_ref()->set_fence(stale.ref().fence() + 1);
    expect("stale fence", complete(stale, "mesh"), StatusCode::ABORTED, rpc::kLeaseLost);
    v1::FailRequest failure;
    failure.set_worker_id(worker_);
    *failure.mutable_ref() = stale.ref();
    google::protobuf::Empty nothing;
    expect("fail of another's", call(*workers_, &v1::Workers::Stub::Fail, agent_, failure, nothing),
           StatusCode::ABORTED, rpc::kLeaseLost);
    EXPECT_TRUE(complete(mesh.tasks(0), "mesh").ok());
    EXPECT_TRUE(complete(mesh.tasks(0), "mesh").ok());  // a lost reply
    v1::DrainWorkerRequest drain;
    drain.set_name("workers/" + unknown_);
    v1::Worker worker;
    expect("drain unknown", call(*admins_, &v1::Admin::Stub::DrainWorker, admin_, drain, worker),
           StatusCode::NOT_FOUND, "NotFound");
}

TEST_F(BadCalls, AFullStoreNamesItsFolderAndRoomAndIsInTheLog) {
    register_worker();
    free_bytes_ = 5;
    Call context(agent_);
    v1::Artifact reply;
    const auto writer = workers_->PutResult(&context, &reply);
    writer->Write(header(sha256_hex("0123456789"), 10));
    writer->WritesDone();

    const grpc::Status status = writer->Finish();

    expect("no room", status, StatusCode::RESOURCE_EXHAUSTED, rpc::kDiskFull);
    const std::string expected = "artifact store " + (folder_.path() / "artifacts").string() +
                                 " is full: 5 bytes free, 10 needed";
    EXPECT_NE(status.error_message().find(expected), std::string::npos) << status.error_message();
    EXPECT_NE(log().find(expected), std::string::npos) << log();
}

TEST_F(BadCalls, AMessageThatIsCutInsideACharacterIsStillText) {
    register_worker();
    const v1::Job job = submit();
    v1::FailRequest failure;
    failure.set_worker_id(worker_);
    *failure.mutable_ref() = claim().tasks(0).ref();
    failure.set_error_class("crashed");
    std::string message = std::string("nul \0 ", 6);
    while (message.size() < 17000) {
        message += "\u5730\u9707";  // three bytes each: 16 KiB lie inside one
    }
    failure.set_message(message);
    google::protobuf::Empty nothing;
    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Fail, agent_, failure, nothing).ok());

    v1::ListItemsRequest request;
    request.set_job(job.name());
    v1::ListItemsResponse items;
    const grpc::Status listed = call(*jobs_, &v1::Jobs::Stub::ListItems, user_, request, items);

    ASSERT_TRUE(listed.ok()) << listed.error_message();
    const auto mesh = std::ranges::find(items.items(), "mesh", &v1::Item::verb);
    ASSERT_NE(mesh, items.items().end());
    EXPECT_TRUE(is_utf8(mesh->error()));
    EXPECT_NE(mesh->error().find("nul \uFFFD \u5730"), std::string::npos);
    EXPECT_EQ(mesh->error().find('\0'), std::string::npos);
    EXPECT_GT(mesh->error().size(), (16U << 10U) - 3);
}

TEST_F(BadCalls, ThousandsOfViolationsArriveAsSomeAndTheirNumber) {
    compute_.refusal = [] {
        throw ValidationError(std::vector<Violation>(
            5000,
            {"stations.list[1]", "must lie inside the region, got 138.0 \u00b0E 36.0 \u00b0N"}));
    };

    const grpc::Status status = create([](auto&) {});

    ASSERT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << status.error_message();
    const std::string fields = told(status);
    EXPECT_TRUE(fields.starts_with("stations.list[1] stations.list[1] ")) << fields;
    EXPECT_TRUE(fields.ends_with(" ...")) << fields;
}

}  // namespace
}  // namespace kaname::service::bad_calls_test
