// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/frame/values_file.hpp"

#include <bit>
#include <utility>

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "proto/request/greens/validate.hpp"
#include "solvers/base/error.hpp"
#include "worker/jobs/frame/from_request.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {

ValuesFile::ValuesFile(std::string file) : file_(std::move(file)), out_(file_, std::ios::binary) {
    check();
}

void ValuesFile::append(std::span<const double> values) {
    static_assert(std::endian::native == std::endian::little);
    out_.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size_bytes()));
    check();
}

void ValuesFile::close() {
    out_.close();
    check();
}

void ValuesFile::check() const {
    if (!out_) {
        throw Error(ErrorCode::Unavailable, "file '" + file_ + "' cannot be written");
    }
}

void write_values(const std::string& file, std::span<const double> values) {
    ValuesFile out(file);
    out.append(values);
    out.close();
}

jobs::SlipHistory history_of(const v1::SlipHistory& history, const std::string& field) {
    return {choice_from<jobs::HistoryKind>(history.kind(), field + ".kind"),
            history.duration_s(),
            history.time_constant_s(),
            {history.times_s().begin(), history.times_s().end()},
            {history.slip().begin(), history.slip().end()}};
}

jobs::SlipHistory answered_history(const std::string& specification_json, const std::string& wanted,
                                   double end_s) {
    v1::SlipHistory history;
    if (wanted.empty()) {
        history = report::parse<v1::GreensBatch>(specification_json, "request").slip_history();
    } else {
        report::parse_into(wanted, "slip_history", history);
        request::Rules rules;
        request::every_number_finite(history, "slip_history", rules);
        request::check_history(history, "slip_history", end_s, request::kSlipHistories, rules);
        if (std::vector<Violation> broken = rules.take(); !broken.empty()) {
            throw ValidationError(std::move(broken));
        }
    }
    if (history.kind().empty()) {
        history.set_kind("step");
    }
    return history_of(history, "slip_history");
}

namespace {

v1::BlockReport read_block(jobs::SourceReader& reader, const v1::ReadCommand& command) {
    jobs::SourceFiles files;
    for (const v1::ReadCommand::Source& source : command.sources()) {
        files[source.id()] = source.file();
    }
    const jobs::SourceBlock block = reader.read(files);
    write_values(command.out(), block.values);
    v1::BlockReport report;
    report.set_id(command.id());
    report.mutable_source_ids()->Assign(block.ids.begin(), block.ids.end());
    return report;
}

}  // namespace

int read_sources(jobs::SourceReader& reader, std::istream& in, Reporter& reporter) {
    v1::ReaderReport axes;
    axes.mutable_epochs_s()->Assign(reader.epochs_s().begin(), reader.epochs_s().end());
    const auto stations = reader.station_ids(), components = reader.components();
    axes.mutable_station_ids()->Assign(stations.begin(), stations.end());
    axes.mutable_components()->Assign(components.begin(), components.end());
    reporter.result("ready", axes);
    for (std::string line; std::getline(in, line);) {
        try {
            const auto command =
                report::parse<v1::ReadCommand>(line, "no command: '" + line.substr(0, 200) + "'");
            reporter.result("block", read_block(reader, command));
        } catch (const std::exception& error) {
            reporter.failure(run::describe(error));
        }
    }
    return run::kExitOk;
}

}  // namespace kaname::compute
