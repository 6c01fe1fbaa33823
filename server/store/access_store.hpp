// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "server/store/types.hpp"

namespace kaname::store {

/// A token as the store knows it: by its hash.
struct Token {
    std::string token_id;  ///< the first digits of the hash; no secret
    std::string name, role;
    std::string place;    ///< state folder of the server that made it for itself; else empty
    bool single = false;  ///< good for one live worker at a time
    double created_s = 0, expires_s = 0, revoked_s = 0, used_s = 0;  ///< 0: never
    std::string sha256;
};

struct NewToken {
    std::string sha256, name, role, place = {};
    double lifetime_s = 0;  ///< 0: for ever
    bool single = false;
    /// Identifies the call that makes the token. A repeated call revokes the token that it made
    /// before.
    std::string request = {};
};

/// The id of a token with this hash.
[[nodiscard]] std::string token_id_of(const std::string& sha256);

/// Tokens that are neither revoked nor expired.
struct LiveTokens {
    struct Entry {
        std::string token_id, sha256, name, role;
        std::optional<double> left_s;  ///< time until it expires
    };
    std::vector<Entry> entries;
};

struct AuditEvent {
    std::int64_t event_id = 0;  ///< set by the store, as at_s is
    double at_s = 0;
    std::string principal, role, method;
    std::string resource;  ///< "jobs/<uuid>", "tokens/<id> name", ...
    std::string outcome;   ///< "ok", or why it was refused
};

/// Empty or 0: all.
struct AuditFilter {
    std::string principal = {}, method = {};
    std::string resource = {};  ///< what it begins with
    bool refused = false;       ///< refusals alone
    double from_s = 0, until_s = 0;
};

/// Whose a worker is, and the GPUs that it registered.
struct WorkerBinding {
    std::string token_id;
    std::vector<std::string> gpu_uuids;
};

/// Who may call, what is whose, and what was done by whom. Throws Unavailable as Store does.
class AccessStore {
public:
    virtual ~AccessStore() = default;

    /// A hash that is known stays as it is: the token that is there is returned.
    virtual Token add_token(const NewToken& wanted, const Actor& actor = {}) = 0;
    /// Newest first; of those that ended, what did so within 30 days.
    [[nodiscard]] virtual std::vector<Token> list_tokens() = 0;
    /// Throws NotFound when none that could be revoked has this id or name, InvalidArgument when
    /// several have the name.
    virtual Token revoke_token(const std::string& id_or_name, const Actor& actor = {}) = 0;
    /// All that a server made for itself under this name.
    virtual void revoke_tokens_of(const std::string& name, const std::string& place) = 0;
    /// `used`: ids of tokens that were used since the last call.
    [[nodiscard]] virtual LiveTokens live_tokens(std::span<const std::string> used) = 0;

    /// An event without a change: a refusal. Changes keep theirs in their own transactions.
    virtual void record(const AuditEvent& event) = 0;
    /// Newest first. Throws InvalidArgument on a page token that is not one of this listing's.
    [[nodiscard]] virtual Page<AuditEvent> list_audit(int limit, const std::string& token,
                                                      const AuditFilter& filter = {}) = 0;

    /// Throws NotFound.
    [[nodiscard]] virtual std::string job_owner(const std::string& job_id) = 0;
    /// A worker that an earlier version registered becomes `token_id`'s. Nothing: unknown.
    [[nodiscard]] virtual std::optional<WorkerBinding> find_binding(
        const std::string& worker_id, const std::string& token_id) = 0;
    /// Returns true if the token has this worker and it is not lost. An empty `worker_id` stands
    /// for any worker of the token.
    [[nodiscard]] virtual bool has_live_worker(const std::string& token_id,
                                               const std::string& worker_id) = 0;
    /// Content keys of those tasks that this worker holds, by task.
    [[nodiscard]] virtual std::vector<std::string> held_keys(const std::string& worker_id,
                                                             std::span<const Held> tasks) = 0;
    /// The holder of the token put these files as results; remembered for a day at least.
    virtual void note_result_uploads(const std::string& token_id,
                                     std::span<const std::string> sha256) = 0;
    [[nodiscard]] virtual bool has_uploaded(const std::string& token_id,
                                            const std::string& sha256) = 0;
};

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
