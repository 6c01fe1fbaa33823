// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <map>
#include <mutex>
#include <string>

#include "proto/kaname/v1/greens_service.pb.h"
#include "proto/kaname/v1/jobs_service.pb.h"
#include "server/service/context.hpp"
#include "server/service/datasets/dataset_keeper.hpp"
#include "server/service/jobs/bulk_work.hpp"
#include "server/service/jobs/logs.hpp"
#include "server/service/jobs/submit.hpp"
#include "server/service/stream/calls.hpp"

namespace kaname::service {

/// Hashes of requests, which never change and may be megabytes: who asks for a job again and
/// again has it read once. Safe from any thread.
class RequestHashes {
public:
    /// Empty: not known.
    [[nodiscard]] std::string of(const std::string& job_id);
    void keep(const std::string& job_id, const std::string& sha256);

private:
    std::mutex mutex_;
    std::map<std::string, std::string> known_;
};

/// Jobs: submitted, watched, cancelled, tried again; their logs.
class Jobs {
public:
    Jobs(Context& context, Submitter& submitter, const Logs& logs, BulkWork& bulk)
        : context_(context), submitter_(submitter), logs_(logs), bulk_(bulk) {}

    void create_job(const v1::CreateJobRequest& request, const auth::Principal& principal,
                    v1::Job& reply, const helpers::Caller& gone = {},
                    const std::string& traceparent = {});
    void get_job(const v1::GetJobRequest& request, v1::Job& reply);
    void list_jobs(const v1::ListJobsRequest& request, v1::ListJobsResponse& reply);
    void list_items(const v1::ListItemsRequest& request, v1::ListItemsResponse& reply);
    /// These three are for the job's owner; see check_owner for who else. Of a large job the first
    /// two answer after a few seconds, with a job that is active and says in its progress what is
    /// left; the rest is done in the background.
    void cancel_job(const v1::CancelJobRequest& request, const auth::Principal& caller,
                    v1::Job& reply);
    void retry_job(const v1::RetryJobRequest& request, const auth::Principal& caller,
                   v1::Job& reply);
    void delete_job(const v1::DeleteJobRequest& request, const auth::Principal& caller);
    [[nodiscard]] Answers<v1::JobUpdate> watch_job(v1::WatchJobRequest request);
    [[nodiscard]] Answers<v1::LogChunk> tail_logs(v1::TailLogsRequest request);

private:
    [[nodiscard]] store::JobItem item_labelled(const std::string& job_id, const std::string& label);
    /// Events after `seq`, with the items that they are of.
    struct Told {
        std::vector<store::JobEvent> events;
        std::map<std::int64_t, store::JobItem> items;  ///< by ordinal
    };
    [[nodiscard]] Told events_after(const store::Job& job, std::int64_t seq, int most);

    Context& context_;
    Submitter& submitter_;
    const Logs& logs_;
    BulkWork& bulk_;
    RequestHashes hashes_;
};

/// Batches in pieces, results as they come, and answers for other rheologies.
class Greens {
public:
    Greens(Context& context, Submitter& submitter, DatasetMaker& datasets)
        : context_(context), submitter_(submitter), datasets_(datasets) {}

    void submit_batch(const Read<v1::SubmitBatchRequest>& read, const auth::Principal& principal,
                      v1::Job& reply, const helpers::Caller& gone = {},
                      const std::string& traceparent = {});
    [[nodiscard]] Answers<v1::GreensResult> stream_results(v1::StreamResultsRequest request);
    /// A bounded piece at a time, so that a slow client costs no memory.
    [[nodiscard]] Answers<v1::AnswerResult> answer(v1::AnswerRequest request, helpers::Caller gone);

private:
    Context& context_;
    Submitter& submitter_;
    DatasetMaker& datasets_;
};

/// A job is its submitter's, by name. Returns when the caller is the owner or has role `others`,
/// which may do this to anybody's; throws NotFound, or Refusal naming the owner and that role.
/// `verb`: "cancel", for the message.
void check_owner(Context& context, const auth::Principal& caller, const std::string& job_id,
                 auth::Role others, const std::string& verb);

}  // namespace kaname::service
