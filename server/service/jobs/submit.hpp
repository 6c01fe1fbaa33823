// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "proto/kaname/v1/job.pb.h"
#include "server/service/jobs/bulk_work.hpp"
#include "server/service/jobs/resolved_request.hpp"

namespace kaname::service {

inline constexpr int kMaxPriority = 100;  ///< of a job or campaign, to either side of 0

struct SubmitRequest {
    std::unique_ptr<google::protobuf::Message> specification;  ///< of a kind that the server knows
    std::string request_id;
    bool validate_only = false;
    int priority = 0;
    helpers::Caller gone = {};  ///< the caller
    std::string campaign = {};  ///< as in store::Submission, with the member
    std::int64_t member = 0;
    std::string traceparent = {};  ///< as the caller sent it; ignored where it is malformed
    std::unique_ptr<helpers::ShareQueue::Share> memory = {};  ///< null: taken where it is needed
};

/// The serialised message of this type, a kind of request; GreensBatch when `type` is empty. Throws
/// ValidationError of `field`.
[[nodiscard]] std::unique_ptr<google::protobuf::Message> parse_specification(
    const request::Kinds& kinds, const std::string& type, const std::string& bytes,
    const std::string& field);

/// Results that the store knows and whose file is lost are computed again. Returns the others, for
/// each key.
std::vector<std::optional<store::Artifact>> forget_lost_results(
    Context& context, std::span<const std::string> content_keys);

/// From a request to a queued job: check, preflight, plan, store.
class Submitter {
public:
    Submitter(Context& context, RequestCache& requests, BulkWork& bulk)
        : context_(context), requests_(requests), bulk_(bulk) {}

    /// The job with its report; of validate_only the report alone. A large job is answered when it
    /// is durable, though not all of its tasks are there, which its progress says: BulkWork makes
    /// them. Throws ValidationError with everything that is wrong with it, ReasonedError
    /// REQUEST_ID_CONFLICT.
    v1::Job submit(SubmitRequest request, const auth::Principal& principal);

private:
    void check_request(const SubmitRequest& request) const;

    Context& context_;
    RequestCache& requests_;
    BulkWork& bulk_;
    std::mutex mutex_;
    std::set<std::string> accepted_;  ///< requests that need no second preflight
};

}  // namespace kaname::service
