// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <iostream>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

// logs.
namespace kaname::cli {
namespace {

using nlohmann::json;

/// Stages whose logs are shown without being named; of a job with more, those that matter.
constexpr std::size_t kShown = 12;

struct LogsOptions {
    ServiceOptions service;
    std::string job, stage;
    bool follow = false;
};

/// Prints logs one after the other as they come. Sources of one pack have one log between them: it
/// is printed once. What comes is held back only for as long as it repeats the log before.
class LogPrinter {
public:
    void begin(const v1::Item& item) {
        std::cout << (is_first_ ? "" : "\n") << "==> " << shown_on_a_line(item.label()) << ": "
                  << state_text(item.state()) << " <==\n";
        is_first_ = false;
        label_ = item.label();
        text_.clear();
        n_printed_ = 0;
    }
    void append(const std::string& text) {
        text_ += text;
        if (!before_.starts_with(text_)) {
            print();
        }
    }
    void end() {
        if (text_ == before_ && n_printed_ == 0) {
            std::cout << "(as of " << before_label_ << ", solved in the same pack)\n";
            return;
        }
        print();
        before_ = text_;
        before_label_ = label_;
    }

private:
    void print() {
        std::cout << text_.substr(n_printed_) << std::flush;
        n_printed_ = text_.size();
    }

    bool is_first_ = true;
    std::string label_, text_, before_, before_label_;
    std::size_t n_printed_ = 0;
};

/// Few stages: all. Of many, mesh, package and those that failed; to follow, those that go on.
std::vector<v1::Item> worth_showing(const std::vector<v1::Item>& items, bool follow) {
    if (items.size() <= kShown) {
        return items;
    }
    std::vector<v1::Item> shown;
    std::size_t n_failed = 0;
    for (const v1::Item& item : items) {
        const bool failed = item.state() == v1::Item::FAILED && ++n_failed <= kShown;
        if (follow ? item.state() == v1::Item::LIVE : !item.source() || failed) {
            shown.push_back(item);
        }
    }
    return shown;
}

int show_all(client::Client& client, const std::string& id, const LogsOptions& options,
             const Context& context) {
    const std::vector<v1::Item> items = client.list_items(id);
    const std::vector<v1::Item> shown = worth_showing(items, options.follow);
    json stages = json::array();
    LogPrinter printer;
    for (const v1::Item& item : shown) {
        std::string all;
        if (!context.json) {
            printer.begin(item);
        }
        client.tail_logs(id, item.label(), options.follow, [&](const std::string& text) {
            context.json ? void(all += text) : printer.append(text);
        });
        if (context.json) {
            stages.push_back(
                {{"stage", item.label()}, {"state", state_text(item.state())}, {"log", all}});
        } else {
            printer.end();
        }
    }
    if (context.json) {
        print_json({{"job", id}, {"stages", stages}});
    } else if (shown.size() < items.size()) {
        std::cout << "\n"
                  << format_count(static_cast<long long>(items.size() - shown.size()))
                  << " more stages: "
                  << to_type(context, options.service, "logs " + id.substr(0, 8) + " --stage LABEL")
                  << "; their labels: "
                  << to_type(context, options.service, "show " + id.substr(0, 8)) << "\n";
    }
    return run::kExitOk;
}

int logs_command(const LogsOptions& options, const Context& context) {
    const auto client = open_client(options.service);
    const std::string id = resolve_job(*client, options.job);
    if (options.stage.empty()) {
        return show_all(*client, id, options, context);
    }
    std::string all;
    client->tail_logs(id, options.stage, options.follow, [&](const std::string& text) {
        if (context.json) {
            all += text;
        } else {
            std::cout << text << std::flush;
        }
    });
    if (context.json) {
        print_json({{"job", id}, {"stage", options.stage}, {"log", all}});
    }
    return run::kExitOk;
}

}  // namespace

void add_logs(Command& app, Context& context) {
    const auto logs = std::make_shared<LogsOptions>();
    Command& command = add_command<LogsOptions>(
        app, context, "logs", "Show what the stages of a job printed", logs, logs_command);
    command.add_options(
        {{"JOB", &logs->job, "Id, its first characters, a name, or latest", kRequired},
         {"--stage,--source", &logs->stage,
          "mesh, package or a source's id; default: all, of many those that failed"},
         {"--follow", &logs->follow, "Until the stage ends"}});
    add_service_options(command, logs->service);
}

namespace {

using nlohmann::json;

struct StreamOptions {
    ServiceOptions service;
    std::string job, resume_token;
};

json result_json(const v1::GreensResult& result) {
    return result.has_axes() ? json{{"axes", json_of(result.axes(), "* -n_stations")}}
                             : json_of(result, "* -axes");
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
            std::cout << counted(result.axes().epochs_s_size(), "epoch") << ", "
                      << counted(result.axes().stations_size(), "station") << std::endl;
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
