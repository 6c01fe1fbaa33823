// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <vector>

#include "proto/kaname/v1/workers_service.pb.h"
#include "server/service/context.hpp"
#include "server/service/datasets/transfers.hpp"
#include "server/service/jobs/logs.hpp"
#include "server/service/jobs/resolved_request.hpp"
#include "server/service/stream/calls.hpp"

namespace kaname::service {

/// Gives agents tasks to do, and the files that these tasks take.
class Claims {
public:
    Claims(Context& context, RequestCache& requests, Logs& logs)
        : context_(context), requests_(requests), logs_(logs) {}

    /// One answer, which may be long in coming.
    [[nodiscard]] Answers<v1::ClaimResponse> claim(v1::ClaimRequest request,
                                                   auth::Principal caller);
    [[nodiscard]] Answers<FilePart> get_input(const v1::ReadArtifactRequest& request,
                                              const auth::Principal& caller);

private:
    /// `again`: the call has asked before, so that only ready tasks can have come.
    std::vector<store::ClaimedTask> claim_for_somebody(const v1::ClaimRequest& request, bool again);
    /// Which of the inputs an answer names.
    struct Page {
        std::size_t from = 0;
        bool whole = false;
    };
    /// Fails the tasks, and returns false, when something that they need is lost: the file is
    /// named, and forgotten where a retry can make it again.
    bool describe_or_fail(const std::string& worker_id,
                          const std::vector<store::ClaimedTask>& tasks, Page page,
                          v1::ClaimResponse& reply);
    /// Throws NotFound or InvalidArgument naming what is lost.
    void describe(const std::vector<store::ClaimedTask>& tasks, Page page,
                  v1::ClaimResponse& reply);
    /// For whoever watches.
    void begin(const std::string& worker_id, const std::vector<store::ClaimedTask>& tasks);
    void offer_checkpoints(const std::vector<store::ClaimedTask>& tasks, v1::ClaimResponse& reply);
    /// The results of earlier stages that a stage of `resolved` takes. Throws NotFound as describe.
    void name_inputs(const request::Task& stage, const std::vector<std::string>& noted_missing,
                     const ResolvedRequest& resolved, Page page, v1::ClaimResponse& reply);

    Context& context_;
    RequestCache& requests_;
    Logs& logs_;
};

/// Attempts at tasks, as workers name them.

[[nodiscard]] store::Held held_of(const v1::TaskRef& ref);
[[nodiscard]] std::vector<store::Held> all_held(
    const google::protobuf::RepeatedPtrField<v1::TaskRef>& refs);

/// How an attempt ended, as Meters::ended has it.
struct AttemptEnd {
    const char* outcome = "";
    std::string reason = {};
};
/// An attempt of this worker ended: its owner is charged, it is counted, and its progress is told
/// no more. Another's goes on.
void end_attempt(Context& context, const std::string& worker_id, store::Held task,
                 const AttemptEnd& end);

}  // namespace kaname::service
