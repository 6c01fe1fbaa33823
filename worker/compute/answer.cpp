// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/greens/answer.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "proto/kaname/v1/answer.pb.h"
#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text_file.hpp"
#include "solvers/io/dataset/greens_slice.hpp"
#include "worker/compute/tools.hpp"
#include "worker/jobs/frame/reporter.hpp"
#include "worker/jobs/frame/values_file.hpp"
#include "worker/jobs/stage/solve_options.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

// kMostTableNumbers limits the motion in a table to 2 GiB.
constexpr double kMostTableNumbers = double(std::size_t{1} << 28U);

using Named = viscoelastic::NamedNumbers;

Named named_numbers(const std::vector<std::string>& options) {
    Named named;
    for (const std::string& option : options) {
        const std::size_t at = option.find('=');
        double value = 0.0;
        const char* end = option.data() + option.size();
        if (at == std::string::npos || at == 0 ||
            std::from_chars(option.data() + at + 1, end, value) !=
                std::from_chars_result{end, std::errc()}) {
            throw Error(
                ErrorCode::InvalidArgument,
                "a rheology must be NAME=VALUE (--viscosity in Pa s), got '" + option + "'");
        }
        named.emplace_back(option.substr(0, at), value);
    }
    return named;
}

/// "mantle = 3e+18 Pa s, mantle.kelvin_mu_ratio = 0.5"
std::string rheology_text(const Named& values) {
    std::string text;
    for (const auto& [name, value] : values) {
        char one[200];
        std::snprintf(one, sizeof one, "%s%s = %.6g%s", text.empty() ? "" : ", ", name.c_str(),
                      value, viscoelastic::is_modulus_ratio(name) ? "" : " Pa s");
        text += one;
    }
    return text;
}

/// The times of all sources, or of each event of a scenario under its own history.
std::vector<jobs::AnswerTimes> answer_times(const jobs::Answers& answers,
                                            const std::vector<double>& wanted_s,
                                            const std::string& history) {
    const io::GreensDataset& dataset = answers.dataset();
    const std::vector<double>& epochs_s = wanted_s.empty() ? dataset.epochs_s : wanted_s;
    const double end_s = answers.end_s();
    if (dataset.events.empty()) {
        return {answers.times(
            epochs_s, {answered_history(dataset.specification_json, history, end_s), end_s})};
    }
    if (!history.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "slip history: must be left out: the events of the scenario have their own");
    }
    std::vector<jobs::AnswerTimes> times;
    const auto batch = report::parse<v1::GreensBatch>(dataset.specification_json, "request");
    for (const io::GreensDataset::Source& source : dataset.sources) {
        std::vector<jobs::AnswerTimes::Onset> onsets;
        for (const v1::SlipEvent& event : batch.events()) {
            for (unsigned k = 0; event.name() == source.id && k < event.repeats(); ++k) {
                const double begin_s = event.time_s() + k * event.interval_s();
                onsets.push_back(
                    {begin_s,
                     event.scale(),
                     {history_of(event.history(), "events.history"), end_s - begin_s}});
            }
        }
        times.push_back(answers.times(epochs_s, onsets));
    }
    return times;
}

/// Slip of each source of the dataset [m]; 0 of those that the file does not name. Without a file
/// a scenario's events are summed as they are.
std::vector<double> slip_from_csv(const jobs::Answers& answers, const std::string& path) {
    const io::GreensDataset& dataset = answers.dataset();
    if (path.empty() && !dataset.events.empty()) {
        std::vector<double> all(dataset.sources.size(), 1.0);
        for (std::size_t k = 0; k < all.size(); ++k) {
            all[k] = answers.is_sum(k) ? 0.0 : 1.0;
        }
        return all;
    }
    if (path.empty()) {
        throw Error(
            ErrorCode::InvalidArgument,
            "--slip: must be given with --table, which sums over its sources: a CSV of source "
            "and slip_m");
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

void answer_one(const jobs::Answers& answers, const Named& named,
                const std::vector<jobs::AnswerTimes>& times, const std::string& history,
                const std::string& out) {
    const viscoelastic::NamedRheology rheology = answers.rheology(named);
    io::GreensDataset dataset = answers.dataset();
    dataset.greens = answers.at(rheology.relaxation, times, answers.all());
    dataset.epochs_s.assign(times[0].epochs_s().begin(), times[0].epochs_s().end());
    dataset.slip_history = history;
    dataset.reduced.clear();  // they are of the reference, which this file is not for
    char error[64];
    std::snprintf(error, sizeof error, "; certified error %.2g of the largest change",
                  answers.error(rheology, answers.all()));
    dataset.title += " (answered without solving: " + rheology_text(rheology.values) + error + ")";
    io::write_greens_dataset(out, dataset);
}

/// Adds the numbers of --rheology, or of a row, to the parameters in the table.
void note_numbers(const Named& values, io::AnswerTable& table) {
    for (const auto& [name, value] : values) {
        const bool ratio = viscoelastic::is_modulus_ratio(name);
        std::vector<std::string>& names = ratio ? table.ratios : table.parameters;
        if (std::ranges::find(names, name) == names.end()) {
            names.push_back(name);  // of the first row: all have the same names
        }
        (ratio ? table.modulus_ratio : table.viscosity_pa_s).push_back(value);
    }
}

void answer_table(const jobs::Answers& answers, const Named& named, const AnswerOptions& options,
                  const std::vector<jobs::AnswerTimes>& times, const std::string& out,
                  Reporter& reporter) {
    const io::GreensDataset& dataset = answers.dataset();
    const std::vector<double> slip_m = slip_from_csv(answers, options.slip);
    const TextFile file(options.table);
    const CsvTable rows(file, {});
    io::AnswerTable table;
    table.name = dataset.name;
    table.kaname_version = KANAME_VERSION;
    table.specification_json = dataset.specification_json;
    for (const auto& station : dataset.stations) {
        table.stations.push_back(station.id);
    }
    table.epochs_s.assign(times[0].epochs_s().begin(), times[0].epochs_s().end());
    const std::size_t each = table.epochs_s.size() * dataset.stations.size() * 3;
    if (static_cast<double>(rows.rows().size()) * static_cast<double>(each) > kMostTableNumbers) {
        throw Error(
            ErrorCode::InvalidArgument,
            "--table must lead to at most 2 GiB of motion: " + std::to_string(rows.rows().size()) +
                " rheologies x " + std::to_string(table.epochs_s.size()) + " epochs x " +
                std::to_string(dataset.stations.size()) +
                " stations are more; take fewer at a time");
    }
    for (const CsvTable::Row& row : rows.rows()) {
        Named of_row = named;
        for (const std::string& name : rows.names()) {
            of_row.emplace_back(name, rows.number(row, name));
        }
        const viscoelastic::NamedRheology rheology = answers.rheology(of_row);
        const std::vector<double> sum = answers.sum(rheology.relaxation, times, slip_m);
        note_numbers(rheology.values, table);
        table.error.push_back(answers.error(rheology, answers.all()));
        table.displacement_m.insert(table.displacement_m.end(), sum.begin(), sum.end());
        reporter.progress(
            "answer",
            static_cast<double>(table.error.size()) / static_cast<double>(rows.rows().size()),
            std::to_string(table.error.size()) + " rheologies");
    }
    io::write_answer_table(out, table);
}

}  // namespace

int answer(const std::string& dataset, const AnswerOptions& options, const std::string& out,
           Reporter& reporter) {
    const jobs::Answers answers(io::read_greens_dataset(dataset, io::FieldGroups::LeaveOut));
    const std::string wanted = options.history.empty() ? "" : read_file_if_any(options.history);
    const std::vector<jobs::AnswerTimes> times = answer_times(answers, options.epochs_s, wanted);
    const std::string history =
        answers.dataset().events.empty()
            ? jobs::text_of(
                  answered_history(answers.dataset().specification_json, wanted, answers.end_s())
                      .kind)
            : answers.dataset().slip_history;
    const Named named = named_numbers(options.rheology);
    if (options.table.empty() && !options.slip.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "--slip: must be left out without --table, whose motion it sums");
    }
    if (options.table.empty()) {
        answer_one(answers, named, times, history, out);
    } else {
        answer_table(answers, named, options, times, out, reporter);
    }
    reporter.result("answer", written_report({out}));
    return run::kExitOk;
}

namespace {

v1::AnswerAxes axes_of(const jobs::Answers& answers) {
    const io::GreensDataset& dataset = answers.dataset();
    v1::AnswerAxes axes;
    for (const auto& parameter : answers.parameters()) {
        v1::AnswerAxes::Viscosity& one = *axes.add_viscosities();
        one.set_name(parameter.name);
        one.set_from_pa_s(parameter.from_pa_s);
        one.set_to_pa_s(parameter.to_pa_s);
        one.set_reference_pa_s(parameter.reference_pa_s);
    }
    for (const auto& source : dataset.sources) {
        axes.add_source_ids(source.id);
    }
    axes.mutable_epochs_s()->Assign(dataset.epochs_s.begin(), dataset.epochs_s.end());
    for (const auto& station : dataset.stations) {
        axes.add_station_ids(station.id);
    }
    for (const char* component : {"east", "north", "up"}) {
        axes.add_components(component);
    }
    axes.set_n_stations(axes.station_ids_size());
    return axes;
}

std::vector<double> requested_slip(const io::GreensDataset& dataset,
                                   const v1::AnswerRequest& request) {
    std::vector<double> slip_m(dataset.sources.size(), 0.0);
    for (const v1::SourceSlip& one : request.slip()) {
        const auto found =
            std::ranges::find(dataset.sources, one.source(), &io::GreensDataset::Source::id);
        if (found == dataset.sources.end()) {
            throw Error(ErrorCode::InvalidArgument,
                        "slip: must be of sources of the dataset, got '" + one.source() + "'");
        }
        slip_m[static_cast<std::size_t>(found - dataset.sources.begin())] += one.slip_m();
    }
    return slip_m;
}

std::vector<jobs::AnswerTimes> times_of(const jobs::Answers& answers,
                                        const v1::AnswerRequest& request) {
    return answer_times(answers, {request.epochs_s().begin(), request.epochs_s().end()},
                        request.has_slip_history() ? report::to_json(request.slip_history()) : "");
}

v1::AnsweredReport follow(const jobs::Answers& answers, const v1::AnswerCommand& command) {
    const v1::AnswerRequest& request = command.request();
    const auto n_sources = static_cast<std::int64_t>(answers.dataset().sources.size());
    if (command.first_source() < 0 || command.first_source() > command.last_source() ||
        command.last_source() > n_sources) {
        throw Error(ErrorCode::OutOfRange, "sources must be within 0 to " +
                                               std::to_string(n_sources) + ", got " +
                                               std::to_string(command.first_source()) + " to " +
                                               std::to_string(command.last_source()));
    }
    const bool together = !request.slip().empty();
    const jobs::Answers::Sources sources =
        together ? answers.all()
                 : jobs::Answers::Sources{static_cast<std::size_t>(command.first_source()),
                                          static_cast<std::size_t>(command.last_source())};
    const std::vector<jobs::AnswerTimes> times = times_of(answers, request);
    const std::vector<double> slip_m = requested_slip(answers.dataset(), request);
    v1::AnsweredReport report;
    report.set_id(command.id());
    std::vector<double> values;
    for (const v1::Rheology& said : request.rheologies()) {
        const viscoelastic::NamedRheology rheology =
            answers.rheology({said.values().begin(), said.values().end()});
        const std::vector<double> motion = together
                                               ? answers.sum(rheology.relaxation, times, slip_m)
                                               : answers.at(rheology.relaxation, times, sources);
        values.insert(values.end(), motion.begin(), motion.end());
        report.add_errors(answers.error(rheology, sources));
    }
    write_values(command.out(), values);
    return report;
}

}  // namespace

int answers(const std::string& dataset, std::istream& in, Reporter& reporter) {
    const jobs::Answers answers(io::read_greens_dataset(dataset, io::FieldGroups::LeaveOut));
    reporter.result("ready", axes_of(answers));
    for (std::string line; std::getline(in, line);) {
        try {
            reporter.result("answered", follow(answers, report::parse<v1::AnswerCommand>(
                                                            line, "no command: '" +
                                                                      line.substr(0, 200) + "'")));
        } catch (const std::exception& error) {
            reporter.failure(run::describe(error));
        }
    }
    return run::kExitOk;
}

}  // namespace kaname::compute
