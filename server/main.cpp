// SPDX-License-Identifier: BSD-3-Clause
// kaname-server: makes the objects, connects them, runs until it is told to stop.
#include <algorithm>
#include <csignal>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <CLI/CLI.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/status/channel.hpp"
#include "server/artifacts/filesystem/filesystem_store.hpp"
#include "server/artifacts/filesystem/store_id.hpp"
#include "server/auth/stored_tokens.hpp"
#include "server/daemon/access.hpp"
#include "server/daemon/api_socket.hpp"
#include "server/daemon/running_options.hpp"
#include "server/daemon/self_signed.hpp"
#include "server/daemon/state_folder.hpp"
#include "server/embedded/cluster.hpp"
#include "server/embedded/postmaster.hpp"
#include "server/embedded/state_lock.hpp"
#include "server/grpc/api_server.hpp"
#include "server/helpers/compute_process.hpp"
#include "server/http/server.hpp"
#include "server/launcher/local/local_launcher.hpp"
#include "server/pages/pages.hpp"
#include "server/pages/site.hpp"
#include "server/program/check.hpp"
#include "server/program/config.hpp"
#include "server/program/maintenance.hpp"
#include "server/program/options.hpp"
#include "server/program/slurm_pools.hpp"
#include "server/scheduler/fair_share.hpp"
#include "server/scheduler/housekeeper.hpp"
#include "server/scheduler/running_tasks.hpp"
#include "server/space/trim_log.hpp"
#include "server/space/upkeep.hpp"
#include "server/store/postgres/migrations.hpp"
#include "server/store/postgres/postgres_store.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/machine.hpp"
#include "worker/run/compute_runner.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/hidden_password.hpp"

namespace {

namespace fs = std::filesystem;
using namespace kaname;
using program::Options;
using std::chrono::seconds;

constexpr seconds kAgentGrace{30};  ///< to end a pack's processes and give the tasks back
constexpr seconds kCallGrace{5};
/// Nothing in a shutdown takes so long; whatever hangs is ended, and the next start adopts the
/// rest.
constexpr unsigned kShutdownLimit_s = 150;
constexpr int kDescribedAtOnce = 10;  ///< datasets of earlier versions, each second

LogFormat g_format = LogFormat::Text;  // set once, before there are threads

void log(const std::string& line) {
    static std::mutex mutex;
    const std::string text = log_line(g_format, "kaname-server", line);
    const std::lock_guard lock(mutex);
    std::cerr << text << std::endl;
}

std::string host_name() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    return name;
}

struct StopCluster {
    void operator()(embedded::Cluster* cluster) const {
        cluster->stop();
        log("PostgreSQL stopped");
        delete cluster;
    }
};
using RunningCluster = std::unique_ptr<embedded::Cluster, StopCluster>;

RunningCluster start_cluster(const Options& options, const fs::path& state) {
    auto cluster = std::make_unique<embedded::Cluster>(
        embedded::ClusterOptions{state, options.db_user, options.binaries, {}, log});
    cluster->start();
    return RunningCluster(cluster.release());
}

/// Address space of a helper: half of the memory, and what threads reserve without using it.
std::uint64_t helper_memory(int threads) {
    constexpr std::uint64_t kOfAThread = 256U << 20U, kLeast = std::uint64_t{4} << 30U;
    return std::max(kLeast, static_cast<std::uint64_t>(this_machine().memory_bytes / 2)) +
           kOfAThread * static_cast<std::uint64_t>(threads);
}

void add_certificates(service::ApiOptions& api, const Options& options, const fs::path& state) {
    if (!options.tls.empty()) {
        const auto host = [](const char* option, const std::string& address) {
            return address.empty() ? "" : parse_address(option, address).host;
        };
        const std::string listen = host("--listen", options.listen);
        const std::string http = host("--http", options.http);
        // It names this machine's loopback addresses anyway.
        const daemon::KeyPair pair = daemon::self_signed(
            state, http.empty() || (!listen.empty() && !is_loopback(listen)) ? listen : http);
        api.certificate = pair.certificate;
        api.key = pair.key;
    } else if (!options.tls_cert.empty()) {
        api.certificate = rpc::read_pem("--tls-cert", options.tls_cert);
        api.key = rpc::read_pem("--tls-key", options.tls_key);
    }
    api.client_ca = rpc::read_pem("--tls-client-ca", options.tls_client_ca);
}

/// Listens where it was at the last start, else on any port that `otherwise` allows.
std::unique_ptr<rpc::ApiServer> open_api(service::ApiOptions options, const std::string& otherwise,
                                         const service::Backends& backends) {
    try {
        return std::make_unique<rpc::ApiServer>(options, backends);
    } catch (const Error& error) {
        if (options.listen == otherwise) {
            throw;
        }
        log(std::string(error.what()) + "; taking another port");
    }
    options.listen = otherwise;
    return std::make_unique<rpc::ApiServer>(options, backends);
}

/// The metrics alone, at `--metrics`; null: nowhere.
std::unique_ptr<http::Server> open_metrics(const Options& options, rpc::ApiServer& api) {
    if (options.metrics.empty()) {
        return nullptr;
    }
    auto server = std::make_unique<http::Server>(
        http::ServerOptions{.option = "--metrics", .listen = options.metrics},
        std::vector<http::Page>{pages::metrics_page([&api] { return api.metrics(); })},
        [&api](http::Request& request, auth::Role needed, const std::string& method) {
            return api.authenticate(request.header("authorization"), needed, method);
        });
    log("metrics at http://" + daemon::local_address(options.metrics, server->port()) + "/metrics");
    return server;
}

fs::path page_folder(const Options& options) {
    return options.page_folder.empty()
               ? run::beside_this_program("").parent_path().parent_path() / "share/kaname/page"
               : fs::absolute(options.page_folder);
}

/// The page and what it needs, where `--http` says, else on the port of the last start, else on any
/// free one; null: nowhere.
std::unique_ptr<pages::Site> open_site(const Options& options, const service::ApiOptions& api_with,
                                       const fs::path& state, rpc::ApiServer& api,
                                       const service::Backends& backends,
                                       helpers::Describer& describer) {
    if (options.http.empty()) {
        return nullptr;
    }
    pages::SiteOptions site{.http = {.listen = daemon::http_where_it_was(options.http, state),
                                     .certificate = api_with.certificate,
                                     .key = api_with.key,
                                     .client_ca = api_with.client_ca,
                                     .longest_stall = api_with.longest_stall},
                            .page = page_folder(options),
                            .sessions = state / "sessions",
                            .version = KANAME_VERSION};
    try {
        return std::make_unique<pages::Site>(site, api, backends, describer);
    } catch (const Error& error) {
        if (site.http.listen == options.http || error.code() != ErrorCode::Unavailable) {
            throw;
        }
        log(std::string(error.what()) + "; taking another port");
    }
    site.http.listen = options.http;
    return std::make_unique<pages::Site>(site, api, backends, describer);
}

/// Signals that end the server; blocked in all threads, taken by the main one alone.
sigset_t ending_signals() {
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGTERM);
    ::sigaddset(&set, SIGINT);
    return set;
}

/// Until a signal; meanwhile the health service tells whether the database answers.
void watch_until_signal(rpc::ApiServer& api, const service::Backends& backends) {
    const sigset_t set = ending_signals();
    const timespec second{1, 0};
    bool serving = true;
    while (::sigtimedwait(&set, nullptr, &second) < 0) {
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

int serve(const Options& options) {
    const fs::path state = daemon::state_folder(options.state);
    check_listening({options.listen, options.metrics, options.tls, options.tls_cert,
                     options.tls_key, options.tls_client_ca, options.insecure, options.http});
    const std::string listen =
        options.listen.empty() ? "" : daemon::listen_where_it_was(options.listen, state);
    const space::Watermark watermark = space::parse_watermark("--min-free", options.space.min_free);
    daemon::make_state_folder(state);
    const embedded::StateLock lock(state);
    const daemon::PidFile pid_file(state);
    const fs::path folder =
        options.artifacts.empty() ? state / "artifacts" : fs::absolute(options.artifacts);
    const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    const int agents = std::max(1, options.workers);
    const int threads =
        options.threads > 0 ? options.threads : std::max(1, cores / (agents * options.ranks));
    log(std::string("kaname-server ") + KANAME_VERSION + ", pid " + std::to_string(::getpid()) +
        ", state " + state.string());
    if (!options.config.file.empty()) {
        log("configured by " + options.config.file);
        for (const std::string& option : options.config.overridden) {
            log(option + " of the command line wins over " + options.config.file);
        }
    }

    const RunningCluster cluster =
        options.database.empty() ? start_cluster(options, state) : nullptr;
    store::StoreOptions store_options;
    store_options.lease_s = options.lease_s;
    store::PostgresStore store(cluster ? cluster->conninfo() : options.database, store_options);
    artifacts::StoreOptions uploads;
    uploads.max_upload_bytes = static_cast<std::uint64_t>(options.max_upload_gb * 1e9);
    uploads.partial_lifetime =
        std::chrono::seconds(static_cast<std::int64_t>(options.space.partial_days * 86400));
    std::filesystem::create_directories(folder);
    // What runs may end below the watermark: results and checkpoints get a part of what is kept.
    uploads.min_free_bytes = space::low_bytes(watermark, space::measure(folder).total) / 4;
    artifacts::FilesystemStore artifacts(folder, uploads);
    artifacts::FilesystemStore checkpoints(folder / "checkpoints", uploads);
    store.use_artifact_store({artifacts::store_id_of(folder), host_name() + ':' + folder.string()});
    // Before anybody is answered: who finds the server finds its options. After
    // database and folder are taken: backups go by what a server has worked with.
    daemon::write_running_options(
        state, {options.workers, options.ranks, threads, options.device, options.lease_s,
                options.database, fs::weakly_canonical(folder).string(), options.listen,
                options.metrics, options.tls, options.tls_cert, options.tls_key,
                options.tls_client_ca, options.config.file, options.http});
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
        to_start.may_read.clear();
    }
    helpers::ComputeProcess compute(to_start);
    const daemon::Access access = daemon::prepare_access(state, store);
    const auth::StoredTokens tokens(store);

    std::vector<space::Room::Place> places = {{space::kArtifacts, folder}};
    if (cluster) {
        places.push_back({"database", state / "postgres"});
    }
    space::Room room(std::move(places), {.watermark = watermark, .log = log});
    space::Collector collector({.store = store,
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
    api_options.logs = state / "logs" / "stages";
    api_options.scratch = state / "helpers" / "datasets";
    api_options.version = KANAME_VERSION;
    api_options.lease_s = options.lease_s;
    api_options.heartbeat_s = options.lease_s / 6;
    api_options.log = log;
    api_options.room = &room;
    api_options.collector = &collector;
    api_options.campaigns.drive = true;
    const service::Backends backends{store, artifacts, checkpoints, compute, tokens, running};
    const auto api = open_api(api_options, options.listen, backends);
    const std::string address = "unix:" + api_options.socket.string();
    const std::string network =
        options.listen.empty() ? "" : daemon::local_address(options.listen, api->port());
    const auto metrics = open_metrics(options, *api);
    const auto site = open_site(options, api_options, state, *api, backends, compute);
    const std::string page = site == nullptr
                                 ? ""
                                 : (api_options.certificate.empty() ? "http://" : "https://") +
                                       daemon::local_address(options.http, site->port());
    if (site != nullptr) {
        log("pages at " + page);
    }
    // Of a certificate of their own the users know the authority.
    daemon::write_client_file(state, address, access.cli_token,
                              {network, options.tls.empty() ? "" : api_options.certificate, page});

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
    duties.lease_s = options.lease_s;
    duties.local.backlog.max_agents = options.workers;
    duties.local.host = host_name();
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
                                         host_name(),
                                         options.listen,
                                         api->port(),
                                         api_options.certificate,
                                         !options.tls.empty()};
        pools.emplace(
            store, options.config,
            launcher::DispatchesOptions{
                .site = program::complete_site(options.config.site, place),
                .place = host_name() + ':' + fs::weakly_canonical(state).string(),
                .marks = state / program::kSlurmMarks,
                .make_token = [&](const std::string& name) { return agent_tokens.make(name); },
                .end_token = [&](const std::string& name) { agent_tokens.end(name); },
                .log = log,
                .clock = scheduler::monotonic_s});
        pools->join(housekeeper);
    }
    housekeeper.start();
    space::Upkeep upkeep(store, room, collector,
                         {.sweep_every_s = options.space.sweep_every_s,
                          .log = log,
                          .each_look =
                              [&] {
                                  space::trim_logs(state);
                                  api->dataset_keeper().describe_old(kDescribedAtOnce);
                              },
                          .before_sweep =
                              [&](const std::function<bool()>& stop) {
                                  api->dataset_keeper().keep(options.config.datasets, stop);
                              }});
    log("serving on " + address +
        (network.empty() ? ""
                         : " and " + network + (api_options.certificate.empty() ? "" : " (TLS)")));

    watch_until_signal(*api, backends);

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

/// Ends the server of a state folder and what a crashed one left running.
int stop(const Options& options) {
    const fs::path state = daemon::state_folder(options.state);
    bool any = false;
    const fs::path told = state / program::kStopWorkers;
    if (options.stop_workers) {
        write_file(told, "");
    }
    if (const auto server = embedded::StateLock::holder(state)) {
        any = run::send_signal(*server, SIGTERM);
        if (!run::wait_until_gone(*server, seconds(kShutdownLimit_s))) {
            run::send_signal(*server, SIGKILL);
            run::wait_until_gone(*server, seconds(10));
        }
    }
    any |= !launcher::LocalLauncher::running_in(state / "agents").empty();
    launcher::LocalLauncher::stop_all_in(state / "agents", kAgentGrace);
    any |= embedded::stop_orphan(state);
    std::error_code ignored;
    if (fs::remove(told, ignored)) {  // no server was there to see it
        constexpr double kCommand_s = 60;
        any |= launcher::Dispatches::cancel_marked_in(state / program::kSlurmMarks, kCommand_s) > 0;
    }
    fs::remove(state / "server.pid", ignored);
    std::cout << (any ? "stopped\n" : "nothing was running\n");
    return run::kExitOk;
}

/// Whether what `serve` would need is there.
int check(const Options& options) {
    const program::ServerPlace place{daemon::state_folder(options.state),
                                     run::beside_this_program("kaname-agent"),
                                     host_name(),
                                     options.listen,
                                     0,
                                     "",
                                     false};
    const auto findings = program::check_options(options, place);
    std::cout << program::to_lines(findings);
    const bool failed = std::ranges::count(findings, "fail", &program::Finding::status) > 0;
    return failed ? run::kExitUnavailable : run::kExitOk;
}

int migrate(const Options& options) {
    if (options.check_only) {
        return program::check_schema(options, log);
    }
    const fs::path state = daemon::state_folder(options.state);
    if (options.database.empty()) {
        daemon::make_state_folder(state);
    }
    const program::OpenedDatabase database(options, state, true, log);
    store::Pool pool(database.conninfo(), 1);
    const auto names = store::migrate(pool, false);
    for (const std::string& name : names) {
        std::cout << "applied " << name << "\n";
    }
    if (names.empty()) {
        std::cout << "the schema is up to date\n";
    }
    return run::kExitOk;
}

int backup(const Options& options, const program::MaintenanceOptions& how) {
    return program::backup(options, how, log);
}

int restore(const Options& options, const program::MaintenanceOptions& how) {
    return program::restore(options, how, log);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Keeps the queue and the results of Kaname, and serves them over gRPC.",
                 "kaname-server");
    app.footer(run::kExitCodesHelp);
    app.set_version_flag("--version", std::string("kaname-server ") + KANAME_VERSION);
    app.require_subcommand(0, 1);
    program::add_config(app, options);
    program::add_place(app, options, true);
    program::add_serving(app, options);
    program::add_space(app, options.space);
    CLI::App* stop_command =
        app.add_subcommand("stop", "Stop the server, its agents and its private PostgreSQL");
    program::add_place(*stop_command, options, false);
    stop_command->add_flag("--workers", options.stop_workers,
                           "And its jobs in Slurm, which go on without it else");
    CLI::App* check_command =
        app.add_subcommand("check", "Say whether what a configuration needs is there");
    program::add_config(*check_command, options);
    program::add_place(*check_command, options, true);
    CLI::App* migrate_command =
        app.add_subcommand("migrate", "Bring the database's schema up to date");
    program::add_config(*migrate_command, options);
    program::add_place(*migrate_command, options, true);
    migrate_command->add_flag("--check", options.check_only, "Only say what is missing");
    program::MaintenanceOptions maintenance{.version = KANAME_VERSION, .host = host_name()};
    CLI::App* backup_command = app.add_subcommand(
        "backup",
        "Copy the database and the files that it refers to, while the server runs or not");
    program::add_place(*backup_command, options, true);
    backup_command->add_option("FOLDER", maintenance.folder, "To make")->required();
    backup_command
        ->add_option(
            "--artifacts", maintenance.artifacts,
            "What becomes of files: copy; link, on one file system; manifest: listed alone")
        ->check(CLI::IsMember({"copy", "link", "manifest"}))
        ->capture_default_str();
    backup_command->add_option("--artifacts-folder", options.artifacts,
                               "Folder of files and results; default: that of the last server");
    CLI::App* restore_command =
        app.add_subcommand("restore", "Make an empty state folder what a backup was");
    program::add_place(*restore_command, options, true);
    restore_command->add_option("FOLDER", maintenance.folder, "Of the backup")->required();
    restore_command->add_option(
        "--artifacts-folder", options.artifacts,
        "Empty folder of files and results, or with a backup that lists "
        "them alone the folder that has them; default: in the state folder");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? run::kExitOk : run::kExitBadInput;
    }
    if (run::hide_password(argc, argv, "--database")) {
        log("a password stood on the command line, where other users of this machine could read it "
            "until now: set KANAME_DATABASE instead, or database.password_file of --config");
    }
    const sigset_t ending = ending_signals();
    ::pthread_sigmask(SIG_BLOCK, &ending, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);  // it is not bound to the terminal that started it
    ::umask(077);
    try {
        g_format = options.log_format == "json" ? LogFormat::Json : LogFormat::Text;
        if (!options.config.file.empty()) {
            const bool own = check_command->parsed() || migrate_command->parsed();
            program::read_config(own ? *app.get_subcommands().front() : app, options);
            g_format = options.log_format == "json" ? LogFormat::Json : LogFormat::Text;
        }
        return stop_command->parsed()      ? stop(options)
               : check_command->parsed()   ? check(options)
               : migrate_command->parsed() ? migrate(options)
               : backup_command->parsed()  ? backup(options, maintenance)
               : restore_command->parsed() ? restore(options, maintenance)
                                           : serve(options);
    } catch (const Error& error) {
        log(error.what());
        return run::exit_code(error.code());
    } catch (const std::exception& error) {
        log(error.what());
        return run::kExitInternal;
    }
}
