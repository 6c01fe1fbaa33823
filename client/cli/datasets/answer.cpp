// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/output_place.hpp"
#include "client/cli/common/text.hpp"
#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "proto/request/form/text.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text_file.hpp"
#include "solvers/base/units.hpp"
#include "worker/run/exit_code.hpp"

// answer: motion for other rheologies than those of a dataset, without solving.
namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

struct AnswerOptions {
    ServiceOptions service;
    std::string dataset, table, slip, history, output;
    std::vector<std::string> viscosities, rheology;  ///< NAME=VALUE
    std::vector<double> epochs_years;
    bool force = false;
};

/// Returns the slip history that --slip-history gives: KIND, KIND=YEARS (ramp: its duration;
/// exponential and logarithmic: their time constant) or a csv of time_years and slip. Throws
/// InvalidArgument.
[[nodiscard]] v1::SlipHistory slip_history_of(const std::string& text);

/// Returns the request to a server for the dataset that has the name `dataset` there. Throws
/// InvalidArgument naming option, value and rule.
[[nodiscard]] v1::AnswerRequest answer_request(const AnswerOptions& options,
                                               const std::string& dataset);

/// Writes what a server answers as a table, as it comes: the numbers of each rheology, source (not
/// where slip is given), epoch in years, station, east, north, up (empty where a source is missing)
/// and the certified error. Returns the number of rows.
std::int64_t write_served_answer(client::Client& client, const v1::AnswerRequest& request,
                                 std::ostream& out);

/// A file like the dataset, or with a table one for many rheologies.
int answer_from_file(const AnswerOptions& options, const Context& context) {
    const OutputPlace place("--output", options.output, options.force);
    place.make_folder();
    const TemporaryFolder stage(fs::absolute(place.path()).parent_path());
    const std::string made = (stage.path() / "answer.h5").string();
    std::vector<std::string> call = {"answer", "--dataset", options.dataset, "--out", made};
    for (const auto* said : {&options.viscosities, &options.rheology}) {
        for (const std::string& text : *said) {
            call.insert(call.end(), {"--rheology", text});
        }
    }
    for (const double years : options.epochs_years) {
        call.insert(call.end(), {"--epochs-s", request::show(years * kJulianYear_s)});
    }
    if (!options.table.empty()) {
        call.insert(call.end(), {"--table", options.table});
    }
    if (!options.slip.empty()) {
        call.insert(call.end(), {"--slip", options.slip});
    }
    if (!options.history.empty()) {
        const std::string file = (stage.path() / "history.json").string();
        write_file(file, report::to_json(slip_history_of(options.history)));
        call.insert(call.end(), {"--history", file});
    }
    auto report = verb_report<v1::WrittenReport>(context.compute, call);
    place.put(made);
    report.clear_written();
    report.add_written(place.path().string());
    tell_written(report, context.json);
    return run::kExitOk;
}

/// A table (csv).
int answer_from_server(const AnswerOptions& options, const Context& context) {
    if (fs::path(options.output).extension() == ".h5") {
        throw Error(ErrorCode::InvalidArgument,
                    "--output: a server answers with a table, must not end in .h5, got " +
                        request::quote(options.output) +
                        " (a file: kaname download, then answer it)");
    }
    const OutputPlace place("--output", options.output, options.force);
    const auto client = open_client(options.service);
    const v1::AnswerRequest request =
        answer_request(options, "datasets/" + resolve_job(*client, options.dataset));
    place.make_folder();
    std::int64_t rows = 0;
    {
        std::ofstream table(place.part());
        rows = write_served_answer(*client, request, table);
        if (!table.flush()) {
            throw Error(ErrorCode::Unavailable, place.part().string() + ": cannot be written");
        }
    }
    place.put(place.part());
    if (context.json) {
        v1::WrittenReport report;
        report.add_written(place.path().string());
        tell_written(report, true);
    } else {
        std::cout << place.path().string() << ": " << counted(rows, "row") << "\n";
    }
    return run::kExitOk;
}

int answer_command(const AnswerOptions& options, const Context& context) {
    return fs::is_regular_file(options.dataset) ? answer_from_file(options, context)
                                                : answer_from_server(options, context);
}

}  // namespace

void add_answer(Command& app, Context& context) {
    const auto options = std::make_shared<AnswerOptions>();
    Command& command = add_command<AnswerOptions>(
        app, context, "answer", "Motion for other viscosities, from a dataset, without solving",
        options, answer_command);
    command.add_options(
        {{"DATASET", &options->dataset,
          "Dataset (greens.h5) whose viscosities have ranges, or the job of the server "
          "that has it",
          kRequired},
         {"--viscosity",
          &options->viscosities,
          "NAME=VALUE in Pa s, within its range; again for more; default: the reference",
          {.one_each = true}},
         {"--rheology",
          &options->rheology,
          "Another body for it: NAME.kelvin_mu_ratio=, NAME.kelvin= [Pa s], "
          "NAME.relaxed_mu_ratio=; "
          "again for more",
          {.one_each = true}},
         {"--epochs",
          &options->epochs_years,
          "Years since the slip, separated by commas; default: the dataset's",
          {.delimiter = ','}},
         {"--table", &options->table,
          "csv with a column per number and a row per rheology: the motion for all "
          "of them"},
         {"--slip", &options->slip,
          "csv of source and slip_m, over which --table sums, and a server does"},
         {"--slip-history", &options->history,
          "step, ramp=YEARS, exponential=YEARS, logarithmic=YEARS or a csv of "
          "time_years and slip; default: the dataset's"},
         {"-o,--output", &options->output, "File to write: HDF5, or csv where a server answers",
          kRequired},
         {"--force", &options->force, "Replace another file"}});
    add_service_options(command, options->service);
}

namespace {

/// NAME=VALUE of an option into the rheology; a name that is there already is refused.
void add_number(const std::string& option, const std::string& text, v1::Rheology& rheology) {
    const std::size_t at = text.find('=');
    const auto value =
        at == std::string::npos ? std::nullopt : request::parse_number(text.substr(at + 1));
    if (!value || at == 0) {
        throw Error(ErrorCode::InvalidArgument,
                    option + ": must be NAME=VALUE, got " + request::quote(text));
    }
    if (!rheology.mutable_values()->insert({text.substr(0, at), *value}).second) {
        throw Error(ErrorCode::InvalidArgument,
                    option + ": '" + text.substr(0, at) + "' is said twice");
    }
}

v1::SlipHistory table_of(const std::string& path) {
    const TextFile file(path);
    const CsvTable table(file, {"time_years", "slip"});
    table.require("time_years");
    table.require("slip");
    v1::SlipHistory history;
    history.set_kind("table");
    for (const CsvTable::Row& row : table.rows()) {
        history.add_times_s(table.number(row, "time_years") * kJulianYear_s);
        history.add_slip(table.number(row, "slip"));
    }
    return history;
}

v1::SlipHistory slip_history_of(const std::string& text) {
    if (std::filesystem::is_regular_file(text)) {
        return table_of(text);
    }
    v1::SlipHistory history;
    const std::size_t at = text.find('=');
    const std::string kind = text.substr(0, at);
    const auto years =
        at == std::string::npos ? std::nullopt : request::parse_number(text.substr(at + 1));
    const bool known = kind == "ramp" || kind == "exponential" || kind == "logarithmic";
    if (kind == "step" ? at != std::string::npos : !known || !years) {
        throw Error(ErrorCode::InvalidArgument,
                    "--slip-history: must be step, ramp=YEARS, exponential=YEARS, "
                    "logarithmic=YEARS or a csv with time_years and slip, got " +
                        request::quote(text));
    }
    history.set_kind(kind);
    const double time_s = years.value_or(0.0) * kJulianYear_s;  // a step has none
    if (kind == "ramp") {
        history.set_duration_s(time_s);
    } else if (known) {
        history.set_time_constant_s(time_s);
    }
    return history;
}

v1::AnswerRequest answer_request(const AnswerOptions& options, const std::string& dataset) {
    v1::AnswerRequest request;
    request.set_dataset(dataset);
    v1::Rheology all;
    for (const std::string& text : options.viscosities) {
        add_number("--viscosity", text, all);
    }
    for (const std::string& text : options.rheology) {
        add_number("--rheology", text, all);
    }
    if (options.table.empty()) {
        *request.add_rheologies() = all;
    } else {
        const TextFile file(options.table);
        const CsvTable table(file, {});
        for (const CsvTable::Row& row : table.rows()) {
            v1::Rheology& one = *request.add_rheologies();
            one = all;
            for (const std::string& name : table.names()) {
                add_number("--table", name + '=' + std::string(table.text(row, name)), one);
            }
        }
    }
    for (const double years : options.epochs_years) {
        request.add_epochs_s(years * kJulianYear_s);
    }
    if (!options.slip.empty()) {
        const TextFile file(options.slip);
        const CsvTable table(file, {"source", "slip_m"});
        table.require("source");
        table.require("slip_m");
        for (const CsvTable::Row& row : table.rows()) {
            v1::SourceSlip& one = *request.add_slip();
            one.set_source(std::string(table.text(row, "source")));
            one.set_slip_m(table.number(row, "slip_m"));
        }
    }
    if (!options.history.empty()) {
        *request.mutable_slip_history() = slip_history_of(options.history);
    }
    return request;
}

/// One rheology at a time: its error comes last, and stands in each of its rows.
class AnswerTable {
public:
    AnswerTable(const v1::AnswerRequest& request, std::ostream& out)
        : request_(request), out_(out) {
        for (const v1::Rheology& rheology : request.rheologies()) {
            for (const auto& [name, value] : rheology.values()) {
                names_[name];
            }
        }
    }

    void add(const v1::AnswerAxes& axes, const v1::AnswerResult& part) {
        if (part.first() != std::ssize(values_)) {
            throw Error(ErrorCode::Unavailable, "values of the answer are missing; call again");
        }
        values_.insert(values_.end(), part.values().begin(), part.values().end());
        if (part.has_error()) {
            write(axes, part);
            values_.clear();
        }
    }
    [[nodiscard]] std::int64_t rows() const { return n_rows_; }

private:
    void write(const v1::AnswerAxes& axes, const v1::AnswerResult& last) {
        const bool together = !request_.slip().empty();
        if (n_rows_ == 0) {
            for (const auto& [name, none] : names_) {
                out_ << csv_field(name) << ',';
            }
            out_ << (together ? "" : "source,") << "epoch_years,station,east,north,up,error\n";
        }
        std::string numbers;
        if (last.rheology() < request_.rheologies_size()) {
            const auto& said = request_.rheologies(static_cast<int>(last.rheology())).values();
            for (const auto& [name, none] : names_) {
                const auto found = said.find(name);
                numbers += (found == said.end() ? "" : request::show(found->second)) + ',';
            }
        }
        const std::string error = request::show(last.error());
        const int n_sources = together ? 1 : axes.source_ids_size();
        constexpr std::size_t kComponents = 3;
        if (values_.size() != kComponents * static_cast<std::size_t>(n_sources) *
                                  static_cast<std::size_t>(axes.epochs_s_size()) *
                                  static_cast<std::size_t>(axes.station_ids_size())) {
            throw Error(ErrorCode::Unavailable, "values of the answer are missing; call again");
        }
        auto value = values_.begin();
        for (int source = 0; source < n_sources; ++source) {
            for (const double epoch_s : axes.epochs_s()) {
                for (const std::string& station : axes.station_ids()) {
                    out_ << numbers << (together ? "" : csv_field(axes.source_ids(source)) + ',')
                         << request::show(epoch_s / kJulianYear_s) << ',' << csv_field(station);
                    for (std::size_t k = 0; k < kComponents; ++k, ++value) {
                        out_ << ',' << (std::isfinite(*value) ? request::show(*value) : "");
                    }
                    out_ << ',' << error << '\n';
                    ++n_rows_;
                }
            }
        }
    }

    const v1::AnswerRequest& request_;
    std::ostream& out_;
    std::map<std::string, int> names_;
    std::vector<double> values_;
    std::int64_t n_rows_ = 0;
};

std::int64_t write_served_answer(client::Client& client, const v1::AnswerRequest& request,
                                 std::ostream& out) {
    AnswerTable table(request, out);
    client.answer(request, [&](const v1::AnswerAxes& axes, const v1::AnswerResult& part) {
        table.add(axes, part);
    });
    return table.rows();
}

}  // namespace

}  // namespace kaname::cli
