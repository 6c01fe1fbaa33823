// SPDX-License-Identifier: BSD-3-Clause
// admin: what operators do, in one place. token, quota, audit and gc are the commands of the same
// names.
#include <cmath>
#include <iostream>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

struct StatsOptions {
    ServiceOptions service;
};

/// LocalOptions holds the options of commands that work on this machine, whether its server runs or
/// not.
struct LocalOptions {
    std::string state, database, binaries, artifacts_folder, folder;
    std::string artifacts = "copy";
    bool check = false;
};

json stats_json(const v1::Stats& stats) {
    json object = json_of(stats,
                          "* -tasks_blocked -tasks_held -tasks_ready -tasks_running "
                          "-workers_by_state -last_failures database");
    object["tasks"] = json_of(stats,
                              "tasks_blocked=blocked tasks_held=held tasks_ready=ready "
                              "tasks_running=running");
    object["workers"] = json::object();
    for (const v1::WorkerCount& of : stats.workers_by_state()) {
        object["workers"][state_text(of.state())] = of.count();
    }
    object["last_failures"] = json::array();
    for (const v1::Failure& failure : stats.last_failures()) {
        object["last_failures"].push_back(json_of(failure, "task_id=task job@job *"));
    }
    return object;
}

void print_stats(const v1::Stats& stats) {
    const auto bytes = [](std::int64_t n) { return format_bytes(static_cast<double>(n)); };
    std::cout << "kaname-server " << stats.version() << ", up " << format_seconds(stats.uptime_s())
              << "\n"
              << "tasks: " << format_count(stats.tasks_ready()) << " ready"
              << (stats.oldest_ready_age_s() > 0
                      ? " (the oldest for " + format_seconds(stats.oldest_ready_age_s()) + ")"
                      : "")
              << ", " << format_count(stats.tasks_running()) << " running, "
              << format_count(stats.tasks_blocked()) << " blocked, "
              << format_count(stats.tasks_held()) << " held; " << format_count(stats.jobs_active())
              << " active jobs\n"
              << "sources per minute: " << format_number(stats.sources_per_minute()) << "\n"
              << "workers:";
    const char* separator = " ";
    for (const v1::WorkerCount& of : stats.workers_by_state()) {
        std::cout << separator << of.count() << ' ' << state_text(of.state());
        separator = ", ";
    }
    std::cout << (stats.workers_by_state().empty() ? " none" : "") << "\n";
    const v1::DatabaseState& database = stats.database();
    std::cout << "database: PostgreSQL " << database.version() << ", schema " << database.schema()
              << ", " << bytes(database.bytes()) << ", " << format_count(database.dead_tuples())
              << " dead of " << format_count(database.live_tuples() + database.dead_tuples())
              << " rows, " << database.connections() << " connections"
              << (database.oldest_xmin_age_s() > 0
                      ? "; the oldest transaction is open for " +
                            format_seconds(database.oldest_xmin_age_s())
                  : std::isnan(database.oldest_xmin_age_s())
                      ? "; a transaction of another role is open, since when is not known yet"
                      : "")
              << "\n";
    for (const v1::Room& room : stats.rooms()) {
        std::cout << room.what() << " in " << room.folder() << ": " << bytes(room.free_bytes())
                  << " free of " << bytes(room.total_bytes()) << "\n";
    }
    if (!stats.paused().empty()) {
        std::cout << "no task starts and no submit is taken: " << stats.paused() << "\n";
    }
    for (const v1::Failure& failure : stats.last_failures()) {
        std::cout << "failed " << time_text(failure.at_s()) << ": "
                  << (failure.label().empty() ? "task " + std::to_string(failure.task_id())
                                              : shown_on_a_line(failure.label()))
                  << (failure.worker().empty() ? "" : " on " + shown_on_a_line(failure.worker()))
                  << ": " << failure.error().substr(0, failure.error().find('\n')) << "\n";
    }
}

int stats_command(const StatsOptions& options, const Context& context) {
    const v1::Stats stats = open_client(options.service)->stats();
    if (context.json) {
        print_json(stats_json(stats));
    } else {
        print_stats(stats);
    }
    return run::kExitOk;
}

std::vector<std::string> arguments_of(const char* command, const LocalOptions& options) {
    std::vector<std::string> arguments = {command, "--state",
                                          client::state_folder(options.state).string()};
    for (const auto& [name, value] :
         {std::pair("--database", &options.database), std::pair("--pg-bin", &options.binaries)}) {
        if (!value->empty()) {
            arguments.insert(arguments.end(), {name, *value});
        }
    }
    return arguments;
}

void print_run(const ServerRun& told, const Context& context) {
    if (context.json) {
        print_json({{"exit_code", told.exit_code}, {"lines", told.lines}});
    }
}

int backup_command(const LocalOptions& options, const Context& context) {
    std::vector<std::string> arguments = arguments_of("backup", options);
    arguments.insert(arguments.end(), {"--artifacts", options.artifacts});
    if (!options.artifacts_folder.empty()) {
        arguments.insert(arguments.end(), {"--artifacts-folder", options.artifacts_folder});
    }
    arguments.insert(arguments.end(), {"--", options.folder});
    const ServerRun told = run_server(arguments, {run::kExitOk, run::kExitSomeFailed}, context);
    print_run(told, context);
    return told.exit_code;
}

int restore_command(const LocalOptions& options, const Context& context) {
    std::vector<std::string> arguments = arguments_of("restore", options);
    if (!options.artifacts_folder.empty()) {
        arguments.insert(arguments.end(), {"--artifacts-folder", options.artifacts_folder});
    }
    arguments.insert(arguments.end(), {"--", options.folder});
    print_run(run_server(arguments, {run::kExitOk}, context), context);
    return run::kExitOk;
}

int migrate_command(const LocalOptions& options, const Context& context) {
    std::vector<std::string> arguments = arguments_of("migrate", options);
    if (options.check) {
        arguments.emplace_back("--check");
    }
    const ServerRun told = run_server(arguments, {run::kExitOk, run::kExitConflict}, context);
    print_run(told, context);
    return told.exit_code;
}

int backups_command(const StatsOptions& options, const Context& context) {
    const auto backups = open_client(options.service)->list_backups();
    json list = json::array();
    for (const v1::Backup& backup : backups) {
        if (context.json) {
            list.push_back(json_of(backup));
            continue;
        }
        std::cout << time_text(backup.started_s()) << "  " << backup.state() << "  "
                  << backup.host() << ':' << backup.folder() << ", " << format_count(backup.files())
                  << " files (" << format_bytes(static_cast<double>(backup.bytes())) << ", "
                  << backup.artifacts() << "), database "
                  << format_bytes(static_cast<double>(backup.database_bytes()))
                  << (backup.error().empty() ? "" : "; " + backup.error()) << "\n";
    }
    if (context.json) {
        print_json({{"backups", list}});
    } else if (backups.empty()) {
        std::cout << "no backup was made yet\n";
    }
    return run::kExitOk;
}

void add_place(Command& command, LocalOptions& options) {
    command.add_options(
        {{"--state", &options.state,
          "State folder of a server on this machine; default: KANAME_STATE"},
         {"--database", &options.database, "Connection string; default: what its last server had"},
         {"--pg-bin", &options.binaries, "Folder of PostgreSQL's programs; default: found"}});
}

void add_local(Command& admin, Context& context) {
    const auto backup = std::make_shared<LocalOptions>();
    Command& backing_up = add_command<LocalOptions>(
        admin, context, "backup",
        "Copy the database and the files that it refers to, while the server works", backup,
        backup_command);
    backing_up.add_options(
        {{"FOLDER", &backup->folder, "To make; it appears when it is complete", kRequired},
         {"--artifacts",
          &backup->artifacts,
          "copy: its own files; link: hard links, on one file system; manifest: listed alone",
          {.show_default = true, .check = one_of("copy|link|manifest")}},
         {"--artifacts-folder", &backup->artifacts_folder,
          "Where the server's files are; default: where its last server had them"}});
    add_place(backing_up, *backup);
    const auto restore = std::make_shared<LocalOptions>();
    Command& restoring = add_command<LocalOptions>(admin, context, "restore",
                                                   "Make an empty state folder what a backup was",
                                                   restore, restore_command);
    restoring.add_options(
        {{"FOLDER", &restore->folder, "Of the backup", kRequired},
         {"--artifacts-folder", &restore->artifacts_folder,
          "Empty folder for the files, or the one that has those of a manifest; default: in the "
          "state folder"}});
    add_place(restoring, *restore);
    const auto migrate = std::make_shared<LocalOptions>();
    Command& migrating = add_command<LocalOptions>(admin, context, "migrate",
                                                   "Bring the database's schema to this version",
                                                   migrate, migrate_command);
    migrating.add_options({{"--check", &migrate->check,
                            "Only say what would be run; exit code 6 when that is something"}});
    add_place(migrating, *migrate);
}

}  // namespace

void add_admin(Command& app, Context& context) {
    Command& admin = app.add_command("admin", "Operate the service");
    admin.needs_command = true;
    const auto stats = std::make_shared<StatsOptions>();
    add_service_options(add_command<StatsOptions>(admin, context, "stats",
                                                  "Show queue, workers, disks and database in "
                                                  "one look",
                                                  stats, stats_command),
                        stats->service);
    add_quota(admin, context);
    add_token(admin, context);
    add_audit(admin, context);
    add_local(admin, context);
    const auto backups = std::make_shared<StatsOptions>();
    add_service_options(
        add_command<StatsOptions>(admin, context, "backups", "List the backups that were made",
                                  backups, backups_command),
        backups->service);
    add_gc(admin, context);
}

}  // namespace kaname::cli
