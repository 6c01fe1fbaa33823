// SPDX-License-Identifier: BSD-3-Clause
// Who may do what: every RPC of every service that proto/kaname/v1 has, against every role and
// ownership. A new RPC without a row fails here.
#include <filesystem>
#include <map>
#include <sstream>

#include <google/protobuf/descriptor.h>
#include <grpcpp/generic/generic_stub.h>

#include "tests/unit/server/grpc/api_fixture.hpp"

namespace kaname::service::roles_test {
namespace {

using grpc::StatusCode;

constexpr const char* kReaders = "viewer user operator admin";
constexpr const char* kSubmitters = "user operator admin";
constexpr const char* kOperators = "operator admin";

/// Who may call it; "owner" is the user whose job the request names. What "user" may, an owner may.
const std::map<std::string, std::string> kMay = {
    {"kaname.v1.Jobs.CreateJob", kSubmitters},
    {"kaname.v1.Jobs.GetJob", kReaders},
    {"kaname.v1.Jobs.ListJobs", kReaders},
    {"kaname.v1.Jobs.ListItems", kReaders},
    {"kaname.v1.Jobs.CancelJob", "owner operator admin"},
    {"kaname.v1.Jobs.RetryJob", "owner operator admin"},
    {"kaname.v1.Jobs.DeleteJob", "owner admin"},
    {"kaname.v1.Jobs.WatchJob", kReaders},
    {"kaname.v1.Jobs.TailLogs", kReaders},
    {"kaname.v1.Greens.SubmitBatch", kSubmitters},
    {"kaname.v1.Greens.StreamResults", kReaders},
    {"kaname.v1.Greens.Answer", kReaders},
    {"kaname.v1.Artifacts.GetUpload", kSubmitters},
    {"kaname.v1.Artifacts.Put", kSubmitters},
    {"kaname.v1.Artifacts.GetArtifact", kReaders},
    {"kaname.v1.Artifacts.ReadArtifact", kReaders},
    {"kaname.v1.Artifacts.ReadSlice", kReaders},
    {"kaname.v1.Datasets.ListDatasets", kReaders},
    {"kaname.v1.Datasets.GetDataset", kReaders},
    {"kaname.v1.Datasets.UpdateDataset", "owner operator admin"},
    {"kaname.v1.Datasets.DeleteDataset", "owner admin"},
    {"kaname.v1.Datasets.RetainDatasets", kOperators},
    {"kaname.v1.Campaigns.CreateCampaign", kSubmitters},
    {"kaname.v1.Campaigns.ExtendCampaign", "owner operator admin"},
    {"kaname.v1.Campaigns.GetCampaign", kReaders},
    {"kaname.v1.Campaigns.ListCampaigns", kReaders},
    {"kaname.v1.Campaigns.ListMembers", kReaders},
    {"kaname.v1.Campaigns.WatchCampaign", kReaders},
    {"kaname.v1.Campaigns.PauseCampaign", "owner operator admin"},
    {"kaname.v1.Campaigns.ResumeCampaign", "owner operator admin"},
    {"kaname.v1.Campaigns.CancelCampaign", "owner operator admin"},
    {"kaname.v1.Campaigns.RetryCampaign", "owner operator admin"},
    {"kaname.v1.Campaigns.SetCampaignLimits", "owner operator admin"},
    {"kaname.v1.Campaigns.DeleteCampaign", "owner admin"},
    {"kaname.v1.Workers.Register", "worker"},
    {"kaname.v1.Workers.Leave", "worker"},
    {"kaname.v1.Workers.Claim", "worker"},
    {"kaname.v1.Workers.Heartbeat", "worker"},
    {"kaname.v1.Workers.Complete", "worker"},
    {"kaname.v1.Workers.Fail", "worker"},
    {"kaname.v1.Workers.ReturnTasks", "worker"},
    {"kaname.v1.Workers.GetInput", "worker"},
    {"kaname.v1.Workers.GetResultUpload", "worker"},
    {"kaname.v1.Workers.PutResult", "worker"},
    {"kaname.v1.Workers.PutResults", "worker"},
    {"kaname.v1.Workers.PutCheckpoint", "worker"},
    {"kaname.v1.Workers.GetCheckpointUpload", "worker"},
    {"kaname.v1.Workers.PutLog", "worker"},
    {"kaname.v1.Admin.ListWorkers", kReaders},
    {"kaname.v1.Admin.DrainWorker", kOperators},
    {"kaname.v1.Admin.SetDrain", kOperators},
    {"kaname.v1.Admin.ListDrains", kReaders},
    {"kaname.v1.Admin.SetQuota", kOperators},
    {"kaname.v1.Admin.ListQuotas", kReaders},
    {"kaname.v1.Admin.UncordonGpu", kOperators},
    {"kaname.v1.Admin.SetCordon", kOperators},
    {"kaname.v1.Admin.ListCordons", kReaders},
    {"kaname.v1.Admin.GetStats", kReaders},
    {"kaname.v1.Admin.ListGpuHistory", kReaders},
    {"kaname.v1.Admin.ListBackups", "admin"},
    {"kaname.v1.Admin.MakeToken", "admin"},
    {"kaname.v1.Admin.ListTokens", "admin"},
    {"kaname.v1.Admin.RevokeToken", "admin"},
    {"kaname.v1.Admin.MakeLoginCode", kReaders},
    {"kaname.v1.Admin.CollectGarbage", "admin"},
    {"kaname.v1.Admin.ListAuditEvents", "admin"},
};

bool has_word(const std::string& words, const std::string& word) {
    std::istringstream in(words);
    for (std::string one; in >> one;) {
        if (one == word) {
            return true;
        }
    }
    return false;
}

class Roles : public ApiTest {
protected:
    Roles() {
        callers_ = {{"viewer", viewer_},
                    {"owner", user_},
                    {"user", tokens_.issue("bob", auth::Role::User)},
                    {"operator", tokens_.issue("olga", auth::Role::Operator)},
                    {"admin", admin_},
                    {"worker", agent_}};
    }

    /// All methods of all services of proto/kaname/v1.
    static std::vector<const google::protobuf::MethodDescriptor*> methods() {
        std::vector<const google::protobuf::MethodDescriptor*> found;
        const std::filesystem::path folder = "proto/kaname/v1";
        for (const auto& entry : std::filesystem::directory_iterator(KANAME_SOURCE_DIR / folder)) {
            if (!entry.path().filename().string().ends_with("_service.proto")) {
                continue;
            }
            const auto* file = google::protobuf::DescriptorPool::generated_pool()->FindFileByName(
                folder / entry.path().filename());
            EXPECT_NE(file, nullptr) << entry.path() << " is not served";
            for (int s = 0; file != nullptr && s < file->service_count(); ++s) {
                for (int m = 0; m < file->service(s)->method_count(); ++m) {
                    found.push_back(file->service(s)->method(m));
                }
            }
        }
        return found;
    }

    /// Returns the status of the method's answer to one request of any kind; a stream is left after
    /// its first message.
    StatusCode answer(const google::protobuf::MethodDescriptor& method, const std::string& token,
                      const std::string& request) {
        Call context(token);
        grpc::GenericStub stub(channel_);
        grpc::CompletionQueue queue;
        const std::string path = "/" + method.service()->full_name() + "/" + method.name();
        const auto next = [&] {
            void* tag = nullptr;
            bool ok = false;
            return queue.Next(&tag, &ok) && ok;
        };
        const auto call = stub.PrepareCall(&context, path, &queue);
        call->StartCall(nullptr);
        next();
        const grpc::Slice slice(request);
        call->WriteLast(grpc::ByteBuffer(&slice, 1), grpc::WriteOptions(), nullptr);
        next();
        grpc::ByteBuffer reply;
        call->Read(&reply, nullptr);
        if (next() && method.server_streaming()) {
            context.TryCancel();
        }
        grpc::Status status;
        call->Finish(&status, nullptr);
        next();
        queue.Shutdown();
        return status.error_code();
    }

    /// A campaign of the owner.
    std::string make_campaign() {
        store::NewCampaign wanted;
        wanted.principal = wanted.owner = "ann";
        wanted.request_id = store::make_uuid();
        wanted.title = "many";
        wanted.axes = wanted.cost = "{}";
        wanted.members = {{"a", "{}", "{}"}};
        return store_.create_campaign(wanted).campaign_id;
    }
    /// Field 1 names the job or campaign in all that an owner may, but where it is in the header.
    static std::string request_naming(const google::protobuf::MethodDescriptor& method,
                                      const std::string& name) {
        if (method.name() == "ExtendCampaign") {
            v1::CreateCampaignRequest request;
            request.mutable_header()->set_campaign(name);
            return request.SerializeAsString();
        }
        v1::GetJobRequest request;
        const bool dataset = method.service()->name() == "Datasets" && !name.empty();
        request.set_name(dataset ? "datasets" + name.substr(name.find('/')) : name);
        return request.SerializeAsString();
    }

    std::map<std::string, std::string> callers_;
};

TEST_F(Roles, EveryMethodHasARowAndEveryRowAMethod) {
    std::set<std::string> names;
    for (const auto* method : methods()) {
        names.insert(method->full_name());
        EXPECT_TRUE(kMay.contains(method->full_name()))
            << method->full_name() << " has no row: who may call it?";
    }
    for (const auto& [name, may] : kMay) {
        EXPECT_TRUE(names.contains(name)) << name << " is no method";
    }
}

TEST_F(Roles, EveryMethodLetsInWhoMayAndNobodyElse) {
    register_worker();  // inputs are for tokens with a live one
    for (const auto* method : methods()) {
        const std::string& may = kMay.at(method->full_name());
        const bool owned = has_word(may, "owner");
        for (const std::string& stranger : {std::string(), std::string("guess")}) {
            EXPECT_EQ(answer(*method, stranger, ""), StatusCode::UNAUTHENTICATED)
                << method->full_name();
        }
        for (const auto& [role, token] : callers_) {
            SCOPED_TRACE(method->full_name() + " by " + role);
            const bool of_job = owned && method->service()->name() != "Campaigns";
            const v1::Job job = of_job ? submit() : v1::Job();
            const std::string campaign = owned && !of_job ? make_campaign() : "";
            const std::string named = request_naming(*method, of_job ? job.name() : campaign);
            const bool allowed = has_word(may, role) || (role == "owner" && has_word(may, "user"));

            const StatusCode code = answer(*method, token, owned ? named : std::string());

            EXPECT_EQ(code == StatusCode::PERMISSION_DENIED, !allowed) << "code " << code;
            EXPECT_NE(code, StatusCode::UNAUTHENTICATED);
            EXPECT_NE(code, StatusCode::UNIMPLEMENTED);
            if (owned && !of_job && !allowed) {
                EXPECT_EQ(store_.get_campaign(campaign).turn, 1);
            } else if (owned && !allowed) {
                EXPECT_EQ(store_.get_job(id_of(job)).state, store::JobState::Active);
            }
        }
    }
}

TEST_F(Roles, RefusalsNameTheOwnerAndTheRole) {
    const v1::Job job = submit();
    v1::CancelJobRequest request;
    request.set_name(job.name());
    v1::Job reply;

    const grpc::Status status =
        call(*jobs_, &v1::Jobs::Stub::CancelJob, callers_["user"], request, reply);

    EXPECT_EQ(status.error_code(), StatusCode::PERMISSION_DENIED);
    EXPECT_EQ(status.error_message(), "job " + id_of(job) +
                                          " belongs to \"ann\": \"bob\", role user, may not cancel "
                                          "it; its owner or role operator may");
}

TEST_F(Roles, ARequestIdBelongsToItsPrincipal) {
    const std::string id = store::make_uuid();
    const v1::Job of_ann = submit(id);
    v1::CreateJobRequest request;
    *request.mutable_batch() = batch_;
    request.set_request_id(id);
    request.set_priority(7);  // another body: of the same principal it would be a conflict
    v1::Job of_bob;

    const grpc::Status status =
        call(*jobs_, &v1::Jobs::Stub::CreateJob, callers_["user"], request, of_bob);

    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_NE(of_bob.name(), of_ann.name());
    EXPECT_EQ(of_bob.owner(), "bob");
    EXPECT_EQ(store_.get_job(id_of(of_ann)).priority, 0);
    EXPECT_EQ(submit(id).name(), of_ann.name());
}

TEST_F(Roles, ChangesAndRefusalsAreInTheAudit) {
    const v1::Job job = submit();
    v1::CancelJobRequest cancel;
    cancel.set_name(job.name());
    v1::Job reply;
    EXPECT_FALSE(call(*jobs_, &v1::Jobs::Stub::CancelJob, callers_["user"], cancel, reply).ok());
    EXPECT_FALSE(call(*jobs_, &v1::Jobs::Stub::CancelJob, viewer_, cancel, reply).ok());
    EXPECT_TRUE(call(*jobs_, &v1::Jobs::Stub::CancelJob, callers_["operator"], cancel, reply).ok());
    v1::RetryJobRequest retry;
    retry.set_name(job.name());
    EXPECT_TRUE(call(*jobs_, &v1::Jobs::Stub::RetryJob, user_, retry, reply).ok());
    v1::ListAuditEventsRequest request;
    request.set_page_size(3);
    v1::ListAuditEventsResponse page;

    std::vector<std::string> told;
    do {
        ASSERT_TRUE(call(*admins_, &v1::Admin::Stub::ListAuditEvents, admin_, request, page).ok());
        for (const v1::AuditEvent& event : page.events()) {
            told.push_back(event.principal() + '/' + event.role() + ' ' + event.method() + ' ' +
                           event.resource() + ' ' + event.outcome().substr(0, 7));
        }
        request.set_page_token(page.next_page_token());
    } while (!page.next_page_token().empty());

    EXPECT_EQ(told, (std::vector<std::string>{
                        "ann/user RetryJob " + job.name() + " ok",
                        "olga/operator CancelJob " + job.name() + " ok",
                        "viewer/viewer CancelJob  refused",
                        "bob/user CancelJob " + job.name() + " refused",
                        "ann/user CreateJob " + job.name() + " ok",
                    }));
}

TEST_F(Roles, RefusalsThatComeTooFastAreCounted) {
    v1::CancelJobRequest request;
    request.set_name(store::make_uuid());
    v1::Job reply;
    for (int n = 0; n < 3 * Refusals::kPerMinute; ++n) {
        EXPECT_FALSE(call(*jobs_, &v1::Jobs::Stub::CancelJob, viewer_, request, reply).ok());
    }

    // The minute may have turned once meanwhile.
    EXPECT_LE(store_.list_audit(1000, "").rows.size(), 2U * Refusals::kPerMinute);
}

}  // namespace
}  // namespace kaname::service::roles_test
