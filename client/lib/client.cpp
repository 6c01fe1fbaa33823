// SPDX-License-Identifier: BSD-3-Clause
#include "client/lib/client.hpp"

#include <algorithm>

#include "client/lib/calls.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/log_line.hpp"

namespace kaname::client {
namespace {

using std::chrono::seconds;

constexpr seconds kPreflight{600};
constexpr std::size_t kUnaryBatch = 3U << 20U;  // gRPC takes 4 MiB
constexpr std::size_t kPiece = 1U << 20U;

/// Returns what all pages of a list have; `call` asks for one.
template <class Request, class Reply, class Item>
std::vector<Item> all_pages(const google::protobuf::RepeatedPtrField<Item>& (Reply::*items)() const,
                            const auto& call) {
    std::vector<Item> all;
    Request request;
    do {
        Reply reply;
        call(request, reply);
        all.insert(all.end(), (reply.*items)().begin(), (reply.*items)().end());
        request.set_page_token(reply.next_page_token());
    } while (!request.page_token().empty());
    return all;
}

}  // namespace

Client::Client(Endpoint endpoint, ClientOptions options)
    : parts_(std::make_unique<Parts>(std::move(endpoint), std::move(options))) {}
Client::~Client() = default;

const Endpoint& Client::endpoint() const {
    return parts_->endpoint;
}

bool Client::serving() {
    try {
        Parts::Call call(*parts_, seconds(2));
        v1::Stats reply;
        return parts_->admin->GetStats(&call, {}, &reply).ok();
    } catch (const Error&) {
        return false;
    }
}

v1::Job Client::submit(const google::protobuf::Message& specification,
                       const std::string& request_id, int priority, bool validate_only) {
    v1::Job job;
    const auto* batch = dynamic_cast<const v1::GreensBatch*>(&specification);
    if (specification.ByteSizeLong() <= kUnaryBatch) {
        v1::CreateJobRequest request;
        if (batch != nullptr) {
            *request.mutable_batch() = *batch;
        } else {
            request.mutable_specification()->PackFrom(specification);
        }
        request.set_request_id(request_id);
        request.set_priority(priority);
        request.set_validate_only(validate_only);
        parts_->unary("CreateJob", *parts_->jobs, &v1::Jobs::Stub::CreateJob, request, job,
                      kPreflight);
        return job;
    }
    const std::string bytes = specification.SerializeAsString();
    parts_->insist([&] {
        Parts::Call call(*parts_, kPreflight);
        const auto writer = parts_->greens->SubmitBatch(&call, &job);
        v1::SubmitBatchRequest part;
        part.mutable_header()->set_request_id(request_id);
        part.mutable_header()->set_priority(priority);
        part.mutable_header()->set_validate_only(validate_only);
        part.mutable_header()->set_bytes(static_cast<std::int64_t>(bytes.size()));
        part.mutable_header()->set_type(specification.GetDescriptor()->full_name());
        bool open = writer->Write(part);
        std::int64_t pieces = 0;
        for (std::size_t at = 0; open && at < bytes.size(); at += kPiece, ++pieces) {
            part.set_piece(bytes.substr(at, kPiece));
            open = writer->Write(part);
        }
        part.mutable_commit()->set_pieces(pieces);
        part.mutable_commit()->set_sha256(sha256_hex(bytes));
        (void)(open && writer->Write(part));
        writer->WritesDone();
        parts_->check(writer->Finish(), "SubmitBatch");
    });
    return job;
}

v1::Job Client::get_job(const std::string& id) {
    v1::GetJobRequest request;
    request.set_name("jobs/" + id);
    v1::Job job;
    parts_->unary("GetJob", *parts_->jobs, &v1::Jobs::Stub::GetJob, request, job);
    return job;
}

v1::ListJobsResponse Client::list_jobs(const std::string& filter, int page_size,
                                       const std::string& page_token) {
    v1::ListJobsRequest request;
    request.set_filter(filter);
    request.set_page_size(page_size);
    request.set_page_token(page_token);
    v1::ListJobsResponse reply;
    parts_->unary("ListJobs", *parts_->jobs, &v1::Jobs::Stub::ListJobs, request, reply);
    return reply;
}

std::vector<v1::Item> Client::list_items(const std::string& job_id) {
    constexpr int kPage = 1000;
    v1::ListItemsRequest request;
    request.set_job("jobs/" + job_id);
    request.set_page_size(kPage);
    std::vector<v1::Item> items;
    do {
        v1::ListItemsResponse reply;
        parts_->unary("ListItems", *parts_->jobs, &v1::Jobs::Stub::ListItems, request, reply);
        items.insert(items.end(), reply.items().begin(), reply.items().end());
        request.set_page_token(reply.next_page_token());
    } while (!request.page_token().empty());
    return items;
}

v1::Job Client::cancel_job(const std::string& id) {
    v1::CancelJobRequest request;
    request.set_name("jobs/" + id);
    v1::Job job;
    parts_->unary("CancelJob", *parts_->jobs, &v1::Jobs::Stub::CancelJob, request, job);
    return job;
}

v1::Job Client::retry_job(const std::string& id) {
    v1::RetryJobRequest request;
    request.set_name("jobs/" + id);
    v1::Job job;
    parts_->unary("RetryJob", *parts_->jobs, &v1::Jobs::Stub::RetryJob, request, job);
    return job;
}

void Client::delete_job(const std::string& id, const std::string& etag) {
    v1::DeleteJobRequest request;
    request.set_name("jobs/" + id);
    request.set_etag(etag);
    google::protobuf::Empty reply;
    parts_->unary("DeleteJob", *parts_->jobs, &v1::Jobs::Stub::DeleteJob, request, reply);
}

void Client::watch_job(const std::string& id,
                       const std::function<void(const v1::JobUpdate&)>& on_update) {
    v1::WatchJobRequest request;
    request.set_name("jobs/" + id);
    resume(*parts_, [&] {
        Parts::Call call(*parts_, kStream);
        const auto reader = parts_->jobs->WatchJob(&call, request);
        v1::JobUpdate update;
        bool any = false;
        while (reader->Read(&update)) {
            any = true;
            request.set_resume_token(update.resume_token());
            on_update(update);
        }
        parts_->check(reader->Finish(), "WatchJob");
        return any;
    });
}

void Client::stream_results(const std::string& job_id, const std::string& resume_token,
                            const std::function<void(const v1::GreensResult&)>& on_result) {
    v1::StreamResultsRequest request;
    request.set_job("jobs/" + job_id);
    request.set_resume_token(resume_token);
    bool axes_seen = false;
    resume(*parts_, [&] {
        v1::GreensResult axes;  // said again by a stream that takes over
        Parts::Call call(*parts_, kStream);
        const auto reader = parts_->greens->StreamResults(&call, request);
        v1::GreensResult result;
        bool any = false;
        while (reader->Read(&result)) {
            any = true;
            if (!result.resume_token().empty()) {
                request.set_resume_token(result.resume_token());
            }
            if (!result.has_axes()) {
                on_result(result);
                continue;
            }
            axes.MergeFrom(result);
            const bool whole = axes.axes().stations_size() >= axes.axes().n_stations();
            if (whole && !axes_seen) {
                axes_seen = true;
                on_result(axes);
            }
        }
        parts_->check(reader->Finish(), "StreamResults");
        return any;
    });
}

void Client::tail_logs(const std::string& id, const std::string& label, bool follow,
                       const std::function<void(const std::string&)>& on_text) {
    v1::TailLogsRequest request;
    request.set_job("jobs/" + id);
    request.set_label(label);
    request.set_follow(follow);
    Parts::Call call(*parts_, kStream);
    const auto reader = parts_->jobs->TailLogs(&call, request);
    v1::LogChunk chunk;
    while (reader->Read(&chunk)) {
        on_text(chunk.data());
    }
    parts_->check(reader->Finish(), "TailLogs");
}

std::vector<v1::Worker> Client::list_workers() {
    return all_pages<v1::ListWorkersRequest>(
        &v1::ListWorkersResponse::workers, [this](const auto& request, auto& reply) {
            parts_->unary("ListWorkers", *parts_->admin, &v1::Admin::Stub::ListWorkers, request,
                          reply);
        });
}

std::vector<v1::Dispatch> Client::list_dispatches() {
    v1::ListWorkersResponse reply;
    parts_->unary("ListWorkers", *parts_->admin, &v1::Admin::Stub::ListWorkers,
                  v1::ListWorkersRequest(), reply);
    return {reply.dispatches().begin(), reply.dispatches().end()};
}

v1::Worker Client::drain_worker(const std::string& id, bool release, const std::string& reason) {
    v1::DrainWorkerRequest request;
    request.set_reason(reason);
    request.set_lift(release);
    request.set_name("workers/" + id);
    v1::Worker worker;
    parts_->unary("DrainWorker", *parts_->admin, &v1::Admin::Stub::DrainWorker, request, worker);
    return worker;
}

void Client::set_drain(const v1::Drain& drain, bool release) {
    v1::SetDrainRequest request;
    *request.mutable_drain() = drain;
    request.set_lift(release);
    v1::SetDrainResponse reply;
    parts_->unary("SetDrain", *parts_->admin, &v1::Admin::Stub::SetDrain, request, reply);
}

std::vector<v1::Drain> Client::list_drains() {
    return all_pages<v1::ListDrainsRequest>(
        &v1::ListDrainsResponse::drains, [this](const auto& request, auto& reply) {
            parts_->unary("ListDrains", *parts_->admin, &v1::Admin::Stub::ListDrains, request,
                          reply);
        });
}

void Client::set_cordon(const v1::Cordon& cordon, bool release) {
    v1::SetCordonRequest request;
    *request.mutable_cordon() = cordon;
    request.set_lift(release);
    v1::SetCordonResponse reply;
    parts_->unary("SetCordon", *parts_->admin, &v1::Admin::Stub::SetCordon, request, reply);
}

std::vector<v1::Cordon> Client::list_cordons() {
    return all_pages<v1::ListCordonsRequest>(
        &v1::ListCordonsResponse::cordons, [this](const auto& request, auto& reply) {
            parts_->unary("ListCordons", *parts_->admin, &v1::Admin::Stub::ListCordons, request,
                          reply);
        });
}

std::vector<v1::Backup> Client::list_backups() {
    return all_pages<v1::ListBackupsRequest>(
        &v1::ListBackupsResponse::backups, [this](const auto& request, auto& reply) {
            parts_->unary("ListBackups", *parts_->admin, &v1::Admin::Stub::ListBackups, request,
                          reply);
        });
}

v1::Quota Client::set_quota(const v1::SetQuotaRequest& request) {
    v1::Quota reply;
    parts_->unary("SetQuota", *parts_->admin, &v1::Admin::Stub::SetQuota, request, reply);
    return reply;
}

std::vector<v1::Quota> Client::list_quotas() {
    return all_pages<v1::ListQuotasRequest>(
        &v1::ListQuotasResponse::quotas, [this](const auto& request, auto& reply) {
            parts_->unary("ListQuotas", *parts_->admin, &v1::Admin::Stub::ListQuotas, request,
                          reply);
        });
}

v1::Stats Client::stats() {
    v1::Stats reply;
    parts_->unary("GetStats", *parts_->admin, &v1::Admin::Stub::GetStats, v1::GetStatsRequest(),
                  reply);
    return reply;
}

v1::CollectGarbageResponse Client::collect_garbage(bool dry_run) {
    Parts::Call call(*parts_, std::chrono::hours(1));
    v1::CollectGarbageRequest request;
    request.set_dry_run(dry_run);
    v1::CollectGarbageResponse reply;
    parts_->check(parts_->admin->CollectGarbage(&call, request, &reply), "CollectGarbage");
    return reply;
}

v1::MakeTokenResponse Client::make_token(const v1::MakeTokenRequest& request) {
    v1::MakeTokenRequest named = request;
    named.set_request_id(make_uuid());
    v1::MakeTokenResponse reply;
    parts_->unary("MakeToken", *parts_->admin, &v1::Admin::Stub::MakeToken, named, reply);
    return reply;
}

std::vector<v1::Token> Client::list_tokens() {
    return all_pages<v1::ListTokensRequest>(
        &v1::ListTokensResponse::tokens, [this](const auto& request, auto& reply) {
            parts_->unary("ListTokens", *parts_->admin, &v1::Admin::Stub::ListTokens, request,
                          reply);
        });
}

v1::Token Client::revoke_token(const std::string& id_or_name) {
    v1::RevokeTokenRequest request;
    request.set_token(id_or_name);
    v1::Token token;
    parts_->unary("RevokeToken", *parts_->admin, &v1::Admin::Stub::RevokeToken, request, token);
    return token;
}

std::string Client::make_login_code() {
    v1::MakeLoginCodeResponse reply;
    parts_->unary("MakeLoginCode", *parts_->admin, &v1::Admin::Stub::MakeLoginCode,
                  v1::MakeLoginCodeRequest(), reply);
    return reply.code();
}

std::vector<v1::AuditEvent> Client::list_audit_events(int limit,
                                                      const v1::ListAuditEventsRequest& filter) {
    constexpr int kPage = 1000;
    v1::ListAuditEventsRequest request = filter;
    std::vector<v1::AuditEvent> events;
    do {
        request.set_page_size(std::min(kPage, limit - static_cast<int>(events.size())));
        v1::ListAuditEventsResponse reply;
        parts_->unary("ListAuditEvents", *parts_->admin, &v1::Admin::Stub::ListAuditEvents, request,
                      reply);
        events.insert(events.end(), reply.events().begin(), reply.events().end());
        request.set_page_token(reply.next_page_token());
    } while (!request.page_token().empty() && static_cast<int>(events.size()) < limit);
    return events;
}

v1::Dataset Client::get_dataset(const std::string& job_id, bool allow_partial) {
    v1::GetDatasetRequest request;
    request.set_name("datasets/" + job_id);
    request.set_allow_partial(allow_partial);
    v1::Dataset dataset;
    parts_->unary("GetDataset", *parts_->datasets, &v1::Datasets::Stub::GetDataset, request,
                  dataset, kPreflight);
    return dataset;
}

}  // namespace kaname::client
