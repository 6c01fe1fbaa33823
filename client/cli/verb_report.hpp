// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "proto/kaname/v1/report.pb.h"
#include "proto/report/report.hpp"
#include "worker/run/compute_runner.hpp"

namespace kaname::cli {

/// Runs a verb of kaname-compute for what it reports. Throws as ComputeRunner::run, and
/// report::BrokenReport naming the verb.
template <class Report>
[[nodiscard]] Report verb_report(const run::ComputeRunner& compute, run::VerbCall call) {
    const std::string verb = call.arguments.front();
    return report::parse<Report>(compute.run(call).json, "kaname-compute " + verb);
}

template <class Report>
[[nodiscard]] Report verb_report(const run::ComputeRunner& compute,
                                 std::vector<std::string> arguments) {
    run::VerbCall call;
    call.arguments = std::move(arguments);
    return verb_report<Report>(compute, std::move(call));
}

/// The message as the one JSON object of --json.
inline void print_report(const google::protobuf::Message& message) {
    std::cout << report::to_json(message, report::Layout::Indented) << std::flush;
}

/// Warnings of a report, for people.
inline void warn(const google::protobuf::RepeatedPtrField<std::string>& warnings) {
    for (const std::string& warning : warnings) {
        std::cerr << "warning: " << warning << "\n";
    }
}

/// Prints the paths of the files that a command wrote, one per line, or the report as JSON.
inline void tell_written(const v1::WrittenReport& written, bool json) {
    if (json) {
        print_report(written);
        return;
    }
    for (const std::string& path : written.written()) {
        std::cout << path << "\n";
    }
}

}  // namespace kaname::cli
