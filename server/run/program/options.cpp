// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/program/options.hpp"

#include <algorithm>
#include <utility>

#include "solvers/base/address.hpp"

namespace kaname::program {
namespace {

using command::between;
using command::Command;
using command::one_of;

/// For a time, in the unit that the option's name says.
constexpr command::Rules kept(const char* variable) {
    return {.show_default = true, .check = between(0.0, 1e7), .variable = variable};
}

}  // namespace

space::RetentionTimes SpaceOptions::keeping() const {
    constexpr double kDay_s = 86400, kRefusals_days = 90;
    return {grace_hours * 3600,
            unreferenced_days * kDay_s,
            {.ended_s = history_days * kDay_s,
             .audit_s = audit_days * kDay_s,
             .refusals_s = std::min(audit_days, kRefusals_days) * kDay_s}};
}

void add_config(Command& app, Options& options) {
    app.add_options({
        {"--config", &options.config.file,
         "YAML file with these options and pools of Slurm; what is said here wins"},
    });
}

void add_place(Command& app, Options& options, bool with_database) {
    app.add_options({
        {"--state", &options.state,
         "State folder; default KANAME_STATE, else $XDG_STATE_HOME/kaname, else "
         "~/.local/state/kaname"},
    });
    if (with_database) {
        app.add_options({
            {"--database",
             &options.database,
             "Connection string of a PostgreSQL database to use; with "
             "a password better in the variable",
             {.variable = "KANAME_DATABASE"}},
            {"--embedded",
             {},
             "Keep a private PostgreSQL in the state folder (the default)",
             {.excludes = "--database"}},
            {"--db-user", &options.db_user,
             "User that the private PostgreSQL runs as when root starts it; default "
             "postgres"},
            {"--pg-bin", &options.binaries, "Folder of PostgreSQL's programs; default: found"},
        });
    }
}

void add_serving(Command& app, Options& options) {
    app.add_options({
        {"--listen", &options.listen,
         "HOST:PORT, beside the unix socket of the state folder; port 0: the last one, "
         "else any free one"},
        {"--tls",
         &options.tls,
         "self-signed: encrypt what goes over --listen with a certificate made here",
         {.check = one_of("self-signed")}},
        {"--tls-cert", &options.tls_cert, "PEM file: the certificate of --listen"},
        {"--tls-key", &options.tls_key, "PEM file: its key"},
        {"--tls-client-ca", &options.tls_client_ca,
         "PEM file: who vouches for the certificates that callers must then show"},
        {"--insecure", &options.insecure, "", {.group = ""}},  // refused, with advice
        {"--workers",
         &options.workers,
         "Agents on this machine at most; 0: none",
         {.show_default = true, .check = between(0, 1024)}},
        {"--ranks",
         &options.ranks,
         "MPI ranks of an agent",
         {.show_default = true, .check = between(1, 4096)}},
        {"--threads",
         &options.threads,
         "Threads of each rank; 0: the cores, divided among all ranks",
         {.show_default = true, .check = between(0, 4096)}},
        {"--artifacts", &options.artifacts,
         "Folder of files and results; default: in the state folder. Servers that share "
         "a database share it"},
        {"--metrics", &options.metrics, "HOST:PORT of a page for Prometheus; default: none"},
        {"--http", &options.http,
         "HOST:PORT of the page and of JSON over HTTP, encrypted as --listen is; port 0: "
         "the last one, else any free one; default: none"},
        {"--page-folder", &options.page_folder,
         "Folder of the built page; default: share/kaname/page beside the folder of this "
         "program"},
        {"--log-format",
         &options.log_format,
         "Of the logs of the server and its agents: text, or json, an object a line",
         {.show_default = true, .check = one_of("text|json"), .variable = "KANAME_LOG_FORMAT"}},
        {"--device",
         &options.device,
         "Where agents solve: auto, cpu or cuda",
         {.show_default = true, .check = one_of("auto|cpu|cuda")}},
        {"--idle-exit-s",
         &options.idle_exit_s,
         "An agent without work for so long leaves; 0: never",
         {.show_default = true, .check = between(0.0, 1e9)}},
        {"--max-upload-gb",
         &options.max_upload_gb,
         "Largest file, result or checkpoint [GB] that is taken; the file system must "
         "have room for it besides",
         {.show_default = true, .check = between(0.001, 1e6)}},
        {"--lease-s",
         &options.lease_s,
         "A worker silent for longer is lost",
         {.show_default = true, .check = between(1.0, 3600.0)}},
    });
}

void add_space(Command& app, SpaceOptions& options) {
    app.add_options({
        {"--min-free",
         &options.min_free,
         "With less free on a file system nothing new begins: a part (5%), a size (20GB), "
         "or auto: 2% and 1 GiB at least, but at most 10%",
         {.show_default = true, .variable = "KANAME_MIN_FREE"}},
        {"--sweep-every-s", &options.sweep_every_s,
         "Time between removals of what is kept no longer; 0: never", kept("KANAME_SWEEP_EVERY_S")},
        {"--grace-hours", &options.grace_hours, "For which files that no job names are kept",
         kept("KANAME_GRACE_HOURS")},
        {"--keep-partial-days", &options.partial_days, "For which unfinished uploads are kept",
         kept("KANAME_KEEP_PARTIAL_DAYS")},
        {"--keep-unreferenced-days", &options.unreferenced_days,
         "For which results are kept that no job has any more",
         kept("KANAME_KEEP_UNREFERENCED_DAYS")},
        {"--keep-history-days", &options.history_days,
         "For which attempts, ended tasks, lost workers and logs of stages are kept",
         kept("KANAME_KEEP_HISTORY_DAYS")},
        {"--keep-audit-days", &options.audit_days,
         "For which the audit is kept; refusals: 90 at most", kept("KANAME_KEEP_AUDIT_DAYS")},
    });
}

void give_first_quotas(store::Store& store, const ConfigOptions& config) {
    if (config.quotas.empty()) {
        return;
    }
    const std::vector<store::OwnerQuota> known = store.list_quotas();
    for (const store::OwnerQuota& quota : config.quotas) {
        if (std::ranges::find(known, quota.owner, &store::OwnerQuota::owner) == known.end()) {
            store.set_quota(quota, {"configuration", "admin"});
        }
    }
}

launcher::SlurmSite complete_site(launcher::SlurmSite site, const ServerPlace& place) {
    if (site.server.empty()) {
        const std::string host = parse_address("listen", place.listen).host;
        const bool all = host == "0.0.0.0" || host == "[::]";
        site.server = (all ? place.host : host) + ":" + std::to_string(place.port);
    }
    if (site.ca.empty() && place.self_signed) {
        site.ca = place.certificate;
    }
    if (site.agent.empty()) {
        site.agent = place.agent;
    }
    if (site.folder.empty()) {
        site.folder = place.state / "slurm" / "logs";
    }
    return site;
}

SlurmPools::SlurmPools(store::Store& store, const ConfigOptions& config,
                       launcher::DispatchesOptions dispatches)
    : poll_s_(dispatches.site.poll_s),
      withdraw_after_s_(config.withdraw_after_s),
      dispatches_(store, std::move(dispatches)) {
    for (const launcher::SlurmPool& pool : config.pools) {
        launchers_.push_back(std::make_unique<launcher::SlurmLauncher>(dispatches_, pool));
    }
}

void SlurmPools::join(scheduler::Housekeeper& housekeeper) {
    constexpr double kEarly_s = 20;
    for (const auto& launcher : launchers_) {
        const launcher::SlurmPool& pool = launcher->pool();
        scheduler::WorkerPoolOptions worker_pool;
        worker_pool.backlog.max_agents = pool.max_workers;
        // The end of a job is noticed only at the next look at the queue.
        worker_pool.backlog.early_end_s = kEarly_s + poll_s_;
        worker_pool.backlog.withdraw_after_s = withdraw_after_s_;
        worker_pool.agent_prefix = launcher::Dispatches::agent_prefix(pool.name);
        worker_pool.pools = pool.serves;
        worker_pool.what = "job of pool " + pool.name;
        housekeeper.add_worker_pool(*launcher, std::move(worker_pool));
    }
}

void SlurmPools::stop_all(std::chrono::seconds grace) {
    dispatches_.cancel_all("", static_cast<double>(grace.count()));
}

}  // namespace kaname::program
