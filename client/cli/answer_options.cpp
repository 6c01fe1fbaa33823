// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/answer_options.hpp"

#include <filesystem>

#include "proto/spec/form/text.hpp"
#include "solvers/base/csv_table.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/units.hpp"

namespace kaname::cli {
namespace {

/// NAME=VALUE of an option into the rheology; a name that is there already is refused.
void add_number(const std::string& option, const std::string& text, v1::Rheology& rheology) {
    const std::size_t at = text.find('=');
    const auto value =
        at == std::string::npos ? std::nullopt : spec::parse_number(text.substr(at + 1));
    if (!value || at == 0) {
        throw Error(ErrorCode::InvalidArgument,
                    option + ": must be NAME=VALUE, got " + spec::quote(text));
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

}  // namespace

v1::SlipHistory slip_history_of(const std::string& text) {
    if (std::filesystem::is_regular_file(text)) {
        return table_of(text);
    }
    v1::SlipHistory history;
    const std::size_t at = text.find('=');
    const std::string kind = text.substr(0, at);
    const auto years =
        at == std::string::npos ? std::nullopt : spec::parse_number(text.substr(at + 1));
    const bool known = kind == "ramp" || kind == "exponential" || kind == "logarithmic";
    if (kind == "step" ? at != std::string::npos : !known || !years) {
        throw Error(ErrorCode::InvalidArgument,
                    "--slip-history: must be step, ramp=YEARS, exponential=YEARS, "
                    "logarithmic=YEARS or a csv with time_years and slip, got " +
                        spec::quote(text));
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

}  // namespace kaname::cli
