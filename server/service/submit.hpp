// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <set>
#include <span>

#include "proto/kaname/v1/job.pb.h"
#include "server/service/specs.hpp"

namespace kaname::service {

struct SubmitRequest {
    v1::GreensBatch batch;
    std::string request_id;
    bool validate_only = false;
    int priority = 0;
};

/// Results that the store knows and whose file is lost are computed again.
void forget_lost_results(Context& context, std::span<const std::string> content_keys);

/// From a batch to a queued job: check, preflight, plan, store.
class Submitter {
public:
    Submitter(Context& context, Specs& specs) : context_(context), specs_(specs) {}

    /// The job with its report; of validate_only the report alone. Throws ValidationError with
    /// everything that is wrong with the batch, ReasonedError REQUEST_ID_CONFLICT.
    v1::Job submit(SubmitRequest request, const auth::Principal& principal);

private:
    void check_request(const SubmitRequest& request) const;

    Context& context_;
    Specs& specs_;
    std::mutex mutex_;
    std::set<std::string> accepted_;  ///< requests that need no second preflight
};

}  // namespace kaname::service
