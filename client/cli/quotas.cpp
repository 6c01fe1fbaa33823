// SPDX-License-Identifier: BSD-3-Clause
// quota set, quota list.
#include <charconv>
#include <iostream>
#include <optional>

#include "client/cli/commands.hpp"
#include "client/cli/format.hpp"
#include "client/cli/service.hpp"
#include "solvers/base/error.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
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
    const auto limit = [](bool given, std::int64_t value) {
        return given ? json(value) : json(nullptr);
    };
    return {{"owner", quota.owner()},
            {"queued", limit(quota.has_queued(), quota.queued())},
            {"running", limit(quota.has_running(), quota.running())},
            {"bytes", limit(quota.has_bytes(), quota.bytes())},
            {"weight", quota.weight()},
            {"used",
             {{"queued", quota.queued_used()},
              {"running", quota.running_used()},
              {"bytes", quota.bytes_used()}}}};
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

}  // namespace kaname::cli
