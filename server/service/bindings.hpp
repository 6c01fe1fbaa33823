// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "server/auth/tokens.hpp"
#include "server/store/access_store.hpp"

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

}  // namespace kaname::service
