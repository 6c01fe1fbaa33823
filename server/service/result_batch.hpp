// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "proto/kaname/v1/workers_service.pb.h"
#include "server/service/context.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::service {

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
