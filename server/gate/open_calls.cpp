// SPDX-License-Identifier: BSD-3-Clause
#include "server/gate/open_calls.hpp"

#include <algorithm>

#include "server/gate/frames.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gate {

bool Budget::take() {
    const auto now = std::chrono::steady_clock::now();
    const double passed_s = std::chrono::duration<double>(now - refilled_).count();
    refilled_ = now;
    left_ = std::min(at_once_, left_ + passed_s * a_second_) - 1;
    return left_ >= 0;
}

void Account::check_place() const {
    if (calls >= limits.calls) {
        throw Error(ErrorCode::Exhausted, "open calls: at most " + std::to_string(limits.calls) +
                                              " may be open at a time by \"" + owner +
                                              "\"; end some, or call again later");
    }
}

OpenCalls::~OpenCalls() {
    while (!calls_.empty()) {
        end(calls_.begin()->first);
    }
}

void OpenCalls::begin(std::uint32_t stream, const std::string& path, bool sends_many) {
    account_->check_place();
    if (calls_.emplace(stream, Call{path, sends_many}).second) {
        ++account_->calls;
    }
}

void OpenCalls::add(std::uint32_t stream, std::size_t bytes) {
    const auto call = calls_.find(stream);
    if (call == calls_.end() || call->second.sends_many) {
        return;
    }
    if (account_->bytes + bytes > account_->limits.bytes) {
        throw Error(ErrorCode::Exhausted,
                    "requests: at most " + std::to_string(account_->limits.bytes) +
                        " bytes of them may wait for answers at a time by \"" + account_->owner +
                        "\"; call again later");
    }
    account_->bytes += bytes;
    call->second.bytes += bytes;
}

void OpenCalls::end(std::uint32_t stream) {
    if (const auto call = calls_.find(stream); call != calls_.end()) {
        account_->bytes -= call->second.bytes;
        --account_->calls;
        calls_.erase(call);
    }
}

std::string OpenCalls::path_of(std::uint32_t stream) const {
    const auto call = calls_.find(stream);
    return call == calls_.end() ? "" : call->second.path;
}

void OpenCalls::hear(std::string_view bytes) {
    while (!bytes.empty()) {
        const std::size_t skipped = std::min(left_, bytes.size());
        left_ -= skipped;
        bytes.remove_prefix(skipped);
        const std::size_t taken = std::min(FrameHead::kBytes - head_.size(), bytes.size());
        head_ += bytes.substr(0, taken);
        bytes.remove_prefix(taken);
        if (head_.size() == FrameHead::kBytes) {
            take_head();
            head_.clear();
        }
    }
}

void OpenCalls::take_head() {
    const FrameHead head = frame_head_at(head_).value();
    left_ = head.length;
    if (head.type == kHeaders || head.type == kContinuation) {
        in_header_block_ = (head.flags & kEndHeaders) == 0;
    }
    const bool ends =
        (head.type == kHeaders || head.type == kData) && (head.flags & kEndStream) != 0;
    if (ends || head.type == kReset) {
        end(head.stream);
    }
}

}  // namespace kaname::gate
