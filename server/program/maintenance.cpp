// SPDX-License-Identifier: BSD-3-Clause
#include "server/program/maintenance.hpp"

#include <algorithm>
#include <iostream>

#include "server/backup/backup.hpp"
#include "server/daemon/running_options.hpp"
#include "server/daemon/state_folder.hpp"
#include "server/embedded/binaries.hpp"
#include "server/store/postgres/database_needs.hpp"
#include "server/store/postgres/migrations.hpp"
#include "server/store/postgres/pool.hpp"
#include "solvers/base/error.hpp"
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
        throw Error(ErrorCode::NotFound, "no database in " + state.string() +
                                             ": has a server run with this state folder?");
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

}  // namespace kaname::program
