// SPDX-License-Identifier: BSD-3-Clause
// token make, token list, token revoke; audit.
#include <ctime>
#include <iostream>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"
#include "worker/run/exit_code.hpp"

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

json token_json(const v1::Token& token) {
    return {{"id", token.id()},
            {"name", token.name()},
            {"role", token.role()},
            {"created_s", token.created_s()},
            {"expires_s", token.expires_s()},
            {"revoked_s", token.revoked_s()},
            {"used_s", token.used_s()}};
}

json audit_event_json(const v1::AuditEvent& event) {
    return {
        {"id", event.id()},          {"at_s", event.at_s()},     {"principal", event.principal()},
        {"role", event.role()},      {"method", event.method()}, {"resource", event.resource()},
        {"outcome", event.outcome()}};
}

int token_make_command(const TokenOptions& options, const Context& context) {
    v1::MakeTokenRequest request;
    request.set_name(options.token);
    request.set_role(options.role);
    request.set_expires_s(options.expires_days * kDay_s);
    const auto client = open_client(options.service);
    const v1::MakeTokenResponse made = client->make_token(request);
    if (context.json) {
        json object = token_json(made.token());
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
            list.push_back(token_json(token));
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
        print_json(token_json(token));
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
            list.push_back(audit_event_json(event));
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

}  // namespace kaname::cli
