// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/store/types.hpp"

namespace kaname::store {

/// Holds the limits that an operator sets for an owner of jobs; nothing: no limit.
struct OwnerQuota {
    std::string owner;
    std::optional<std::int64_t> queued;   ///< tasks that its jobs wait for, running ones included
    std::optional<std::int64_t> running;  ///< tasks that are with workers at a time
    std::optional<std::int64_t> bytes;    ///< results of its jobs and its uploads
    double weight = 1;                    ///< its share, see scheduler::FairShare
};

struct OwnerUse {
    std::int64_t queued = 0, running = 0;
    std::int64_t result_bytes = 0;  ///< of its jobs; each file once
};

/// A file that an owner uploaded, or began to.
struct OwnerUpload {
    std::string sha256;
    std::int64_t bytes = 0;
};

/// Keeps the quotas of owners and what they use. Throws Unavailable as Store does.
class OwnerStore {
public:
    virtual ~OwnerStore() = default;

    /// Replaces the quota that the owner had.
    virtual void set_quota(const OwnerQuota& quota, const Actor& actor = {}) = 0;
    /// Lists the quotas of owners that ever had one, by name.
    [[nodiscard]] virtual std::vector<OwnerQuota> list_quotas() = 0;
    [[nodiscard]] virtual OwnerUse use_of(const std::string& owner) = 0;
    /// Returns true if this request was answered before: its repetition makes nothing new.
    [[nodiscard]] virtual bool knows_request(const std::string& principal,
                                             const std::string& request_id) = 0;
    /// Noted again with other bytes, the most of them count.
    virtual void note_upload(const std::string& owner, const OwnerUpload& upload) = 0;
    [[nodiscard]] virtual std::vector<OwnerUpload> list_uploads(const std::string& owner) = 0;
    virtual void forget_uploads(const std::string& owner, std::span<const std::string> sha256) = 0;
};

}  // namespace kaname::store
