// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/result_batch.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "server/artifacts/commit_all.hpp"
#include "server/service/transfers.hpp"
#include "solvers/base/error.hpp"

namespace kaname::service {

using Header = v1::PutRequest::Header;

void ResultBatch::take(const v1::PutRequest& part) {
    if (part.has_header()) {
        end_last();
        begin(part.header());
    } else if (headers_.empty()) {
        refuse("header", "must be the first message of an upload");
    } else {
        append(part.chunk());
    }
}

void ResultBatch::begin(const v1::PutRequest::Header& header) {
    if (headers_.size() == kMost) {
        refuse("header", "must begin one of at most " + std::to_string(kMost) + " results");
    }
    if (header.offset() != 0 || header.bytes() < 0) {
        refuse("header.offset", "must be 0 and bytes >= 0, got " + std::to_string(header.offset()) +
                                    " and " + std::to_string(header.bytes()));
    }
    (void)context_.bindings.check(caller_, header.worker_id());
    const auto bytes = static_cast<std::uint64_t>(header.bytes());
    upload_ = nullptr;
    // Refuses early, and who has it may count on it. What is there in whole may be unfinished
    // still.
    (void)context_.artifacts.look_up(header.sha256(), bytes);
    const bool twice = std::ranges::count(headers_, header.sha256(), &Header::sha256) > 0;
    if (!twice && !context_.artifacts.exists(header.sha256())) {
        uploads_.push_back(context_.artifacts.begin_put(header.sha256(), bytes));
        upload_ = uploads_.back().get();
    }
    hashed_ = upload_ == nullptr || upload_->offset() > 0;
    hash_ = {};
    arrived_ = 0;
    headers_.push_back(header);
}

void ResultBatch::append(const std::string& chunk) {
    const v1::PutRequest::Header& header = headers_.back();
    const std::uint64_t end = arrived_ + chunk.size();
    if (chunk.size() > kMaxChunk || end > static_cast<std::uint64_t>(header.bytes())) {
        refuse("chunk", "must have at most " + std::to_string(kMaxChunk) + " bytes, all at most " +
                            std::to_string(header.bytes()) + ", got " + std::to_string(end));
    }
    if (hashed_) {
        hash_.update(chunk);
    }
    if (upload_ != nullptr && end > upload_->offset()) {
        const std::uint64_t here = upload_->offset();
        upload_->write(here, std::as_bytes(std::span(chunk)).subspan(here - arrived_));
    }
    arrived_ = end;
}

void ResultBatch::end_last() {
    if (headers_.empty()) {
        return;
    }
    const v1::PutRequest::Header& header = headers_.back();
    const bool whole = arrived_ == static_cast<std::uint64_t>(header.bytes());
    if (!whole || (hashed_ && hash_.hex() != header.sha256())) {
        refuse("header", "must name the bytes that follow: " + std::to_string(header.bytes()) +
                             " with sha256 " + header.sha256() + ", got " +
                             std::to_string(arrived_) +
                             (whole ? " with sha256 " + hash_.hex() : std::string()));
    }
}

void ResultBatch::commit(v1::PutResultsResponse& reply) {
    end_last();
    if (headers_.empty()) {
        refuse("header", "must be the first message of an upload");
    }
    artifacts::commit_all(uploads_);
    std::vector<std::string> files;
    for (const v1::PutRequest::Header& header : headers_) {
        files.push_back(header.sha256());
        v1::Artifact& artifact = *reply.add_artifacts();
        artifact.set_sha256(header.sha256());
        artifact.set_bytes(header.bytes());
    }
    context_.bindings.put_results(caller_, files);
    // From here on nothing removes them; until here somebody may have, who did not know of this.
    for (const std::string& file : files) {
        if (!context_.artifacts.exists(file)) {
            throw Error(ErrorCode::Unavailable,
                        "result " + file + " was removed meanwhile: put it again");
        }
    }
}

}  // namespace kaname::service
