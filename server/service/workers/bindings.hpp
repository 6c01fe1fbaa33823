// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "server/auth/tokens.hpp"
#include "server/store/access_store.hpp"
#include "solvers/base/error.hpp"

namespace kaname::service {

/// Maps a worker's token to the workers that it registered, their GPUs, and the files that it put
/// as results. The store decides; its answers are kept here, since a worker's token never changes.
/// Safe from any thread.
class Bindings {
public:
    explicit Bindings(store::AccessStore& store) : store_(store) {}

    /// The worker's id without its collection. Throws InvalidArgument when it is none, Refusal when
    /// another token registered the worker. One that nobody registered passes: nothing is its.
    std::string check(const auth::Principal& caller, const std::string& worker_id);
    /// Checks who sends files: as check(). Agents of earlier versions name no worker; then the
    /// caller must have a live one.
    void check_sender(const auth::Principal& caller, const std::string& worker_id);
    /// Throws Refusal unless the caller has this worker, and it lives. An empty `worker_id` stands
    /// for any worker of the caller.
    void check_lives(const auth::Principal& caller, const std::string& worker_id);
    /// Returns true if the worker registered this GPU.
    [[nodiscard]] bool has_gpu(const auth::Principal& caller, const std::string& worker_id,
                               const std::string& gpu_uuid);
    void registered(const std::string& worker_id, store::WorkerBinding binding);
    void forget(const std::string& worker_id);

    /// The caller put these files, all of their bytes.
    void put_results(const auth::Principal& caller, std::span<const std::string> sha256);
    void put_result(const auth::Principal& caller, const std::string& sha256) {
        put_results(caller, {&sha256, 1});
    }
    [[nodiscard]] bool has_put(const auth::Principal& caller, const std::string& sha256);

private:
    /// Nothing for a worker that nobody registered; asks the store when it is not known here, or
    /// `again`.
    std::optional<store::WorkerBinding> find(const auth::Principal& caller,
                                             const std::string& worker_id, bool again = false);

    store::AccessStore& store_;
    std::mutex mutex_;
    std::map<std::string, store::WorkerBinding> known_;
    std::set<std::pair<std::string, std::string>> results_;  ///< token and hash
};

/// PermissionDenied that says of what.
class Refusal : public Error {
public:
    Refusal(std::string resource, const std::string& message)
        : Error(ErrorCode::PermissionDenied, message), resource_(std::move(resource)) {}
    [[nodiscard]] const std::string& resource() const { return resource_; }

private:
    std::string resource_;
};

/// Who is told of a change.
[[nodiscard]] store::Actor actor_of(const auth::Principal& principal);

/// Puts refusals into the audit, in transactions of their own and not more than kPerMinute of them:
/// who calls in vain all day must not fill the database. What was left out is counted in the next
/// one. Safe from any thread.
class Refusals {
public:
    static constexpr int kPerMinute = 60;

    explicit Refusals(store::AccessStore& store) : store_(store) {}

    /// Never throws: a refusal is told to its caller whether or not it can be kept.
    void note(const auth::Principal& principal, const std::string& method, const Error& refusal);

private:
    store::AccessStore& store_;
    std::mutex mutex_;
    std::int64_t minute_ = -1;
    int n_in_minute_ = 0;
    std::int64_t n_left_out_ = 0;
};

}  // namespace kaname::service
