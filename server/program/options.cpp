// SPDX-License-Identifier: BSD-3-Clause
#include "server/program/options.hpp"

#include <algorithm>

namespace kaname::program {

space::Keeping SpaceOptions::keeping() const {
    constexpr double kDay_s = 86400, kRefusals_days = 90;
    return {grace_hours * 3600,
            unreferenced_days * kDay_s,
            {.ended_s = history_days * kDay_s,
             .audit_s = audit_days * kDay_s,
             .refusals_s = std::min(audit_days, kRefusals_days) * kDay_s}};
}

void add_config(CLI::App& app, Options& options) {
    app.add_option("--config", options.config.file,
                   "YAML file with these options and pools of Slurm; what is said here wins");
}

void add_place(CLI::App& app, Options& options, bool with_database) {
    app.add_option("--state", options.state,
                   "State folder; default KANAME_STATE, else $XDG_STATE_HOME/kaname, else "
                   "~/.local/state/kaname");
    if (with_database) {
        auto* database = app.add_option("--database", options.database,
                                        "Connection string of a PostgreSQL database to use; with "
                                        "a password better in the variable")
                             ->envname("KANAME_DATABASE");
        app.add_flag("--embedded")
            ->description("Keep a private PostgreSQL in the state folder (the default)")
            ->excludes(database);
        app.add_option("--db-user", options.db_user,
                       "User that the private PostgreSQL runs as when root starts it; default "
                       "postgres");
        app.add_option("--pg-bin", options.binaries,
                       "Folder of PostgreSQL's programs; default: found");
    }
}

void add_serving(CLI::App& app, Options& options) {
    app.add_option("--listen", options.listen,
                   "HOST:PORT, beside the unix socket of the state folder; port 0: the last one, "
                   "else any free one");
    app.add_option("--tls", options.tls,
                   "self-signed: encrypt what goes over --listen with a certificate made here")
        ->check(CLI::IsMember({"self-signed"}));
    app.add_option("--tls-cert", options.tls_cert, "PEM file: the certificate of --listen");
    app.add_option("--tls-key", options.tls_key, "PEM file: its key");
    app.add_option("--tls-client-ca", options.tls_client_ca,
                   "PEM file: who vouches for the certificates that callers must then show");
    app.add_flag("--insecure", options.insecure)->group("");  // refused, with advice
    app.add_option("--workers", options.workers, "Agents on this machine at most; 0: none")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    app.add_option("--ranks", options.ranks, "MPI ranks of an agent")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    app.add_option("--threads", options.threads,
                   "Threads of each rank; 0: the cores, divided among all ranks")
        ->check(CLI::Range(0, 4096))
        ->capture_default_str();
    app.add_option("--artifacts", options.artifacts,
                   "Folder of files and results; default: in the state folder. Servers that share "
                   "a database share it");
    app.add_option("--metrics", options.metrics,
                   "HOST:PORT of a page for Prometheus; default: none");
    app.add_option("--http", options.http,
                   "HOST:PORT of the page and of JSON over HTTP, encrypted as --listen is; port 0: "
                   "the last one, else any free one; default: none");
    app.add_option("--page-folder", options.page_folder,
                   "Folder of the built page; default: share/kaname/page beside the folder of this "
                   "program");
    app.add_option("--log-format", options.log_format,
                   "Of the logs of the server and its agents: text, or json, an object a line")
        ->check(CLI::IsMember({"text", "json"}))
        ->envname("KANAME_LOG_FORMAT")
        ->capture_default_str();
    app.add_option("--device", options.device, "Where agents solve: auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
        ->capture_default_str();
    app.add_option("--idle-exit-s", options.idle_exit_s,
                   "An agent without work for so long leaves; 0: never")
        ->check(CLI::Range(0.0, 1e9))
        ->capture_default_str();
    app.add_option("--max-upload-gb", options.max_upload_gb,
                   "Largest file, result or checkpoint [GB] that is taken; the file system must "
                   "have room for it besides")
        ->check(CLI::Range(0.001, 1e6))
        ->capture_default_str();
    app.add_option("--lease-s", options.lease_s, "A worker silent for longer is lost")
        ->check(CLI::Range(1.0, 3600.0))
        ->capture_default_str();
}

void add_space(CLI::App& app, SpaceOptions& options) {
    app.add_option(
           "--min-free", options.min_free,
           "With less free on a file system nothing new begins: a part (5%), a size (20GB), "
           "or auto: 2% and 1 GiB at least, but at most 10%")
        ->envname("KANAME_MIN_FREE")
        ->capture_default_str();
    const auto add = [&app](const char* name, const char* variable, double& value,
                            const char* what) {
        app.add_option(name, value, what)
            ->check(CLI::Range(0.0, 1e7))
            ->envname(variable)
            ->capture_default_str();
    };
    add("--sweep-every-s", "KANAME_SWEEP_EVERY_S", options.sweep_every_s,
        "Time between removals of what is kept no longer; 0: never");
    add("--grace-hours", "KANAME_GRACE_HOURS", options.grace_hours,
        "For which files that no job names are kept");
    add("--keep-partial-days", "KANAME_KEEP_PARTIAL_DAYS", options.partial_days,
        "For which unfinished uploads are kept");
    add("--keep-unreferenced-days", "KANAME_KEEP_UNREFERENCED_DAYS", options.unreferenced_days,
        "For which results are kept that no job has any more");
    add("--keep-history-days", "KANAME_KEEP_HISTORY_DAYS", options.history_days,
        "For which attempts, ended tasks, lost workers and logs of stages are kept");
    add("--keep-audit-days", "KANAME_KEEP_AUDIT_DAYS", options.audit_days,
        "For which the audit is kept; refusals: 90 at most");
}

}  // namespace kaname::program
