// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/program/maintenance.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>

#include <unistd.h>

#include "server/launcher/slurm/pool.hpp"
#include "server/run/backup/backup.hpp"
#include "server/run/daemon/state_folder.hpp"
#include "server/run/embedded/binaries.hpp"
#include "server/space/disk_space.hpp"
#include "server/store/postgres/connection.hpp"
#include "server/store/postgres/migrations.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/process.hpp"

namespace kaname::program {
namespace {

namespace fs = std::filesystem;

void say(const std::string& line) {
    std::cout << line << std::endl;
}

/// Completes options that are not given by those of the last server of the folder.
Options completed(Options options, const fs::path& state) {
    if (const auto last = daemon::read_running_options(state)) {
        options.database = options.database.empty() ? last->database : options.database;
        options.artifacts = options.artifacts.empty() ? last->artifacts : options.artifacts;
    }
    return options;
}

fs::path artifacts_of(const Options& options, const fs::path& state) {
    return options.artifacts.empty() ? state / "artifacts" : fs::absolute(options.artifacts);
}

backup::Artifacts artifacts_named(const std::string& name) {
    return name == "link"       ? backup::Artifacts::Link
           : name == "manifest" ? backup::Artifacts::Manifest
                                : backup::Artifacts::Copy;
}

void remove_contents(const fs::path& folder) {
    std::error_code ignored;  // the error that led here is the one to tell
    for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
        fs::remove_all(entry->path(), ignored);
    }
}

std::string count_text(std::size_t n, const char* what) {
    return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

}  // namespace

OpenedDatabase::OpenedDatabase(const Options& options, const fs::path& state, bool make,
                               const std::function<void(const std::string&)>& log)
    : data_(state / "postgres"), binaries_(options.binaries), conninfo_(options.database) {
    if (!conninfo_.empty()) {
        for (const std::string& line :
             make ? store::check_needs(conninfo_) : std::vector<std::string>{}) {
            log(line);
        }
        return;
    }
    if (!make && !fs::exists(data_)) {
        throw Error(ErrorCode::NotFound,
                    "no database in " + state.string() +
                        ": --state must name the folder of a server that has run on "
                        "this machine; an address is not enough");
    }
    if (embedded::StateLock::holder(state)) {
        const auto running = embedded::running_conninfo(state, options.db_user);
        if (!running) {
            throw Error(ErrorCode::Unavailable,
                        "the server of " + state.string() + " runs, its database does not");
        }
        conninfo_ = *running;
        return;
    }
    lock_.emplace(state);
    cluster_ = std::make_unique<embedded::Cluster>(
        embedded::ClusterOptions{state, options.db_user, options.binaries, {}, log});
    cluster_->start();
    conninfo_ = cluster_->conninfo();
}

OpenedDatabase::~OpenedDatabase() {
    if (cluster_) {
        cluster_->stop();
    }
}

fs::path OpenedDatabase::program(const std::string& name) const {
    try {
        const fs::path beside = embedded::find_binaries(binaries_, data_).folder / name;
        if (run::find_program(beside.string())) {
            return beside;
        }
    } catch (const Error&) {  // a client's installation may have it all the same
    }
    if (const auto found = run::find_program(name)) {
        return *found;
    }
    throw Error(ErrorCode::NotFound,
                name +
                    " was not found: install PostgreSQL's client package, or name the folder "
                    "of its programs with --pg-bin");
}

int backup(const Options& asked, const MaintenanceOptions& how,
           const std::function<void(const std::string&)>& log) {
    const fs::path state = daemon::state_folder(asked.state);
    const Options options = completed(asked, state);
    const OpenedDatabase database(options, state, false, log);
    const backup::Manifest made =
        backup::make_backup({.conninfo = database.conninfo(),
                             .artifacts_folder = artifacts_of(options, state),
                             .pg_dump = database.program("pg_dump"),
                             .folder = how.folder,
                             .artifacts = artifacts_named(how.artifacts),
                             .version = how.version,
                             .host = how.host,
                             .say = say});
    std::size_t kept = 0, lost = 0;
    for (const backup::File& file : made.files) {
        kept += file.state == backup::File::State::Kept ? 1 : 0;
        lost +=
            file.state == backup::File::State::Missing || file.state == backup::File::State::Damaged
                ? 1
                : 0;
    }
    say("backup " + fs::absolute(how.folder).lexically_normal().string() + ": the database and " +
        count_text(kept, "file") +
        (made.artifacts == backup::Artifacts::Manifest ? ", listed alone" : "") +
        (lost > 0 ? "; " + count_text(lost, "file") + " lost before" : ""));
    return lost > 0 ? run::kExitSomeFailed : run::kExitOk;
}

int restore(const Options& options, const MaintenanceOptions& how,
            const std::function<void(const std::string&)>& log) {
    const backup::Manifest manifest = backup::read_manifest(how.folder);
    backup::check_schema(manifest);
    const fs::path state = daemon::state_folder(options.state);
    if (fs::exists(state) && !fs::is_empty(state)) {
        throw Error(ErrorCode::Conflict, "the state folder must be empty, " + state.string() +
                                             " is not: restore beside it, or move it away");
    }
    const fs::path artifacts = artifacts_of(options, state);
    daemon::make_state_folder(state);
    try {
        const OpenedDatabase database(options, state, true, log);
        backup::restore_backup({.folder = how.folder,
                                .conninfo = database.conninfo(),
                                .artifacts_folder = artifacts,
                                .pg_restore = database.program("pg_restore"),
                                .say = say},
                               manifest);
    } catch (...) {  // the folder was empty: what is in it now is of this restore
        remove_contents(state);
        throw;
    }
    say("restored the backup of " + manifest.made + " (version " + manifest.version + ") to " +
        state.string() + "; start it with kaname up --state " + state.string() +
        (options.database.empty() ? "" : " --database ...") +
        (options.artifacts.empty() ? "" : " --artifacts " + artifacts.string()));
    return run::kExitOk;
}

int check_schema(const Options& asked, const std::function<void(const std::string&)>& log) {
    const fs::path state = daemon::state_folder(asked.state);
    const Options options = completed(asked, state);
    const OpenedDatabase database(options, state, false, log);
    store::Pool pool(database.conninfo(), 1);
    const auto missing = store::migrate(pool, true);
    const auto& all = store::built_in_migrations();
    for (const store::Migration& migration : all) {
        const bool is_missing = std::ranges::count(missing, migration.name) > 0;
        if (is_missing) {
            say("missing " + migration.name);
        }
    }
    if (missing.empty()) {
        say("the schema is up to date");
        return run::kExitOk;
    }
    say(count_text(missing.size(), "migration") + " of " + std::to_string(all.size()) +
        " would be run by kaname up of this version; make a backup first");
    return run::kExitConflict;
}

namespace {

namespace fs = std::filesystem;

/// Looks only: a folder that does not exist is made by the server's start, below one that does.
Finding check_folder(const std::string& name, const fs::path& folder) {
    std::error_code none;
    fs::path there = fs::absolute(folder);
    while (!fs::exists(there, none) && there != there.root_path()) {
        there = there.parent_path();
    }
    const bool is_there = there == fs::absolute(folder);
    const std::string where =
        folder.string() +
        (is_there ? "" : ": the server's start makes it in " + there.string() + ", which");
    if (!fs::is_directory(there, none) || ::access(there.c_str(), W_OK | X_OK) != 0) {
        return {name, "fail", where + " cannot be written",
                "make it, for the user that the server runs as"};
    }
    return {name, "ok", where + " is writable", ""};
}

Finding check_listen(const Options& options) {
    try {
        check_listening({options.listen, options.metrics, options.tls, options.tls_cert,
                         options.tls_key, options.tls_client_ca, options.insecure, options.http});
        (void)space::parse_watermark("keeping.min_free", options.space.min_free);
    } catch (const Error& error) {
        return {"listen", "fail", error.what(), ""};
    }
    return {"listen", "ok", options.listen.empty() ? "the socket alone" : options.listen, ""};
}

std::vector<Finding> check_certificates(const Options& options) {
    std::vector<Finding> findings;
    for (const auto& [name, file] :
         {std::pair("tls.certificate", options.tls_cert), std::pair("tls.key", options.tls_key),
          std::pair("tls.client_ca", options.tls_client_ca)}) {
        if (file.empty()) {
            continue;
        }
        const bool good = read_file_if_any(file).find("-----BEGIN") != std::string::npos;
        findings.push_back({name, good ? "ok" : "fail",
                            file + (good ? " is a PEM file" : " cannot be read or is no PEM file"),
                            ""});
    }
    return findings;
}

std::vector<Finding> check_database(const Options& options) {
    if (options.database.empty()) {
        return {{"database", "ok", "a private one in the state folder", ""}};
    }
    std::vector<Finding> findings;
    try {
        for (const store::UnmetNeed& need : store::unmet_needs(options.database)) {
            findings.push_back(
                {"database", need.fatal ? "fail" : "warn", need.message, need.remedy});
        }
    } catch (const Error& error) {
        return {{"database", "fail", error.what(), "see database.conninfo"}};
    }
    if (findings.empty()) {
        findings.push_back({"database", "ok", "answers, and its role may what a server does", ""});
    }
    return findings;
}

std::vector<Finding> check_slurm(const Options& options, const ServerPlace& place) {
    const launcher::SlurmSite site = complete_site(options.config.site, place);
    std::vector<Finding> findings;
    findings.push_back(check_folder("slurm folder", site.folder));
    findings.push_back({"slurm agent", ::access(site.agent.c_str(), X_OK) == 0 ? "ok" : "warn",
                        site.agent.string(),
                        ::access(site.agent.c_str(), X_OK) == 0
                            ? ""
                            : "not on this machine; is it there on the nodes?"});
    const launcher::Slurm slurm(site.command_s);
    std::string trouble;
    const auto queue = slurm.queue(trouble);
    findings.push_back(
        {"squeue", queue ? "ok" : "fail",
         queue ? "answers, " + std::to_string(queue->size()) + " jobs of this user" : trouble,
         queue ? "" : "is this a login node, and does slurmctld run?"});
    for (const launcher::SlurmPool& pool : options.config.pools) {
        const std::vector<std::string> options_of_sbatch = launcher::sbatch_options(pool);
        const std::string why = slurm.test(
            options_of_sbatch,
            launcher::worker_script(site, pool, {"kaname-doctor", "kaname-doctor", "none"}));
        std::string asked;
        for (const std::string& option : options_of_sbatch) {
            asked += (asked.empty() ? "" : " ") + option;
        }
        findings.push_back({"pool " + pool.name, why.empty() ? "ok" : "fail",
                            why.empty() ? "a job would be accepted" : why,
                            why.empty() ? "" : "it was asked with " + asked});
    }
    return findings;
}

}  // namespace

std::vector<Finding> check_options(const Options& options, const ServerPlace& place) {
    std::vector<Finding> findings = {
        {"configuration", "ok", options.config.file, ""},
        check_listen(options),
        check_folder("state folder", place.state),
        check_folder("artifacts", options.artifacts.empty() ? place.state / "artifacts"
                                                            : fs::path(options.artifacts))};
    for (Finding& finding : check_certificates(options)) {
        findings.push_back(std::move(finding));
    }
    for (Finding& finding : check_database(options)) {
        findings.push_back(std::move(finding));
    }
    if (!options.config.pools.empty()) {
        for (Finding& finding : check_slurm(options, place)) {
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

std::string to_lines(const std::vector<Finding>& findings) {
    std::string text;
    const auto field = [](std::string word) {
        std::ranges::replace_if(
            word, [](char c) { return c == '\t' || c == '\n'; }, ' ');
        return word;
    };
    for (const Finding& finding : findings) {
        text += field(finding.status) + "\t" + field(finding.name) + "\t" + field(finding.detail) +
                "\t" + field(finding.hint) + "\n";
    }
    return text;
}

}  // namespace kaname::program
