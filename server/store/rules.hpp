// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "server/store/access_store.hpp"
#include "server/store/operations_store.hpp"
#include "server/store/types.hpp"
#include "solvers/base/log_line.hpp"

/// Declares what all stores share: rules for input, ids and page tokens.
namespace kaname::store {

/// Throws ValidationError naming each broken field.
void check_submission(const Submission& submission);
/// [items] Levels of the graph: 0 for what needs and gathers nothing, else one more than the
/// highest level of these; -1 for an item of a circle, or that needs one. Names of no item count
/// for nothing.
[[nodiscard]] std::vector<int> levels_of(std::span<const WantedItem> items);

using kaname::make_uuid;

/// NotReady unless something of the job failed or was cancelled.
void check_retryable(const Job& job);
/// NotReady while the job is active, Aborted when `etag` is given and is not the job's.
void check_deletable(const Job& job, const std::string& etag);
[[noreturn]] void throw_worker_lost(const std::string& worker_id);
[[noreturn]] void throw_worker_unknown(const std::string& worker_id);
/// The worker is bound to a token, not to that of the caller.
[[noreturn]] void throw_worker_of_another(const std::string& worker_id);
/// The token is one worker's, which lives.
[[noreturn]] void throw_token_of_another(const std::string& worker_id);
/// Exhausted: the token has as many live workers as it may have.
[[noreturn]] void throw_too_many_workers(const StoreOptions& options);
/// A live worker of another token has the GPU.
[[noreturn]] void throw_gpu_of_another(const std::string& gpu, const std::string& worker_id);
[[noreturn]] void throw_no_job(const std::string& job_id);
/// `found`: ids of the tokens that can be revoked. Throws as AccessStore::revoke_token.
void check_one_token(const std::string& id_or_name, std::span<const std::string> found);
inline constexpr const char* kAuditListing = "audit";
/// "hosts/n7" or "gpus/GPU-1", for the audit.
[[nodiscard]] std::string resource_of(const Drain& drain);
[[noreturn]] void throw_not_drained(const Drain& drain);
[[noreturn]] void throw_dispatch_known(const std::string& dispatch_id);
[[noreturn]] void throw_not_cordoned(const std::string& gpu_uuid);
/// Throws NotFound: a cordon of any kind does not exist.
[[noreturn]] void throw_not_cordoned(const Cordon& cordon);
/// Method of the audit under which a cordon is kept, and what it names.
[[nodiscard]] const char* method_of(const Cordon& cordon, bool on);
/// In the audit: "ok: <reason>" of a drain or cordon that was set or lifted with one.
[[nodiscard]] std::string outcome_of(const std::string& reason);
[[nodiscard]] std::string resource_of(const Cordon& cordon);
[[noreturn]] void throw_other_artifact_store(const ArtifactStoreId& known,
                                             const ArtifactStoreId& mine);
[[noreturn]] void throw_claim_of_another(const std::string& claim_id);
/// Error of a task that crashed too often.
[[nodiscard]] std::string dead_message(const StoreOptions& options);
/// Error of a task that was given back too often.
[[nodiscard]] std::string returned_message(const StoreOptions& options);
/// Error of a task whose workers reach their time limit before it has a checkpoint.
[[nodiscard]] std::string cut_off_message(const CutOff& cut_off);
/// "queued 100, running unlimited, bytes unlimited, weight 1"
[[nodiscard]] std::string quota_text(const OwnerQuota& quota);
/// Why a GPU is cordoned after `n` faults.
[[nodiscard]] std::string cordon_reason(const StoreOptions& options, const std::string& gpu_uuid,
                                        std::int64_t n, const std::string& last);
/// Why a worker is cordoned whose failed tasks others did.
[[nodiscard]] std::string set_aside_reason(const StoreOptions& options);
[[noreturn]] void throw_no_item(const std::string& job_id);
/// Error of a gatherer all of whose sources failed, and of what needs a stage that failed.
inline constexpr const char* kNoSourceComputed = "no source was computed";
inline constexpr const char* kNeedFailed = "a stage that it needs failed: ";
/// Error of what needs a task that failed with this one.
[[nodiscard]] std::string need_failed(const std::string& error);
/// Errors of a gatherer for a job whose sources were done, though the file lacks one of them.
inline constexpr const char* kSourceLost =
    "the stored result of a source is lost; retry the job to compute it again";
inline constexpr const char* kSourceUnread =
    "the stored result of a source could not be read, the dataset lacks it";

[[nodiscard]] int clamp_limit(int limit);
/// A keyset position as text. `listing` names listing and filter, so that a token used elsewhere is
/// refused by parse_token with InvalidArgument.
[[nodiscard]] std::string make_token(const std::string& listing, std::int64_t position);
/// `first` for an empty token.
[[nodiscard]] std::int64_t parse_token(const std::string& listing, const std::string& token,
                                       std::int64_t first);
[[nodiscard]] std::string listing_name(const JobFilter& filter);

/// Returns the longest delay that a task ever gets [s].
[[nodiscard]] double longest_backoff_s(const StoreOptions& options);
/// Returns the delay before attempt + 1 [s]: backoff_s 2^(attempt-1), capped, plus up to a quarter.
/// The task id decides that part, so that simultaneous failures do not come back at one moment.
[[nodiscard]] double backoff_s(const StoreOptions& options, int attempt, std::int64_t task_id);

}  // namespace kaname::store
