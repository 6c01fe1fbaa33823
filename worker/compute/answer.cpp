// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/answer.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "solvers/base/csv_table.hpp"
#include "solvers/base/error.hpp"
#include "solvers/io/dataset/answer_table.hpp"
#include "solvers/jobs/greens/answer.hpp"
#include "worker/compute/reports.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

// What a table may have of motion: 2 GiB.
constexpr double kMostNumbers = double(std::size_t{1} << 28U);

using Named = std::vector<std::pair<std::string, double>>;

Named named_viscosities(const std::vector<std::string>& options) {
    Named named;
    for (const std::string& option : options) {
        const std::size_t at = option.find('=');
        double value = 0.0;
        const char* end = option.data() + option.size();
        if (at == std::string::npos || at == 0 ||
            std::from_chars(option.data() + at + 1, end, value) !=
                std::from_chars_result{end, std::errc()}) {
            throw Error(ErrorCode::InvalidArgument,
                        "--viscosity must be NAME=VALUE in Pa s, got '" + option + "'");
        }
        const std::string name = option.substr(0, at);
        if (std::ranges::count(named, name, &Named::value_type::first) > 0) {
            throw Error(ErrorCode::InvalidArgument, "--viscosity names '" + name + "' twice");
        }
        named.emplace_back(name, value);
    }
    return named;
}

/// Slip of each source of the dataset [m]; 0 of those that the file does not name.
std::vector<double> slip_of(const io::GreensDataset& dataset, const std::string& path) {
    if (path.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "--table needs --slip: a csv of source and slip_m, over which it sums");
    }
    const TextFile file(path);
    const CsvTable table(file, {"source", "slip_m"});
    table.require("source");
    table.require("slip_m");
    std::vector<double> slip_m(dataset.sources.size(), 0.0);
    for (const CsvTable::Row& row : table.rows()) {
        const std::string id(table.text(row, "source"));
        const auto found = std::ranges::find(dataset.sources, id, &io::GreensDataset::Source::id);
        if (found == dataset.sources.end()) {
            throw Error(ErrorCode::InvalidArgument,
                        path + ": source must be one of the dataset's, got '" + id + "'");
        }
        slip_m[static_cast<std::size_t>(found - dataset.sources.begin())] +=
            table.number(row, "slip_m");
    }
    return slip_m;
}

void answer_one(const jobs::Answers& answers, const Named& named, std::vector<double> epochs_s,
                const std::string& out) {
    const std::vector<double> values = answers.viscosities(named);
    io::GreensDataset dataset = answers.dataset();
    dataset.greens = answers.at(values, epochs_s);
    dataset.epochs_s = std::move(epochs_s);
    dataset.reduced.clear();  // they are of the reference, which this file is not for
    std::string rheology;
    for (std::size_t k = 0; k < values.size(); ++k) {
        char text[160];
        std::snprintf(text, sizeof text, "%s%s = %.6g Pa s", k == 0 ? "" : ", ",
                      answers.parameters()[k].name.c_str(), values[k]);
        rheology += text;
    }
    char error[64];
    std::snprintf(error, sizeof error, "; certified error %.2g of the largest change",
                  answers.error(values));
    dataset.title += " (answered without solving: " + rheology + error + ")";
    io::write_greens_dataset(out, dataset);
}

void answer_table(const jobs::Answers& answers, const Named& named, const AnswerOptions& options,
                  std::vector<double> epochs_s, const std::string& out, Reporter& reporter) {
    const io::GreensDataset& dataset = answers.dataset();
    const std::vector<double> slip_m = slip_of(dataset, options.slip);
    const TextFile file(options.table);
    const CsvTable rows(file, {});
    io::AnswerTable table;
    table.name = dataset.name;
    table.specification_json = dataset.specification_json;
    for (const auto& parameter : answers.parameters()) {
        table.parameters.push_back(parameter.name);
    }
    for (const auto& station : dataset.stations) {
        table.stations.push_back(station.id);
    }
    const std::size_t each = epochs_s.size() * dataset.stations.size() * 3;
    if (static_cast<double>(rows.rows().size()) * static_cast<double>(each) > kMostNumbers) {
        throw Error(
            ErrorCode::InvalidArgument,
            "--table must lead to at most 2 GiB of motion: " + std::to_string(rows.rows().size()) +
                " rheologies x " + std::to_string(epochs_s.size()) + " epochs x " +
                std::to_string(dataset.stations.size()) +
                " stations are more; take fewer at a time");
    }
    for (const CsvTable::Row& row : rows.rows()) {
        Named of_row = named;
        for (const std::string& name : rows.names()) {
            if (std::ranges::count(named, name, &Named::value_type::first) > 0) {
                throw Error(ErrorCode::InvalidArgument,
                            "--viscosity and a column of --table both say '" + name + "'");
            }
            of_row.emplace_back(name, rows.number(row, name));
        }
        const std::vector<double> values = answers.viscosities(of_row);
        const std::vector<double> sum = answers.sum(values, epochs_s, slip_m);
        table.viscosity_pa_s.insert(table.viscosity_pa_s.end(), values.begin(), values.end());
        table.error.push_back(answers.error(values));
        table.displacement_m.insert(table.displacement_m.end(), sum.begin(), sum.end());
        reporter.progress(
            "answer",
            static_cast<double>(table.error.size()) / static_cast<double>(rows.rows().size()),
            std::to_string(table.error.size()) + " rheologies");
    }
    table.epochs_s = std::move(epochs_s);
    io::write_answer_table(out, table);
}

}  // namespace

int answer(const std::string& dataset, const AnswerOptions& options, const std::string& out,
           Reporter& reporter) {
    const jobs::Answers answers(io::read_greens_dataset(dataset, io::FieldGroups::LeaveOut));
    const std::vector<double> epochs_s =
        options.epochs_s.empty() ? answers.dataset().epochs_s : options.epochs_s;
    const Named named = named_viscosities(options.viscosities);
    if (options.table.empty() && !options.slip.empty()) {
        throw Error(ErrorCode::InvalidArgument, "--slip is for --table, whose motion it sums");
    }
    if (options.table.empty()) {
        answer_one(answers, named, epochs_s, out);
    } else {
        answer_table(answers, named, options, epochs_s, out, reporter);
    }
    reporter.result("answer", written_report({out}));
    return run::kExitOk;
}

}  // namespace kaname::compute
