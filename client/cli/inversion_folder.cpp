// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/inversion_folder.hpp"

#include <iostream>

#include "client/cli/progress_view.hpp"
#include "client/cli/verb_report.hpp"
#include "proto/kaname/v1/report.pb.h"
#include "proto/spec/form/json.hpp"
#include "proto/spec/inversion/inversion_kind.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/shown.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOutput = "--output";
constexpr const char* kInversionYaml = "inversion.yaml";

}  // namespace

InversionFolder::InversionFolder(const v1::Inversion& inversion, fs::path path, std::string yaml,
                                 bool force)
    : path_(std::move(path)),
      yaml_(std::move(yaml)),
      inversion_(kOutput, path_ / spec::kInversionFile, force) {
    const auto& windows = inversion.slip().windows();
    for (const v1::SlipWindow& window : windows) {
        const std::string name =
            windows.size() == 1 ? "slip.csv" : file_name_of("slip_" + window.name(), ".csv");
        slip_.emplace_back(window.name(), OutputPlace(kOutput, path_ / name, force));
    }
    if (!yaml_.empty()) {
        specification_.emplace(kOutput, path_ / kInversionYaml, force, [&](const fs::path& there) {
            return read_file_if_any(there) == yaml_ ? "" : "is another specification";
        });
    }
}

v1::InversionReport InversionFolder::fill(const v1::Inversion& inversion, int threads,
                                          const Context& context) const {
    const bool folder_is_new = !fs::exists(path_);
    inversion_.make_folder();
    const TemporaryFolder scratch;
    const fs::path spec_file = scratch.path() / "spec.json";
    write_file(spec_file, spec::to_json(inversion));
    ProgressView view(std::cerr, terminal_columns());
    run::VerbCall call;
    call.arguments = {"invert",
                      "--spec",
                      spec_file,
                      "--out",
                      inversion_.part(),
                      "--threads",
                      std::to_string(threads),
                      "--watch-stdin"};
    call.on_progress = [&](const run::Progress& progress) { view.show(progress); };
    try {
        auto report = verb_report<v1::InversionReport>(context.compute, std::move(call));
        view.end_line();
        put_slip_tables(context);
        inversion_.put(inversion_.part());
        if (specification_) {
            write_file(specification_->part(), yaml_);
            specification_->put(specification_->part());
        }
        report.set_file(inversion_.path().string());
        return report;
    } catch (...) {
        clean_up(folder_is_new);
        throw;
    }
}

void InversionFolder::put_slip_tables(const Context& context) const {
    const TemporaryFolder stage(path_);
    const auto written = verb_report<v1::WrittenReport>(
        context.compute, {"slip-tables", "--dataset", inversion_.part(), "--out", stage.path()});
    for (const std::string& file : written.written()) {
        for (const auto& [window, place] : slip_) {
            if (fs::path(file).stem() == window) {
                place.put(file);
            }
        }
    }
}

void InversionFolder::clean_up(bool folder_is_new) const {
    std::error_code ignored;
    fs::remove(inversion_.part(), ignored);
    if (folder_is_new) {
        fs::remove(path_, ignored);
    }
}

std::string InversionFolder::text() const {
    std::string text = "inversion: " + inversion_.path().string() + "\n";
    for (const auto& [window, place] : slip_) {
        text += "slip: " + place.path().string() + "\n";
    }
    if (specification_) {
        text += "specification: " + specification_->path().string() + "\n";
    }
    return text;
}

}  // namespace kaname::cli
