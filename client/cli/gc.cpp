// SPDX-License-Identifier: BSD-3-Clause
// gc: what nobody needs any more on the server, and the room that it has.
#include <iostream>

#include "client/cli/commands.hpp"
#include "client/cli/format.hpp"
#include "client/cli/service.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

struct GcOptions {
    ServiceOptions service;
    bool dry_run = false;
};

std::string files_text(std::int64_t files, std::int64_t bytes) {
    return format_count(files) + (files == 1 ? " file, " : " files, ") +
           format_bytes(static_cast<double>(bytes));
}

void print_collected(const v1::CollectGarbageResponse& sweep, const v1::Stats& stats,
                     bool dry_run) {
    std::cout << "stored: " << files_text(sweep.files(), sweep.bytes()) << "\n"
              << "referred to by nothing: " << files_text(sweep.loose_files(), sweep.loose_bytes())
              << "\n";
    if (dry_run) {
        std::cout << "would go: " << files_text(sweep.due_files(), sweep.due_bytes()) << "\n";
    } else {
        std::cout << "removed: " << files_text(sweep.removed_files(), sweep.removed_bytes())
                  << "; besides " << format_count(sweep.removed_partials())
                  << " unfinished uploads, " << format_count(sweep.removed_logs()) << " logs, "
                  << format_count(sweep.removed_rows()) << " rows of history\n";
    }
    for (const v1::Room& room : stats.rooms()) {
        std::cout << room.what() << " in " << room.folder() << ": "
                  << format_bytes(static_cast<double>(room.free_bytes())) << " free of "
                  << format_bytes(static_cast<double>(room.total_bytes())) << ", at least "
                  << format_bytes(static_cast<double>(room.low_bytes())) << " stay free\n";
    }
    if (!stats.paused().empty()) {
        std::cout << "no task starts and no submit is taken: " << stats.paused() << "\n";
    }
}

int gc_command(const GcOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const v1::CollectGarbageResponse sweep = client->collect_garbage(options.dry_run);
    const v1::Stats stats = client->stats();
    if (!context.json) {
        print_collected(sweep, stats, options.dry_run);
        return run::kExitOk;
    }
    json rooms = json::array();
    for (const v1::Room& room : stats.rooms()) {
        rooms.push_back(to_json(room));
    }
    print_json({{"dry_run", options.dry_run},
                {"files", sweep.files()},
                {"bytes", sweep.bytes()},
                {"loose_files", sweep.loose_files()},
                {"loose_bytes", sweep.loose_bytes()},
                {"due_files", sweep.due_files()},
                {"due_bytes", sweep.due_bytes()},
                {"removed_files", sweep.removed_files()},
                {"removed_bytes", sweep.removed_bytes()},
                {"removed_partials", sweep.removed_partials()},
                {"removed_logs", sweep.removed_logs()},
                {"removed_rows", sweep.removed_rows()},
                {"paused", stats.paused()},
                {"rooms", rooms}});
    return run::kExitOk;
}

}  // namespace

void add_gc(Command& app, Context& context) {
    const auto options = std::make_shared<GcOptions>();
    Command& command = add_command<GcOptions>(
        app, context, "gc", "Remove from the server what nobody refers to any more", options,
        gc_command);
    command.add_options({{"--dry-run", &options->dry_run, "Only say what would go"}});
    add_service_options(command, options->service);
}

}  // namespace kaname::cli
