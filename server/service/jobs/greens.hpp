// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "proto/kaname/v1/greens_service.pb.h"
#include "server/service/datasets/dataset_keeper.hpp"
#include "server/service/jobs/submit.hpp"
#include "server/service/stream/calls.hpp"

namespace kaname::service {

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

}  // namespace kaname::service
