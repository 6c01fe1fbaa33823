// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <csignal>
#include <ctime>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include <malloc.h>
#include <unistd.h>

#include "proto/status/channel.hpp"
#include "server/artifacts/filesystem/file.hpp"
#include "server/artifacts/filesystem/filesystem_store.hpp"
#include "server/auth/tokens.hpp"
#include "server/gate/gate.hpp"
#include "server/grpc/api_server.hpp"
#include "server/helpers/compute_process.hpp"
#include "server/launcher/launcher.hpp"
#include "server/run/assembly/listeners.hpp"
#include "server/run/daemon/access.hpp"
#include "server/run/daemon/state_folder.hpp"
#include "server/run/embedded/cluster.hpp"
#include "server/run/embedded/data_folder.hpp"
#include "server/run/program/options.hpp"
#include "server/scheduler/fair_share.hpp"
#include "server/scheduler/housekeeper.hpp"
#include "server/space/garbage_collector.hpp"
#include "server/store/postgres/migrations.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/machine.hpp"
#include "worker/run/compute_runner.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::assembly {
namespace fs = std::filesystem;
using std::chrono::seconds;
namespace {

constexpr seconds kCallGrace{5};
constexpr int kQuietLook_s = 10;      ///< at a database of which nobody wants anything
constexpr int kDescribedAtOnce = 10;  ///< datasets of earlier versions, each second

struct StopCluster {
    Log log;
    void operator()(embedded::Cluster* cluster) const {
        cluster->stop();
        log("PostgreSQL stopped");
        delete cluster;
    }
};
using RunningCluster = std::unique_ptr<embedded::Cluster, StopCluster>;

RunningCluster start_cluster(const program::Options& options, const fs::path& state,
                             const Log& log) {
    auto cluster = std::make_unique<embedded::Cluster>(
        embedded::ClusterOptions{state, options.db_user, options.binaries, {}, log});
    cluster->start();
    return RunningCluster(cluster.release(), StopCluster{log});
}

/// Address space of a helper: half of the memory, and what threads reserve without using it.
std::uint64_t helper_memory(int threads) {
    constexpr std::uint64_t kOfAThread = 256U << 20U, kLeast = std::uint64_t{4} << 30U;
    return std::max(kLeast, static_cast<std::uint64_t>(this_machine().memory_bytes / 2)) +
           kOfAThread * static_cast<std::uint64_t>(threads);
}

/// Throws Exhausted where this user may not have the threads of a server. Looked at by making them,
/// since limits of the user and of control groups hold at once, and gRPC ends a program that gets
/// none of its threads.
void check_room_for_threads() {
    constexpr int kThreads = 100;
    std::promise<void> looked;
    const std::shared_future<void> end = looked.get_future().share();
    std::vector<std::jthread> threads;
    std::string refusal;
    try {
        while (std::ssize(threads) < kThreads) {
            threads.emplace_back([end] { end.wait(); });
        }
    } catch (const std::system_error& error) {
        refusal = error.what();
    }
    looked.set_value();
    if (!refusal.empty()) {
        throw Error(ErrorCode::Exhausted,
                    "ulimit -u, or pids.max of a control group: must leave room for " +
                        std::to_string(kThreads) + " threads of a server, got room for " +
                        std::to_string(threads.size()) + ": " + refusal);
    }
}

/// Until a signal; meanwhile the health service tells whether the database answers.
void watch_until_signal(rpc::ApiServer& api, const service::Backends& backends, const Log& log) {
    const sigset_t set = ending_signals();
    bool serving = true;
    timespec pause{1, 0};
    while (::sigtimedwait(&set, nullptr, &pause) < 0) {
        pause.tv_sec = serving && api.is_quiet() ? kQuietLook_s : 1;
        std::string trouble;
        try {
            [[maybe_unused]] const double now_s = backends.store.now_s();
        } catch (const std::exception& error) {
            trouble = error.what();
        }
        if (trouble.empty() != serving) {
            serving = trouble.empty();
            api.set_serving(serving);
            log(serving ? "serving again" : "not serving: " + trouble);
        }
    }
}

/// Throws Conflict where this server would serve other jobs than the last one of its state folder,
/// though nobody said so: its database was another one, and none is named now.
void check_same_database(const program::Options& options, const fs::path& state) {
    const auto last = daemon::read_running_options(state);
    const bool said = std::ranges::count(options.said, "--embedded") > 0;
    if (last && !last->database.empty() && options.database.empty() && !said) {
        throw Error(ErrorCode::Conflict,
                    "--database: must be given, since the last server of " + state.string() +
                        " had one (options.json there); for a private one with no job of it say "
                        "--embedded");
    }
}

/// Gives the system what requests took: the C library keeps what is freed between pieces that are
/// in use. `left` is what it kept the last time.
void give_back_memory(std::size_t& left) {
    constexpr std::size_t kMuch = 4U << 20U;
    if (::mallinfo2().fordblks > left + kMuch) {
        ::malloc_trim(0);
        left = ::mallinfo2().fordblks;
    }
}

}  // namespace

sigset_t ending_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGTERM);
    ::sigaddset(&set, SIGINT);
    return set;
}

int serve(const program::Options& options, const Program& program) {
    const Log& log = program.log;
    gate::raise_file_limit();
    check_room_for_threads();
    const fs::path state = daemon::state_folder(options.state);
    check_listening({options.listen, options.metrics, options.tls, options.tls_cert,
                     options.tls_key, options.tls_client_ca, options.insecure, options.http});
    const std::string listen =
        options.listen.empty() ? "" : daemon::listen_where_it_was(options.listen, state);
    const space::Watermark watermark = space::parse_watermark("--min-free", options.space.min_free);
    daemon::make_state_folder(state);
    const embedded::StateLock lock(state);
    check_same_database(options, state);
    const daemon::PidFile pid_file(state);
    const fs::path folder =
        options.artifacts.empty() ? state / "artifacts" : fs::absolute(options.artifacts);
    const int cores = this_machine().cores;
    const int agents = std::max(1, options.workers);
    const int threads =
        options.threads > 0 ? options.threads : threads_by_default(agents * options.ranks);
    log(std::string("kaname-server ") + program.version + ", pid " + std::to_string(::getpid()) +
        ", state " + state.string());
    if (!options.config.file.empty()) {
        log("configured by " + options.config.file);
        for (const std::string& option : options.config.overridden) {
            log(option + " of the command line wins over " + options.config.file);
        }
    }

    const RunningCluster cluster =
        options.database.empty() ? start_cluster(options, state, log) : nullptr;
    if (!cluster) {
        for (const std::string& line : store::check_needs(options.database)) {
            log(line);
        }
    }
    store::StoreOptions store_options;
    store_options.lease_s = options.lease_s;
    store::PostgresStore store(cluster ? cluster->conninfo() : options.database, store_options);
    artifacts::StoreOptions uploads;
    uploads.max_upload_bytes = static_cast<std::uint64_t>(options.max_upload_gb * 1e9);
    uploads.partial_lifetime =
        std::chrono::seconds(static_cast<std::int64_t>(options.space.partial_days * 86400));
    std::filesystem::create_directories(folder);
    // Work that runs may end below the watermark: results and checkpoints may use three quarters of
    // the space that it keeps free.
    uploads.min_free_bytes = space::low_bytes(watermark, space::measure(folder).total) / 4;
    artifacts::FilesystemStore artifacts(folder, uploads);
    artifacts::FilesystemStore checkpoints(folder / "checkpoints", uploads);
    store.use_artifact_store(
        {artifacts::store_id_of(folder), program.host + ':' + folder.string()});
    // Before anybody is answered: who finds the server finds its options. After
    // database and folder are taken: backups go by what a server has worked with.
    daemon::write_running_options(
        state, {options.workers, options.ranks, threads, options.device, options.lease_s,
                options.database, fs::weakly_canonical(folder).string(), options.listen,
                options.metrics, options.tls, options.tls_cert, options.tls_key,
                options.tls_client_ca, options.config.file, options.http, options.said});
    helpers::ComputeOptions to_start{.program = run::beside_this_program("kaname-compute"),
                                     .may_read = {folder},
                                     .may_write = {state / "helpers"},
                                     .scratch = state / "helpers" / "compute",
                                     .threads = cores,
                                     .memory_bytes = helper_memory(cores),
                                     .file_bytes = uploads.max_upload_bytes};
    if (const std::string why = helpers::why_not_confined(to_start); why.empty()) {
        log("helpers are confined to the files that they need");
    } else {
        log("helpers are not confined: " + why);
        if (run::landlock_version() > 0) {  // without it all bounds hold but those of files
            to_start.may_read.clear();
        }
    }
    helpers::ComputeProcess compute(to_start);
    const daemon::Access access = daemon::prepare_access(state, store, log);
    const auth::StoredTokens tokens(store);

    std::vector<space::DiskSpace::Place> places = {{space::kArtifacts, folder}};
    if (cluster) {
        places.push_back({"database", state / "postgres"});
    }
    space::DiskSpace room(std::move(places), {.watermark = watermark, .log = log});
    space::GarbageCollector collector({.store = store,
                                       .artifacts = artifacts,
                                       .checkpoints = checkpoints,
                                       .logs = state / "logs" / "stages"},
                                      options.space.keeping());

    scheduler::FairShare share;
    scheduler::RunningTasks running(share);
    service::ApiOptions api_options;
    api_options.listen = listen;
    api_options.socket = daemon::make_api_socket(state);
    add_certificates(api_options, options, state);
    if (const std::string advice =
            rpc::certificate_time_advice(api_options.certificate, std::time(nullptr));
        !advice.empty()) {
        log("TLS" + advice);
    }
    api_options.logs = state / "logs" / "stages";
    api_options.scratch = state / "helpers" / "datasets";
    api_options.version = program.version;
    api_options.lease_s = options.lease_s;
    // Workers without a task send one so often; those that have one tell of it every second.
    api_options.heartbeat_s = options.lease_s / 3;
    api_options.log = log;
    api_options.room = &room;
    api_options.collector = &collector;
    api_options.campaigns.drive = true;
    api_options.campaigns.lease_s = std::min(api_options.campaigns.lease_s, options.lease_s);
    const service::Backends backends{store, artifacts, checkpoints, compute, tokens, running};
    const auto api = open_api(api_options, options.listen, backends, log);
    const std::string address = "unix:" + api_options.socket.string();
    const std::string network =
        options.listen.empty() ? "" : daemon::local_address(options.listen, api->port());
    const auto metrics = open_metrics(options, state, *api, log);
    const std::string metrics_address =
        metrics == nullptr ? "" : daemon::local_address(options.metrics, metrics->port());
    const auto site = open_site(options, api_options, state, *api, backends, compute, program);
    const std::string page = site == nullptr
                                 ? ""
                                 : (api_options.certificate.empty() ? "http://" : "https://") +
                                       daemon::local_address(options.http, site->port());
    if (site != nullptr) {
        log("pages at " + page);
    }
    // The file names a CA only for a self-signed certificate: users who give a certificate of their
    // own know its authority.
    daemon::write_client_file(
        state, address, access.cli_token,
        {network, options.tls.empty() ? "" : api_options.certificate, page, metrics_address});

    const daemon::AgentTokens agent_tokens(state, store);
    launcher::LocalLauncher launcher(
        {.program = run::beside_this_program("kaname-agent"),
         .server = address,
         .give_token = [&](const std::string& name,
                           const fs::path& file) { agent_tokens.give(name, file); },
         .take_token = [&](const fs::path& file) { agent_tokens.take_back(file); },
         .folder = state / "agents",
         .ranks = options.ranks,
         .threads = threads,
         .device = options.device,
         .idle_exit_s = options.idle_exit_s,
         .log_format = options.log_format});
    scheduler::HousekeeperOptions duties;
    duties.is_quiet = [&] { return api->is_quiet(); };
    duties.alone = cluster != nullptr;
    duties.on_more_ready = [&] { api->wake(); };
    duties.lease_s = options.lease_s;
    duties.local.backlog.max_agents = options.workers;
    duties.local.host = program.host;
    duties.local.uses_gpus = options.device != "cpu";
    duties.log = log;
    duties.on_reap = [&](const store::ReapResult& result) {
        api->meters().lost(result.tasks_returned + result.tasks_dead);
    };
    duties.remove_checkpoint = [&](const std::string& sha256) { (void)checkpoints.remove(sha256); };
    program::give_first_quotas(store, options.config);
    std::optional<program::SlurmPools> pools;
    scheduler::Housekeeper housekeeper(store, &launcher, duties);
    if (!options.config.pools.empty()) {
        const program::ServerPlace place{state,
                                         run::beside_this_program("kaname-agent"),
                                         program.host,
                                         options.listen,
                                         api->port(),
                                         api_options.certificate,
                                         !options.tls.empty()};
        pools.emplace(
            store, options.config,
            launcher::DispatchesOptions{
                .site = program::complete_site(options.config.site, place),
                .place = program.host + ':' + fs::weakly_canonical(state).string(),
                .marks = state / program::kSlurmMarks,
                .make_token = [&](const std::string& name) { return agent_tokens.make(name); },
                .end_token = [&](const std::string& name) { agent_tokens.end(name); },
                .log = log,
                .clock = scheduler::monotonic_s});
        pools->join(housekeeper);
    }
    api->when_changed([&] { housekeeper.wake(); });
    const std::shared_ptr<void> no_more(nullptr, [&](void*) { api->when_changed({}); });
    housekeeper.start();
    space::GarbageCollectorThread upkeep(
        store, room, collector,
        {.sweep_every_s = options.space.sweep_every_s,
         .is_quiet = [&] { return api->is_quiet(); },
         .log = log,
         .each_look =
             [&, left = std::size_t{0}]() mutable {
                 space::trim_logs(state);
                 give_back_memory(left);
                 api->dataset_keeper().describe_old(kDescribedAtOnce);
             },
         .before_sweep =
             [&](const std::function<bool()>& stop) {
                 api->dataset_keeper().keep(options.config.datasets, stop);
             }});
    log("serving on " + address +
        (network.empty() ? ""
                         : " and " + network + (api_options.certificate.empty() ? "" : " (TLS)")));

    watch_until_signal(*api, backends, log);

    log("stopping");
    ::alarm(kShutdownLimit_s);
    housekeeper.stop();
    upkeep.stop();
    api->drain();
    if (site != nullptr) {
        site->stop();
    }
    launcher.stop_all(kAgentGrace);
    if (std::error_code none; fs::remove(state / program::kStopWorkers, none) && pools) {
        pools->stop_all(kAgentGrace);
    }
    api->shutdown(kCallGrace);
    return run::kExitOk;
}

}  // namespace kaname::assembly
