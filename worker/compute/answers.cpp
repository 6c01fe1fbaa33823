// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/answers.hpp"

#include <algorithm>

#include "proto/kaname/v1/answer.pb.h"
#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/jobs/greens/answer.hpp"
#include "worker/compute/slip_history.hpp"
#include "worker/compute/values_file.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
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

jobs::AnswerTimes times_of(const jobs::Answers& answers, const v1::AnswerRequest& request) {
    const io::GreensDataset& dataset = answers.dataset();
    const jobs::SlipHistory history = answered_history(
        dataset.specification_json,
        request.has_slip_history() ? report::to_json(request.slip_history()) : "", answers.end_s());
    const std::vector<double> epochs_s(request.epochs_s().begin(), request.epochs_s().end());
    return answers.times(epochs_s.empty() ? dataset.epochs_s : epochs_s,
                         {history, answers.end_s()});
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
    const jobs::AnswerTimes times = times_of(answers, request);
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
