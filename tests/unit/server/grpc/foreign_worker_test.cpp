// SPDX-License-Identifier: BSD-3-Clause
// A worker with a token of its own against what is another's: every worker RPC, by table. All of it
// is refused and nothing is lost: in the end the rightful worker completes its task.
#include <functional>
#include <map>

#include "server/service/jobs/resolved_request.hpp"
#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::foreign_worker_test {
namespace {

using grpc::Status;
using grpc::StatusCode;

const std::string kHuge(3U << 20U, 'x');

class ForeignWorker : public ApiTest {
protected:
    ForeignWorker() : thief_(tokens_.issue("thief", auth::Role::Worker)) {
        submit();
        register_worker();
        pack_ = claim();
        EXPECT_GT(pack_.tasks_size(), 0);
    }
    ~ForeignWorker() override {
        EXPECT_TRUE(complete(pack_.tasks(0), "the result").ok()) << "the task was lost";
        const auto found = store_.find_artifact(pack_.tasks(0).content_key());
        EXPECT_TRUE(found && found->sha256 == sha256_hex("the result"));
        EXPECT_EQ(log_.find("stolen"), std::string::npos);
    }

    using Caller = std::function<Status(const std::string& token, const std::string& worker,
                                        const v1::TaskRef& task)>;
    template <class Request, class Reply, class Method>
    Caller naming(Method method, void (*fill)(Request&, const v1::TaskRef&)) {
        return [=, this](const std::string& token, const std::string& worker,
                         const v1::TaskRef& task) {
            Request request;
            request.set_worker_id(worker);
            fill(request, task);
            Reply reply;
            return call(*workers_, method, token, request, reply);
        };
    }
    /// Every RPC of the service, as a call that names a worker and a task where it can.
    std::map<std::string, Caller> calls() {
        using Stub = v1::Workers::Stub;
        using Empty = google::protobuf::Empty;
        const auto look = [](v1::GetUploadRequest& r, const v1::TaskRef&) {
            r.set_sha256(sha256_hex("the result"));
            r.set_bytes(10);
        };
        std::map<std::string, Caller> all;
        all["Register"] = naming<v1::RegisterRequest, v1::RegisterResponse>(
            &Stub::Register, +[](v1::RegisterRequest& r, const v1::TaskRef&) {
                r.set_ranks(1);
                r.set_threads(1);
            });
        all["Leave"] = naming<v1::LeaveRequest, Empty>(
            &Stub::Leave, +[](v1::LeaveRequest&, const v1::TaskRef&) {});
        all["Claim"] = naming<v1::ClaimRequest, v1::ClaimResponse>(
            &Stub::Claim, +[](v1::ClaimRequest& r, const v1::TaskRef&) {
                r.set_claim_id(store::make_uuid());
                r.add_pools("none");
            });
        all["Heartbeat"] = naming<v1::HeartbeatRequest, v1::HeartbeatResponse>(
            &Stub::Heartbeat, +[](v1::HeartbeatRequest&, const v1::TaskRef&) {});
        all["Complete"] = naming<v1::CompleteRequest, v1::CompleteResponse>(
            &Stub::Complete, +[](v1::CompleteRequest& r, const v1::TaskRef& task) {
                *r.add_results()->mutable_ref() = task;
                r.mutable_results(0)->set_sha256(sha256_hex("stolen"));
                r.mutable_results(0)->set_bytes(6);
            });
        all["Fail"] = naming<v1::FailRequest, Empty>(
            &Stub::Fail, +[](v1::FailRequest& r, const v1::TaskRef& task) {
                *r.mutable_ref() = task;
                r.set_error_class("stolen");
            });
        all["ReturnTasks"] = naming<v1::ReturnTasksRequest, Empty>(
            &Stub::ReturnTasks,
            +[](v1::ReturnTasksRequest& r, const v1::TaskRef& task) { *r.add_refs() = task; });
        all["PutLog"] = naming<v1::PutLogRequest, Empty>(
            &Stub::PutLog, +[](v1::PutLogRequest& r, const v1::TaskRef& task) {
                *r.add_refs() = task;
                r.set_data("stolen\n");
            });
        all["GetResultUpload"] =
            naming<v1::GetUploadRequest, v1::Upload>(&Stub::GetResultUpload, +look);
        all["GetCheckpointUpload"] =
            naming<v1::GetUploadRequest, v1::Upload>(&Stub::GetCheckpointUpload, +look);
        all["GetInput"] = [this](auto& token, auto& worker, const v1::TaskRef&) {
            Call context(token);
            v1::ReadArtifactRequest request;
            request.set_worker_id(worker);
            request.set_sha256(pack_.spec_sha256());
            const auto reader = workers_->GetInput(&context, request);
            v1::ReadArtifactResponse part;
            while (reader->Read(&part)) {
            }
            return reader->Finish();
        };
        all["PutResult"] = [this](auto& token, auto& worker, const v1::TaskRef&) {
            Call context(token);
            v1::Artifact reply;
            const auto writer = workers_->PutResult(&context, &reply);
            v1::PutRequest part;
            part.mutable_header()->set_sha256(sha256_hex("stolen"));
            part.mutable_header()->set_bytes(6);
            part.mutable_header()->set_worker_id(worker);
            writer->Write(part);
            part.set_chunk("stolen");
            writer->Write(part);
            writer->WritesDone();
            return writer->Finish();
        };
        all["PutResults"] = [this](auto& token, auto& worker, const v1::TaskRef&) {
            return put_results(token, worker, {{"stolen", "stolen"}}).status;
        };
        all["PutCheckpoint"] = [this](auto& token, auto& worker, const v1::TaskRef& task) {
            return put_checkpoint(token, worker, task, "half done", "half done");
        };
        return all;
    }
    Status put_checkpoint(const std::string& token, const std::string& worker,
                          const v1::TaskRef& task, const std::string& named,
                          const std::string& sent) {
        Call context(token);
        v1::Artifact reply;
        const auto writer = workers_->PutCheckpoint(&context, &reply);
        v1::PutCheckpointRequest part;
        part.mutable_header()->set_worker_id(worker);
        *part.mutable_header()->add_refs() = task;
        part.mutable_header()->mutable_file()->set_sha256(sha256_hex(named));
        part.mutable_header()->mutable_file()->set_bytes(static_cast<std::int64_t>(named.size()));
        writer->Write(part);
        if (!sent.empty()) {
            part.set_chunk(sent);
            writer->Write(part);
        }
        writer->WritesDone();
        return writer->Finish();
    }
    Status register_thief() { return calls().at("Register")(thief_, thieves_worker_, {}); }
    Status complete_with(const std::string& text, std::int64_t bytes) {
        v1::CompleteRequest request;
        request.set_worker_id(worker_);
        *request.add_results()->mutable_ref() = pack_.tasks(0).ref();
        request.mutable_results(0)->set_sha256(sha256_hex(text));
        request.mutable_results(0)->set_bytes(bytes);
        v1::CompleteResponse reply;
        return call(*workers_, &v1::Workers::Stub::Complete, agent_, request, reply);
    }

    const std::string thief_;
    const std::string thieves_worker_ = store::make_uuid();
    v1::ClaimResponse pack_;
};

TEST_F(ForeignWorker, EveryRpcRefusesTheWorkerOfAnotherToken) {
    ASSERT_TRUE(register_thief().ok());
    ASSERT_TRUE(put_result(thief_, "stolen").ok());
    const auto table = calls();
    const auto* service = v1::RegisterRequest::descriptor()->file()->FindServiceByName("Workers");
    ASSERT_NE(service, nullptr);
    for (int m = 0; m < service->method_count(); ++m) {
        const std::string& name = service->method(m)->name();
        ASSERT_TRUE(table.contains(name)) << name << " has no row";

        const Status status = table.at(name)(thief_, worker_, pack_.tasks(0).ref());

        EXPECT_EQ(status.error_code(), StatusCode::PERMISSION_DENIED)
            << name << ": " << status.error_message();
    }
}

TEST_F(ForeignWorker, TasksOfAnotherWorkerAndStaleFencesAreRefused) {
    ASSERT_TRUE(register_thief().ok());
    ASSERT_TRUE(put_result(thief_, "stolen").ok());
    ASSERT_TRUE(put_result(agent_, "stolen").ok());
    const v1::TaskRef task = pack_.tasks(0).ref();
    v1::TaskRef older = task, newer = task;
    older.set_fence(task.fence() - 1);
    newer.set_fence(task.fence() + 1);
    auto table = calls();

    for (const char* name : {"Complete", "Fail", "ReturnTasks", "PutLog", "PutCheckpoint"}) {
        EXPECT_EQ(told(table[name](thief_, thieves_worker_, task)), rpc::kLeaseLost) << name;
        EXPECT_EQ(told(table[name](agent_, worker_, older)), rpc::kLeaseLost) << name;
        EXPECT_EQ(told(table[name](agent_, worker_, newer)), rpc::kLeaseLost) << name;
    }
    EXPECT_FALSE(checkpoints_.exists(sha256_hex("half done")));
    v1::Task named = pack_.tasks(0);
    EXPECT_TRUE(running_.key_of(worker_, {task.task_id(), task.fence()})) << "charged as ended";
}

TEST_F(ForeignWorker, ProgressOfAnothersTasksIsNotShown) {
    ASSERT_TRUE(register_thief().ok());
    beat(pack_, 0.25, "step 1 of 4");
    v1::HeartbeatRequest request;
    request.set_worker_id(thieves_worker_);
    v1::TaskProgress& progress = *request.add_progress();
    *progress.mutable_ref() = pack_.tasks(0).ref();
    progress.set_content_key(pack_.tasks(0).content_key());
    progress.set_text("stolen");
    v1::HeartbeatResponse reply;
    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Heartbeat, thief_, request, reply).ok());

    v1::ListWorkersResponse workers;
    ASSERT_TRUE(
        call(*admins_, &v1::Admin::Stub::ListWorkers, viewer_, v1::ListWorkersRequest(), workers)
            .ok());

    for (const v1::Worker& worker : workers.workers()) {
        EXPECT_EQ(worker.text(), worker.name() == "workers/" + worker_ ? "step 1 of 4" : "");
    }
}

TEST_F(ForeignWorker, ATaskEndsWithAFileThatItsWorkerPutAndItsSize) {
    ASSERT_TRUE(register_thief().ok());
    ASSERT_TRUE(put_result(thief_, "stolen").ok());
    (void)put_text(artifacts_, "an input");
    ASSERT_TRUE(
        put_checkpoint(agent_, worker_, pack_.tasks(0).ref(), "half done", "half done").ok());

    EXPECT_EQ(complete_with("nothing", 7).error_code(), StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(complete_with("stolen", 6).error_code(), StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(complete_with("an input", 8).error_code(), StatusCode::FAILED_PRECONDITION);
    EXPECT_EQ(complete_with("half done", 9).error_code(), StatusCode::FAILED_PRECONDITION);
    ASSERT_TRUE(put_result(agent_, "my own").ok());
    EXPECT_EQ(told(complete_with("my own", 1'000'000)), "results.bytes");
}

TEST_F(ForeignWorker, AFileThatIsThereIsPutOnlyByWhoHasItsBytes) {
    ASSERT_TRUE(register_thief().ok());
    ASSERT_TRUE(put_result(agent_, "shared").ok());
    const auto put = [&](const std::string& sent) {
        Call context(thief_);
        v1::Artifact reply;
        const auto writer = workers_->PutResult(&context, &reply);
        v1::PutRequest part;
        part.mutable_header()->set_sha256(sha256_hex("shared"));
        part.mutable_header()->set_bytes(6);
        writer->Write(part);
        if (!sent.empty()) {
            part.set_chunk(sent);
            writer->Write(part);
        }
        writer->WritesDone();
        return writer->Finish();
    };

    EXPECT_EQ(told(put("")), "header");
    EXPECT_EQ(told(put("guess!")), "header");
    EXPECT_FALSE(store_.has_uploaded(tokens_.find(thief_)->token_id, sha256_hex("shared")));
    EXPECT_TRUE(put("shared").ok());
    EXPECT_TRUE(store_.has_uploaded(tokens_.find(thief_)->token_id, sha256_hex("shared")));
}

TEST_F(ForeignWorker, ACheckpointThatNamesAResultTakesNothingOfIt) {
    ASSERT_TRUE(put_result(agent_, "precious").ok());

    const Status status = put_checkpoint(agent_, worker_, pack_.tasks(0).ref(), "precious", "");

    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    (void)store_.forget_checkpoints(
        [&](const std::string& hash) { (void)checkpoints_.remove(hash); });
    EXPECT_TRUE(artifacts_.exists(sha256_hex("precious")));
}

TEST_F(ForeignWorker, ACheckpointThatIsThereIsNamedOnlyByWhoHasItsBytes) {
    ASSERT_TRUE(register_thief().ok());
    const v1::TaskRef task = pack_.tasks(0).ref();
    const std::string text = "half done", sha256 = sha256_hex(text);
    ASSERT_TRUE(put_checkpoint(agent_, worker_, task, text, text).ok());
    store::Submission submission;
    submission.principal = submission.owner = "bob";
    submission.request_id = "another";
    submission.body_sha256 = sha256_hex("another");
    submission.name = "its";
    submission.request = "{}";
    store::WantedItem item;
    item.content_key = sha256_hex("its");
    item.verb = "mesh";
    item.pool = "own";
    submission.items = {item};
    (void)store_.submit(submission);
    const auto own = store_.claim({thieves_worker_, {"own"}, "c1", "", ""});
    ASSERT_EQ(own.size(), 1U);
    v1::TaskRef its;
    its.set_task_id(own[0].task_id);
    its.set_fence(own[0].fence);

    v1::GetUploadRequest look;
    look.set_worker_id(thieves_worker_);
    look.set_sha256(sha256);
    look.set_bytes(static_cast<std::int64_t>(text.size()));
    v1::Upload upload;
    EXPECT_TRUE(
        call(*workers_, &v1::Workers::Stub::GetCheckpointUpload, thief_, look, upload).ok());
    EXPECT_FALSE(upload.complete());
    EXPECT_EQ(upload.offset(), 0);
    EXPECT_EQ(told(put_checkpoint(thief_, thieves_worker_, its, text, "")), "header");
    EXPECT_EQ(told(put_checkpoint(thief_, thieves_worker_, its, text, "guess it!")), "header");
    EXPECT_FALSE(store_.find_checkpoints({&own[0].task_id, 1})[0]);

    EXPECT_TRUE(put_checkpoint(thief_, thieves_worker_, its, text, text).ok());
    EXPECT_TRUE(store_.find_checkpoints({&own[0].task_id, 1})[0]);
    EXPECT_TRUE(put_checkpoint(agent_, worker_, task, text, "").ok()) << "its reply was lost";
}

TEST_F(ForeignWorker, AHeaderWithoutBytesLeavesNothingBehind) {
    const auto files = [&] {
        int n = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
            n += entry.is_regular_file() ? 1 : 0;
        }
        return n;
    };
    const int before = files();
    const auto put = [&](const std::string& token) {
        Call context(token);
        v1::Artifact reply;
        v1::PutRequest part;
        part.mutable_header()->set_sha256(sha256_hex("unsent"));
        part.mutable_header()->set_bytes(6);
        if (token == agent_) {
            const auto writer = workers_->PutResult(&context, &reply);
            writer->Write(part);
            writer->WritesDone();
            return writer->Finish();
        }
        const auto writer = data_->Put(&context, &reply);
        writer->Write(part);
        writer->WritesDone();
        return writer->Finish();
    };

    EXPECT_EQ(told(put(agent_)), "chunk");
    EXPECT_EQ(told(put(user_)), "chunk");
    EXPECT_EQ(told(put_checkpoint(agent_, worker_, pack_.tasks(0).ref(), "unsent", "")), "chunk");
    EXPECT_EQ(files(), before);
}

TEST_F(ForeignWorker, InputsAreForLiveWorkersOfTheCaller) {
    const auto read = [&](const std::string& token, const std::string& worker) {
        return calls().at("GetInput")(token, worker, {});
    };
    EXPECT_EQ(read(thief_, "").error_code(), StatusCode::PERMISSION_DENIED);
    EXPECT_EQ(read(thief_, store::make_uuid()).error_code(), StatusCode::PERMISSION_DENIED);
    EXPECT_TRUE(read(agent_, "").ok()) << "as agents of earlier versions ask";
    ASSERT_TRUE(register_thief().ok());
    EXPECT_TRUE(read(thief_, "").ok());

    v1::LeaveRequest leave;
    leave.set_worker_id(thieves_worker_);
    google::protobuf::Empty reply;
    ASSERT_TRUE(call(*workers_, &v1::Workers::Stub::Leave, thief_, leave, reply).ok());
    EXPECT_EQ(read(thief_, "").error_code(), StatusCode::PERMISSION_DENIED);
    EXPECT_EQ(read(thief_, thieves_worker_).error_code(), StatusCode::PERMISSION_DENIED);
}

TEST_F(ForeignWorker, UploadsThatNameNoWorkerAreForTokensWithALiveOne) {
    for (const char* name : {"GetResultUpload", "GetCheckpointUpload", "PutResult"}) {
        EXPECT_EQ(calls().at(name)(thief_, "", {}).error_code(), StatusCode::PERMISSION_DENIED)
            << name;
        EXPECT_NE(calls().at(name)(agent_, "", {}).error_code(), StatusCode::PERMISSION_DENIED)
            << name << ", as agents of earlier versions ask";
    }
}

TEST_F(ForeignWorker, AGpuOfALiveWorkerIsRegisteredByNobodyElse) {
    const auto take = [&](const std::string& token, const std::string& worker) {
        v1::RegisterRequest request;
        request.set_worker_id(worker);
        request.set_ranks(1);
        request.set_threads(1);
        request.add_gpu_uuids("GPU-7");
        v1::RegisterResponse reply;
        return call(*workers_, &v1::Workers::Stub::Register, token, request, reply);
    };
    ASSERT_TRUE(take(agent_, worker_).ok());

    const Status status = take(thief_, thieves_worker_);

    EXPECT_EQ(status.error_code(), StatusCode::ALREADY_EXISTS);
    EXPECT_NE(status.error_message().find("\"GPU-7\" is that of worker " + worker_),
              std::string::npos);
    EXPECT_TRUE(take(agent_, worker_).ok());
}

TEST_F(ForeignWorker, NobodyTellsOfGpusThatItDidNotRegister) {
    ASSERT_TRUE(register_thief().ok());
    const auto tell = [&](bool fault, const std::string& gpu) {
        v1::HeartbeatRequest request;
        request.set_worker_id(thieves_worker_);
        if (fault) {
            request.add_faults()->set_gpu_uuid(gpu);
            request.mutable_faults(0)->set_fault_id(store::make_uuid());
        } else {
            request.add_gpus()->set_uuid(gpu);
        }
        v1::HeartbeatResponse reply;
        return call(*workers_, &v1::Workers::Stub::Heartbeat, thief_, request, reply);
    };

    for (int n = 0; n < store::StoreOptions{}.gpu_faults; ++n) {
        EXPECT_EQ(tell(true, "GPU-7").error_code(), StatusCode::PERMISSION_DENIED);
        EXPECT_EQ(tell(false, "GPU-7").error_code(), StatusCode::PERMISSION_DENIED);
    }
    EXPECT_THROW(store_.uncordon_gpu("GPU-7"), Error) << "it was cordoned";
}

TEST_F(ForeignWorker, TextsHaveLimits) {
    const auto registers = [&](const std::function<void(v1::RegisterRequest&)>& change) {
        v1::RegisterRequest request;
        request.set_worker_id(worker_);
        request.set_ranks(1);
        request.set_threads(1);
        change(request);
        v1::RegisterResponse reply;
        return told(call(*workers_, &v1::Workers::Stub::Register, agent_, request, reply));
    };
    EXPECT_EQ(registers([](auto& r) { r.set_name(kHuge); }), "name");
    EXPECT_EQ(registers([](auto& r) { r.set_host(kHuge); }), "host");
    EXPECT_EQ(registers([](auto& r) { r.set_version(kHuge); }), "version");
    EXPECT_EQ(registers([](auto& r) { r.add_gpu_uuids(kHuge); }), "gpu_uuids");
    EXPECT_EQ(registers([](auto& r) {
                  for (int k = 0; k < 1000; ++k) {
                      r.add_gpu_uuids("GPU-" + std::to_string(k));
                  }
              }),
              "gpu_uuids");
    EXPECT_EQ(registers([](auto& r) { r.set_worker_id(kHuge); }), "worker_id");

    const auto beats = [&](const std::function<void(v1::HeartbeatRequest&)>& change) {
        v1::HeartbeatRequest request;
        request.set_worker_id(worker_);
        change(request);
        v1::HeartbeatResponse reply;
        return call(*workers_, &v1::Workers::Stub::Heartbeat, agent_, request, reply);
    };
    EXPECT_EQ(told(beats([](auto& r) {
                  r.add_gpus()->set_uuid("GPU-1");
                  r.mutable_gpus(0)->set_name(kHuge);
              })),
              "gpus.name");
    EXPECT_EQ(told(beats([](auto& r) { r.add_gpus()->set_uuid(kHuge); })), "gpus.uuid");
    EXPECT_EQ(told(beats([](auto& r) { r.add_progress()->set_content_key(kHuge); })),
              "progress.content_key");
    EXPECT_TRUE(beats([&](auto& r) {
                    *r.add_held() = pack_.tasks(0).ref();
                    r.set_not_ready(kHuge);
                    r.add_progress()->set_content_key(pack_.tasks(0).content_key());
                    *r.mutable_progress(0)->mutable_ref() = pack_.tasks(0).ref();
                }).ok());

    v1::ListWorkersResponse workers;
    ASSERT_TRUE(
        call(*admins_, &v1::Admin::Stub::ListWorkers, viewer_, v1::ListWorkersRequest(), workers)
            .ok());
    EXPECT_LT(workers.ByteSizeLong(), 10'000U);
}

}  // namespace
}  // namespace kaname::service::foreign_worker_test
