// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/reason/reasoned_error.hpp"
#include "proto/request/form/request.hpp"
#include "proto/request/kinds.hpp"
#include "server/artifacts/artifact_store.hpp"
#include "server/auth/tokens.hpp"
#include "server/helpers/compute.hpp"
#include "server/scheduler/fair_share.hpp"
#include "server/service/admin/limits.hpp"
#include "server/service/admin/meters.hpp"
#include "server/service/jobs/progress_board.hpp"
#include "server/service/stream/paging.hpp"
#include "server/service/workers/bindings.hpp"
#include "server/service/workers/gpu_board.hpp"
#include "server/service/workers/ready_board.hpp"
#include "server/space/disk_space.hpp"
#include "server/space/garbage_collector.hpp"
#include "server/store/store.hpp"
#include "solvers/base/log_line.hpp"

namespace kaname::service {

/// How a server drives the campaigns of its database.
struct CampaignOptions {
    bool drive = false;       ///< whether this server submits members at all
    double look_every_s = 1;  ///< and soon after each change
    double lease_s = 20;  ///< for which a campaign is this server's; the workers' if that is less
    std::int64_t window =
        2000;                 ///< unfinished tasks of a campaign up to which members are submitted
    int members_at_once = 8;  ///< of one campaign, before another has its turn
    double longest_backoff_s = 60;
};

/// These constants limit the size of a campaign.
inline constexpr std::int64_t kMaxMembers = 100000;
inline constexpr std::size_t kMaxMemberBytes = std::size_t{256} << 20U;  ///< of requests
inline constexpr std::size_t kMaxLabel = 200, kMaxAxes = 16;

struct ApiOptions {
    /// HOST:PORT; port 0: any free one; empty: none. Over TLS where there is a certificate.
    std::string listen = "127.0.0.1:0";
    std::filesystem::path socket;  ///< a unix socket to listen on; empty: none
    /// PEM texts. With `client_ca` a caller over TLS must show a certificate that it vouches for.
    std::string certificate, key, client_ca;
    std::filesystem::path logs;     ///< logs of stages, one file per content key
    std::filesystem::path scratch;  ///< folder for datasets that are made on demand
    std::string version;
    double heartbeat_s = 5, lease_s = 30;
    /// A caller that takes no message of a stream for so long is cut off.
    std::chrono::milliseconds longest_stall{60000};
    /// Limits the inputs in one answer to a claim, about 110 bytes each; the worker asks for the
    /// others.
    std::size_t inputs_per_answer = 8000;
    CampaignOptions campaigns = {};
    const request::Kinds* kinds = &request::built_in_kinds();  ///< of requests; outlives the server
    /// Gets one line each, from any thread.
    std::function<void(const std::string&)> log = {};
    /// `room` and `collector` outlive the server too. Null: there is always room, and nothing is
    /// collected.
    space::DiskSpace* room = nullptr;
    space::GarbageCollector* collector = nullptr;
};

/// Holds the parts that the services work with; all of it outlives them. Checkpoints have a store
/// of their own: no input, result or request is removed with them, whatever file a worker
/// calls a checkpoint.
struct Backends {
    store::Store& store;
    artifacts::ArtifactStore& artifacts;
    artifacts::ArtifactStore& checkpoints;
    helpers::Compute& compute;
    const auth::Tokens& tokens;
    scheduler::RunningTasks& running;
};

/// Holds the state that the services share.
struct Context : Backends {
    Context(ApiOptions with, const Backends& backends)
        : Backends(backends), options(std::move(with)) {}

    ApiOptions options;
    ChangeNotifier wakeups = {};
    ReadyBoard ready{store, wakeups};
    WatchedJobs watched{store, wakeups};
    Limits limits = {};
    ProgressBoard board = {};
    PaceBoard paces = {};
    GpuBoard gpus{};
    GpuHistory gpu_history{};
    Meters meters{};
    /// Bytes of large requests that are being read and checked: each takes several times as
    /// much memory.
    helpers::ShareQueue memory{64 << 20, 32 << 20};
    /// Sources of large jobs that are being submitted: each takes 2 KB until its job is stored.
    helpers::ShareQueue sources{200'000, 50'000};
    DatabaseLook database{store};
    Bindings bindings{store};
    Refusals refusals{store};
    Quotas quotas{store, artifacts, running.share()};
    std::atomic<bool> draining = false;
    std::atomic<std::int64_t> n_fenced = 0;
    std::atomic<std::int64_t> n_returned = 0;  ///< tasks that workers gave back
    LogThrottle trouble{options.log};
    LogThrottle failures{options.log};  ///< of tasks, by their class
    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    ProgressLooks progress_looks;  ///< the last: its looks are at all of the above
};

/// Whose the token in `authorization` is, whatever its role may do. Throws Unauthenticated.
[[nodiscard]] auth::Principal principal_of(const auth::Tokens& tokens,
                                           std::optional<std::string_view> authorization);

/// Who has the token in `authorization`, the call's metadata of that name, if it has one. Throws
/// Unauthenticated without a known token, PermissionDenied when its role may not do what `needed`
/// may; that is kept in the audit, as of `method`.
[[nodiscard]] auth::Principal authenticate(Context& context,
                                           std::optional<std::string_view> authorization,
                                           auth::Role needed, const std::string& method);

/// Keeps in the audit that the caller was refused something; other errors are none of it.
void note_refusal(Context& context, const auth::Principal& caller, const std::string& method,
                  const std::exception& error);

/// Runs `body`; when it refuses the caller something, that is kept in the audit.
void noting_refusals(Context& context, const auth::Principal& caller, const std::string& method,
                     const std::function<void()>& body);

/// Logs what the operator of this server must see to: it is full, it lost data, it is wrong.
void log_trouble(Context& context, const std::exception& error);

/// Why no task may start now; empty: there is room.
[[nodiscard]] std::string shortage(const Context& context);

/// Memory for what the caller sent, of so many bytes; null: it takes little. Waits for it in turn
/// with others. Throws Unavailable when the caller has gone.
[[nodiscard]] std::unique_ptr<helpers::ShareQueue::Share> memory_for(Context& context,
                                                                     const helpers::Caller& caller,
                                                                     std::uint64_t bytes);

/// Memory for the tasks of a job with so many sources; likewise.
[[nodiscard]] std::unique_ptr<helpers::ShareQueue::Share> memory_for_sources(
    Context& context, const helpers::Caller& caller, std::int64_t n_sources);

/// For what takes room: throws Exhausted unless `needed` bytes more can be stored.
void check_room(const Context& context, std::uint64_t needed);

/// For calls that wait: throws Unavailable when the server shuts down; the client calls again with
/// its resume token.
void throw_if_draining(const Context& context);

}  // namespace kaname::service
