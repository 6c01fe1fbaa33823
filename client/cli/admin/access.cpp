// SPDX-License-Identifier: BSD-3-Clause
#include <charconv>
#include <ctime>
#include <iostream>
#include <optional>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "worker/run/exit_code.hpp"

// token make, token list, token revoke; audit.
namespace kaname::cli {
namespace {

using nlohmann::json;

constexpr double kHour_s = 3600;
constexpr int kDefaultEvents = 50;

struct TokenOptions {
    ServiceOptions service;
    std::string token, role;
    double expires_days = 0;
};

struct AuditOptions {
    ServiceOptions service;
    int limit = kDefaultEvents;
    std::string principal, method, resource;
    double hours = 0;
    bool refused = false;
};

int token_make_command(const TokenOptions& options, const Context& context) {
    v1::MakeTokenRequest request;
    request.set_name(options.token);
    request.set_role(options.role);
    request.set_expires_s(options.expires_days * kDay_s);
    const auto client = open_client(options.service);
    const v1::MakeTokenResponse made = client->make_token(request);
    if (context.json) {
        json object = json_of(made.token());
        object["token"] = made.secret();
        print_json(object);
    } else {
        // The token alone on standard output, for scripts and pipes.
        std::cout << made.secret() << "\n" << std::flush;
    }
    if (!std::cout) {
        // Not by the client above, whose calls have ended with the output.
        (void)client::Client(client->endpoint(), {}).revoke_token(made.token().id());
        throw Error(ErrorCode::Unavailable, "token " + made.token().id() +
                                                " could not be printed and was revoked: it is "
                                                "shown once, and nobody has it");
    }
    if (context.json) {
        return run::kExitOk;
    }
    std::cerr << "token " << made.token().id() << " of " << made.token().name() << ", role "
              << made.token().role()
              << (made.token().expires_s() > 0 ? ", until " + time_text(made.token().expires_s())
                                               : std::string(", without end"))
              << ". It is shown this once: hand it over, to be set as KANAME_TOKEN\n";
    return run::kExitOk;
}

std::string end_text(const v1::Token& token) {
    return token.revoked_s() > 0   ? "revoked " + time_text(token.revoked_s())
           : token.expires_s() > 0 ? "until " + time_text(token.expires_s())
                                   : "without end";
}

int token_list_command(const TokenOptions& options, const Context& context) {
    const auto tokens = open_client(options.service)->list_tokens();
    if (context.json) {
        json list = json::array();
        for (const v1::Token& token : tokens) {
            list.push_back(json_of(token));
        }
        print_json({{"tokens", list}});
        return run::kExitOk;
    }
    for (const v1::Token& token : tokens) {
        std::cout << token.id() << "  " << token.role() << "  " << token.name() << ", made "
                  << time_text(token.created_s()) << ", " << end_text(token) << ", "
                  << (token.used_s() > 0 ? "last used " + time_text(token.used_s())
                                         : "not used yet")
                  << "\n";
    }
    return run::kExitOk;
}

int token_revoke_command(const TokenOptions& options, const Context& context) {
    const v1::Token token = open_client(options.service)->revoke_token(options.token);
    if (context.json) {
        print_json(json_of(token));
    } else {
        std::cout << token.id() << " of " << token.name() << ": refused from now on\n";
    }
    return run::kExitOk;
}

int audit_command(const AuditOptions& options, const Context& context) {
    v1::ListAuditEventsRequest filter;
    filter.set_principal(options.principal);
    filter.set_method(options.method);
    filter.set_resource(options.resource);
    filter.set_refused(options.refused);
    if (options.hours > 0) {
        filter.set_from_s(static_cast<double>(std::time(nullptr)) - options.hours * kHour_s);
    }
    const auto events = open_client(options.service)->list_audit_events(options.limit, filter);
    if (context.json) {
        json list = json::array();
        for (const v1::AuditEvent& event : events) {
            list.push_back(json_of(event));
        }
        print_json({{"events", list}});
        return run::kExitOk;
    }
    for (const v1::AuditEvent& event : events) {
        std::cout << time_text(event.at_s()) << "  " << event.principal() << " (" << event.role()
                  << ")  " << event.method() << (event.resource().empty() ? "" : " ")
                  << shown_on_a_line(event.resource() + ": " + event.outcome()) << "\n";
    }
    return run::kExitOk;
}

}  // namespace

void add_token(Command& app, Context& context) {
    Command& token = app.add_command("token", "Make, list and revoke tokens");
    token.needs_command = true;
    const auto make = std::make_shared<TokenOptions>();
    Command& making = add_command<TokenOptions>(
        token, context, "make", "Make a token and print it, this once", make, token_make_command);
    making.add_options({
        {"NAME", &make->token, "Whose it is: jobs belong to this name", kRequired},
        {"--role",
         &make->role,
         "What it may do",
         {.required = true, .check = one_of("viewer|user|operator|admin|worker")}},
        {"--expires-days",
         &make->expires_days,
         "Days until it ends; 0: never",
         {.check = between(0.0, 36500.0)}},
    });
    add_service_options(making, make->service);
    const auto list = std::make_shared<TokenOptions>();
    add_service_options(add_command<TokenOptions>(token, context, "list",
                                                  "List tokens, without what is secret of them",
                                                  list, token_list_command),
                        list->service);
    const auto revoke = std::make_shared<TokenOptions>();
    Command& revoking = add_command<TokenOptions>(token, context, "revoke",
                                                  "End a token: within 5 s no server takes it",
                                                  revoke, token_revoke_command);
    revoking.add_options(
        {{"TOKEN", &revoke->token, "Its id, or a name that one token has", kRequired}});
    add_service_options(revoking, revoke->service);
}

void add_audit(Command& app, Context& context) {
    const auto options = std::make_shared<AuditOptions>();
    Command& command = add_command<AuditOptions>(
        app, context, "audit", "Show who changed what, and was refused", options, audit_command);
    command.add_options({
        {"--limit",
         &options->limit,
         "The newest so many",
         {.show_default = true, .check = between(1, 100000)}},
        {"--by", &options->principal, "Of this name alone"},
        {"--method", &options->method, "Of this method alone: CordonGpu"},
        {"--resource", &options->resource, "Of what begins so: jobs/, gpus/GPU-8e1f"},
        {"--refused", &options->refused, "Refusals alone"},
        {"--hours",
         &options->hours,
         "Of the last so many hours; 0: all",
         {.check = between(0.0, 1e6)}},
    });
    add_service_options(command, options->service);
}

// quota set, quota list.
namespace {

using nlohmann::json;

constexpr const char* kUnlimited = "unlimited";

struct QuotaOptions {
    ServiceOptions service;
    std::string owner, queued, running, bytes;
    std::optional<double> weight;
};

/// Throws InvalidArgument on what is neither a count nor "unlimited".
std::int64_t parse_limit(const char* option, const std::string& text) {
    if (text == kUnlimited) {
        return -1;
    }
    std::int64_t limit = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (error != std::errc() || end != text.data() + text.size() || limit < 0) {
        throw Error(ErrorCode::InvalidArgument, std::string(option) + " must be a count or \"" +
                                                    kUnlimited + "\", got \"" + text + '"');
    }
    return limit;
}

json quota_json(const v1::Quota& quota) {
    json object = json_of(quota, "* -queued_used -running_used -bytes_used");
    for (const char* limit : {"queued", "running", "bytes"}) {
        object.emplace(limit, nullptr);  // where it is unlimited
    }
    object["used"] = json_of(quota, "queued_used=queued running_used=running bytes_used=bytes");
    return object;
}

std::string quota_line(const v1::Quota& quota) {
    const auto of = [](const std::string& used, bool given, const std::string& limit) {
        return used + (given ? " of " + limit : std::string());
    };
    const auto bytes = [](std::int64_t n) { return format_bytes(static_cast<double>(n)); };
    return quota.owner() + ": " +
           of(format_count(quota.queued_used()), quota.has_queued(), format_count(quota.queued())) +
           " tasks queued, " +
           of(format_count(quota.running_used()), quota.has_running(),
              format_count(quota.running())) +
           " running, " + of(bytes(quota.bytes_used()), quota.has_bytes(), bytes(quota.bytes())) +
           " stored; weight " + format_number(quota.weight());
}

int quota_set_command(const QuotaOptions& options, const Context& context) {
    v1::SetQuotaRequest request;
    request.set_owner(options.owner);
    if (!options.queued.empty()) {
        request.set_queued(parse_limit("--queued", options.queued));
    }
    if (!options.running.empty()) {
        request.set_running(parse_limit("--running", options.running));
    }
    if (!options.bytes.empty()) {
        request.set_bytes(parse_limit("--bytes", options.bytes));
    }
    if (options.weight) {
        request.set_weight(*options.weight);
    }
    const v1::Quota quota = open_client(options.service)->set_quota(request);
    if (context.json) {
        print_json(quota_json(quota));
    } else {
        std::cout << quota_line(quota) << "\n";
    }
    return run::kExitOk;
}

int quota_list_command(const QuotaOptions& options, const Context& context) {
    const auto quotas = open_client(options.service)->list_quotas();
    if (context.json) {
        json list = json::array();
        for (const v1::Quota& quota : quotas) {
            list.push_back(quota_json(quota));
        }
        print_json({{"quotas", list}});
        return run::kExitOk;
    }
    if (quotas.empty()) {
        std::cout << "nobody has a quota: all may have what there is, in equal shares\n";
    }
    for (const v1::Quota& quota : quotas) {
        std::cout << quota_line(quota) << "\n";
    }
    return run::kExitOk;
}

}  // namespace

void add_quota(Command& app, Context& context) {
    Command& quota = app.add_command("quota", "See and set what owners of jobs may have");
    quota.needs_command = true;
    const auto set = std::make_shared<QuotaOptions>();
    Command& command = add_command<QuotaOptions>(
        quota, context, "set", "Set an owner's limits and share; what is not given stays", set,
        quota_set_command);
    command.add_options({
        {"OWNER", &set->owner, "Name of its tokens", kRequired},
        {"--queued", &set->queued,
         "Tasks that its jobs wait for, running ones included, or unlimited"},
        {"--running", &set->running, "Tasks with workers at a time, or unlimited"},
        {"--bytes", &set->bytes, "Of its results and uploads, or unlimited"},
        {"--weight",
         &set->weight,
         "Its share of the workers; 1 at first",
         {.check = between(0.001, 1000.0)}},
    });
    add_service_options(command, set->service);
    const auto list = std::make_shared<QuotaOptions>();
    add_service_options(
        add_command<QuotaOptions>(quota, context, "list", "List limits, and what is used of them",
                                  list, quota_list_command),
        list->service);
}

// gc: what nobody needs any more on the server, and the room that it has.
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
                  << counted(sweep.removed_rows(), "row") << " of history\n";
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
    json object = json_of(sweep);
    object["dry_run"] = options.dry_run;
    object.update(json_of(stats, "paused rooms"));
    print_json(object);
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
