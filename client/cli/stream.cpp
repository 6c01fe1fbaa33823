// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <iostream>

#include "client/cli/commands.hpp"
#include "client/cli/format.hpp"
#include "client/cli/service.hpp"
#include "solvers/base/shown.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

using nlohmann::json;

struct StreamOptions {
    ServiceOptions service;
    std::string job, resume_token;
};

json result_json(const v1::GreensResult& result) {
    if (result.has_axes()) {
        const v1::GreensResult::Axes& axes = result.axes();
        return {{"axes",
                 {{"epochs_s", std::vector<double>(axes.epochs_s().begin(), axes.epochs_s().end())},
                  {"stations",
                   std::vector<std::string>(axes.stations().begin(), axes.stations().end())},
                  {"components",
                   std::vector<std::string>(axes.components().begin(), axes.components().end())},
                  {"sources", axes.sources()}}}};
    }
    const auto& values = result.displacement_m();
    return {{"ordinal", result.ordinal()},
            {"source", result.source()},
            {"state", state_text(result.state())},
            {"error", result.error()},
            {"displacement_m", std::vector<double>(values.begin(), values.end())},
            {"resume_token", result.resume_token()}};
}

int stream_command(const StreamOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_job(*client, options.job);
    client->stream_results(id, options.resume_token, [&](const v1::GreensResult& result) {
        if (context.json) {
            std::cout << result_json(result).dump(-1, ' ', false, json::error_handler_t::replace)
                      << std::endl;
            return;
        }
        if (result.has_axes()) {
            std::cout << result.axes().epochs_s_size() << " epochs, "
                      << result.axes().stations_size() << " stations" << std::endl;
            return;
        }
        double largest = 0.0;
        for (const double value : result.displacement_m()) {
            largest = std::max(largest, std::abs(value));
        }
        std::cout << shown_on_a_line(result.source()) << "  " << state_text(result.state())
                  << (result.error().empty() ? "" : ": " + shown_on_a_line(result.error()))
                  << (largest > 0.0 ? ", largest component " + format_number(largest) + " m per m"
                                    : "")
                  << std::endl;
    });
    return exit_code_of(client->get_job(id));
}

}  // namespace

void add_stream(Command& app, Context& context) {
    const auto options = std::make_shared<StreamOptions>();
    Command& command = add_command<StreamOptions>(
        app, context, "stream", "Print each source's Green's functions as soon as it is done",
        options, stream_command);
    command.add_options(
        {{"JOB", &options->job, "Id, its first characters, a name, or latest", kRequired},
         {"--resume-token", &options->resume_token, "Go on after this result"}});
    add_service_options(command, options->service);
}

}  // namespace kaname::cli
