// SPDX-License-Identifier: BSD-3-Clause
#include "worker/jobs/frame/reporter.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "proto/report/report.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "worker/jobs/stage/pack_frame.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {

void Reporter::progress(const std::string& stage, double fraction, const std::string& text) {
    fraction = std::clamp(fraction, 0.0, 1.0);
    const Clock::time_point now = now_();
    const bool new_stage = stage != stage_;
    if (new_stage || first_fraction_ <= 0.0) {
        // Time spent before the first of the work (setting up) does not count towards its speed.
        stage_start_ = now;
        first_fraction_ = fraction;
    }
    if (new_stage) {
        stage_ = stage;
    } else if (fraction < 1.0 ? now - last_ < kProgressInterval : ended_) {
        return;
    }
    ended_ = fraction >= 1.0;
    last_ = now;
    run::Progress progress{stage, fraction, std::nullopt, text};
    if (fraction > first_fraction_) {
        // The remaining time follows from the mean speed so far.
        const double elapsed_s = std::chrono::duration<double>(now - stage_start_).count();
        progress.eta_s = elapsed_s * (1.0 - fraction) / (fraction - first_fraction_);
    }
    write(run::to_line(progress));
}

void Reporter::result(const std::string& verb, const google::protobuf::Message& report) {
    write(run::to_line(run::Result{verb, report::to_json(report)}));
}

void Reporter::failure(const run::Failure& failure) {
    write(run::to_line(failure));
}

void Reporter::checkpoint(const run::Checkpoint& checkpoint) {
    write(run::to_line(checkpoint));
}

void Reporter::write(const std::string& line) {
    // One string, so that a line stays whole beside what libraries print; flushed, as the reader
    // waits for it.
    out_ << line + "\n" << std::flush;
}

using report::count;

v1::MeshReport report_of(const jobs::MeshSummary& summary) {
    auto report = report::parse<v1::MeshReport>(summary.json, "report of a mesh");
    report.set_text(summary.text);
    return report;
}

int report_mesh(const jobs::MeshSummary& summary, const std::string& times,
                const std::string& mesh_path, Reporter& reporter) {
    std::istringstream lines(summary.text);
    for (std::string line; std::getline(lines, line);) {
        reporter.log(line);
    }
    reporter.log("time: " + times + "; memory " + gib(jobs::peak_bytes()) + " at most");
    reporter.progress("mesh", 1.0, "done");
    v1::MeshReport report = report_of(summary);
    report.set_mesh(mesh_path);
    reporter.result("mesh", report);
    return run::kExitOk;
}

v1::MeshCheckReport report_of(const jobs::MeshCheck& found) {
    v1::MeshCheckReport report;
    report.set_elements(count(found.elements));
    for (const Violation& violation : found.faults) {
        v1::MeshCheckReport::Fault& fault = *report.add_faults();
        fault.set_field(violation.field);
        fault.set_message(violation.message);
    }
    return report;
}

v1::WrittenReport written_report(const std::vector<std::string>& paths) {
    v1::WrittenReport report;
    report.mutable_written()->Assign(paths.begin(), paths.end());
    return report;
}

namespace {

/// `place`: where it was said, for errors.
void add(const std::string& place, const std::string& text, char between, const char* rule,
         Inputs& inputs) {
    const std::size_t at = text.find(between);
    if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    place + ": must be " + rule + ", got '" + text + "'");
    }
    const std::string label = text.substr(0, at);
    if (!inputs.emplace(label, text.substr(at + 1)).second) {
        throw Error(ErrorCode::InvalidArgument, place + ": input '" + label + "' is given twice");
    }
}

}  // namespace

void add_input(const std::string& text, Inputs& inputs) {
    add("--input", text, '=', "LABEL=PATH", inputs);
}

void add_input_list(const std::string& path, Inputs& inputs) {
    std::ifstream in(path);
    if (!in) {
        throw Error(ErrorCode::NotFound, "list of inputs '" + path + "' cannot be read");
    }
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        add(path + ":" + std::to_string(number), line, '\t', "a label, a tab and a path", inputs);
    }
}

}  // namespace kaname::compute
