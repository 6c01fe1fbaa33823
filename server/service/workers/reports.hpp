// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "proto/kaname/v1/workers_service.pb.h"
#include "server/service/context.hpp"
#include "server/service/jobs/logs.hpp"
#include "server/service/stream/calls.hpp"
#include "solvers/base/checksums.hpp"

namespace kaname::service {

/// Takes the reports of agents about their tasks: results, failures, checkpoints and logs.
class Reports {
public:
    Reports(Context& context, Logs& logs) : context_(context), logs_(logs) {}

    /// Each result must have been put by this worker's token; its size is that of the file.
    void complete(const v1::CompleteRequest& request, const auth::Principal& caller,
                  v1::CompleteResponse& reply);
    void fail(const v1::FailRequest& request, const auth::Principal& caller);
    void return_tasks(const v1::ReturnTasksRequest& request, const auth::Principal& caller);
    void put_log(const v1::PutLogRequest& request, const auth::Principal& caller);
    /// A file that somebody else put is wanted from its beginning all the same.
    void get_result_upload(const v1::GetUploadRequest& request, const auth::Principal& caller,
                           v1::Upload& reply);
    void get_checkpoint_upload(const v1::GetUploadRequest& request, const auth::Principal& caller,
                               v1::Upload& reply);
    void put_result(const Read<v1::PutRequest>& read, const auth::Principal& caller,
                    v1::Artifact& reply);
    void put_results(const Read<v1::PutRequest>& read, const auth::Principal& caller,
                     v1::PutResultsResponse& reply);
    void put_checkpoint(const Read<v1::PutCheckpointRequest>& read, const auth::Principal& caller,
                        v1::Artifact& reply);

private:
    /// Reads a worker's bytes of a file that the store has already and compares their hash; keeps
    /// nothing.
    [[nodiscard]] v1::Artifact compare(const v1::PutRequest::Header& header,
                                       const Read<v1::PutRequest>& read);
    /// Content keys of the tasks that are this worker's.
    [[nodiscard]] std::vector<std::string> keys_of(const std::string& worker_id,
                                                   std::span<const store::Held> tasks);

    Context& context_;
    Logs& logs_;
};

/// Results of one worker that come one after the other in one stream. None is visible before all
/// are there; then they become durable together.
class ResultBatch {
public:
    static constexpr std::size_t kMost = 64;

    ResultBatch(Context& context, const auth::Principal& caller)
        : context_(context), caller_(caller) {}

    /// A header or a chunk. Throws as PutResult does.
    void take(const v1::PutRequest& part);
    /// After the last chunk.
    void commit(v1::PutResultsResponse& reply);

private:
    void begin(const v1::PutRequest::Header& header);
    void append(const std::string& chunk);
    /// Throws unless the bytes of the last header are all there, and are those that it names.
    void end_last();

    Context& context_;
    const auth::Principal& caller_;
    std::vector<v1::PutRequest::Header> headers_;
    std::vector<std::unique_ptr<artifacts::Upload>> uploads_;
    artifacts::Upload* upload_ = nullptr;  ///< of the last header; null: the store has the file
    /// Hashes the bytes that arrive for the last header where the store does not hash them. A
    /// worker may name a file that the store has only if it sends its bytes.
    Sha256 hash_;
    bool hashed_ = false;
    std::uint64_t arrived_ = 0;
};

}  // namespace kaname::service
