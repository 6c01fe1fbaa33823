// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/local/inversion_options.hpp"

#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/progress.hpp"
#include "proto/kaname/v1/report.pb.h"
#include "proto/request/form/json.hpp"
#include "proto/request/inversion/inversion_rules.hpp"
#include "proto/request/inversion/load_inversion.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "solvers/base/units.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string normal_path(const std::string& path) {
    return fs::absolute(path).lexically_normal().string();
}

/// Block style: mappings and lists of them on lines of their own, all else in JSON's form, which is
/// YAML's too.
void write_yaml(const ordered_json& value, const std::string& indent, std::string& out) {
    for (const auto& [key, inner] : value.items()) {
        if (inner.is_object() && inner.size() == 1 && inner.contains("path")) {
            out += indent + key + ": " + inner.at("path").dump() + "\n";  // a file is its path
        } else if (inner.is_object() && !inner.empty()) {
            out += indent + key + ":\n";
            write_yaml(inner, indent + "  ", out);
        } else if (inner.is_array() && !inner.empty() && inner.front().is_object()) {
            out += indent + key + ":\n";
            for (const ordered_json& element : inner) {
                std::string lines;
                write_yaml(element, indent + "    ", lines);
                lines[indent.size() + 2] = '-';
                out += lines;
            }
        } else {
            out += indent + key + ": " + inner.dump() + "\n";
        }
    }
}

}  // namespace

v1::Inversion inversion_of(const InversionOptions& options) {
    const std::size_t n_kinds = options.kinds.size();
    if (n_kinds > 1 && n_kinds != options.data.size()) {
        throw Error(ErrorCode::InvalidArgument,
                    "--kind: must be given once, or once for each --data, got " +
                        std::to_string(n_kinds) + " for " + std::to_string(options.data.size()) +
                        " files");
    }
    v1::Inversion inversion;
    inversion.set_schema(v1::Inversion::descriptor()->full_name());
    inversion.set_name(options.name);
    inversion.mutable_greens()->set_path(normal_path(options.greens));
    for (std::size_t k = 0; k < options.data.size(); ++k) {
        v1::Observations& set = *inversion.add_data();
        if (n_kinds > 0) {
            set.set_kind(options.kinds[n_kinds > 1 ? k : 0]);
        }
        set.mutable_file()->set_path(normal_path(options.data[k]));
        set.set_unit(options.unit);
        set.set_epoch_s(options.epoch_years * kJulianYear_s);
        if (options.since_years) {
            set.set_since_s(*options.since_years * kJulianYear_s);
        }
        set.set_sigma_east_m(options.sigma_east_m);
        set.set_sigma_north_m(options.sigma_north_m);
        set.set_sigma_up_m(options.sigma_up_m);
        set.set_sigma_los_m(options.sigma_los_m);
        if (!options.series_terms.empty()) {
            set.mutable_series()->mutable_terms()->Assign(options.series_terms.begin(),
                                                          options.series_terms.end());
        }
        if (options.random_walk_m != 0.0) {
            set.mutable_series()->set_random_walk_m(options.random_walk_m);
        }
    }
    v1::SlipUnknowns slip;
    slip.set_allow_negative(options.allow_negative);
    const auto take = [](const std::optional<double>& value, const auto& set) {
        if (value) {
            set(*value);
        }
    };
    take(options.max_m, [&](double value) { slip.set_max_m(value); });
    take(options.rake_from_deg, [&](double value) { slip.set_rake_from_deg(value); });
    take(options.rake_to_deg, [&](double value) { slip.set_rake_to_deg(value); });
    take(options.azimuth_deg, [&](double value) { slip.set_azimuth_deg(value); });
    take(options.magnitude, [&](double value) { slip.mutable_moment()->set_magnitude(value); });
    if (!options.history_days.empty()) {
        v1::SlipWindow& window = *slip.add_windows();
        window.set_name("history");
        window.set_kind(request::kHistory);
        window.set_begin_s(options.history_days.at(0) * kDay_s);
        window.set_end_s(options.history_days.at(1) * kDay_s);
        window.set_step_s(options.history_days.at(2) * kDay_s);
    }
    if (slip.ByteSizeLong() > 0) {
        *inversion.mutable_slip() = slip;
    }
    if (!options.choice.empty()) {
        inversion.mutable_regularisation()->set_choice(options.choice);
    }
    return inversion;
}

std::string yaml_of(v1::Inversion inversion, const fs::path& folder) {
    request::for_each_file(inversion, [&](v1::File& file, const std::string&) {
        file.clear_sha256();
        file.set_path(fs::proximate(file.path(), fs::absolute(folder)).string());
    });
    std::string text;
    write_yaml(ordered_json::parse(request::to_json(inversion)), "", text);
    return text;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kOutput = "--output";
constexpr const char* kInversionYaml = "inversion.yaml";

}  // namespace

InversionFolder::InversionFolder(const v1::Inversion& inversion, fs::path path, std::string yaml,
                                 bool force)
    : path_(std::move(path)),
      yaml_(std::move(yaml)),
      inversion_(kOutput, path_ / request::kInversionFile, force) {
    const auto& windows = inversion.slip().windows();
    for (const v1::SlipWindow& window : windows) {
        const std::string name =
            windows.size() == 1 ? "slip.csv" : file_name_of("slip_" + window.name(), ".csv");
        slip_.emplace_back(window.name(), OutputPlace(kOutput, path_ / name, force));
    }
    if (!yaml_.empty()) {
        specification_.emplace(kOutput, path_ / kInversionYaml, force, [&](const fs::path& there) {
            return read_file_if_any(there) == yaml_ ? "" : "is another request";
        });
    }
}

v1::InversionReport InversionFolder::fill(const v1::Inversion& inversion, int threads,
                                          const Context& context) const {
    const bool folder_is_new = !fs::exists(path_);
    inversion_.make_folder();
    const TemporaryFolder scratch;
    const fs::path request_file = scratch.path() / "spec.json";
    write_file(request_file, request::to_json(inversion));
    ProgressView view(std::cerr, terminal_columns());
    run::VerbCall call;
    call.arguments = {"invert",
                      "--spec",
                      request_file,
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
        text += "request: " + specification_->path().string() + "\n";
    }
    return text;
}

bool is_said(const InvertOptions& options) {
    const bool said = options.file.empty();
    const bool data = !options.said.data.empty();
    const bool greens = !options.said.greens.empty() || !options.job.empty();
    if (said ? !data && !greens : data) {
        throw Error(ErrorCode::InvalidArgument,
                    "invert: must have FILE, or --greens and --data, one of them");
    }
    if (!options.said.greens.empty() && !options.job.empty()) {
        throw Error(ErrorCode::InvalidArgument, "invert: must have --greens or --job, one of them");
    }
    if (said && !(data && greens)) {
        throw Error(ErrorCode::InvalidArgument,
                    std::string("invert: must have both --greens and --data, has no ") +
                        (data ? "--greens" : "--data"));
    }
    return said;
}

namespace {

/// Checks what the options ask for, and names the option that gives what is missing.
request::LoadedInversion checked_by_options(const v1::Inversion& inversion) {
    try {
        return request::check_inversion(inversion);
    } catch (const ValidationError& error) {
        const std::pair<const char*, const char*> names[] = {
            {".sigma_east_m", "--sigma-east-m"},
            {".sigma_north_m", "--sigma-north-m"},
            {".sigma_up_m", "--sigma-up-m"},
            {".sigma_los_m", "--sigma-los-m"},
            {".unit", "--unit"},
            {".kind", "--kind"},
            {".effective_samples", "--effective-samples"}};
        std::vector<Violation> named = error.violations();
        for (Violation& violation : named) {
            for (const auto& [field, option] : names) {
                if (violation.field.ends_with(field)) {
                    violation.message += std::string("; the option is ") + option;
                }
            }
        }
        throw ValidationError(std::move(named));
    }
}

void ask_for_posterior(const InvertOptions& options, v1::Inversion& inversion) {
    if (options.posterior || !options.theta.empty() || options.effective_samples > 0) {
        (void)inversion.mutable_posterior();
    }
    if (options.effective_samples > 0) {
        inversion.mutable_posterior()->set_effective_samples(
            static_cast<std::uint32_t>(options.effective_samples));
    }
    if (!options.theta.empty()) {
        inversion.mutable_posterior()->mutable_theta()->Assign(options.theta.begin(),
                                                               options.theta.end());
    }
}

/// Errors of the structure by datasets, or by a campaign: its campaign.json or the folder of it.
void ask_for_model_errors(const InvertOptions& options, v1::Inversion& inversion) {
    if (options.model_errors.empty()) {
        return;
    }
    v1::ModelErrors& errors = *inversion.mutable_model_errors();
    errors.clear_datasets();
    for (const std::string& given : options.model_errors) {
        fs::path path = given;
        if (fs::is_directory(path)) {
            path /= "campaign.json";
        }
        const bool campaign = path.extension() == ".json";
        if (campaign && options.model_errors.size() > 1) {
            throw Error(ErrorCode::InvalidArgument,
                        "--model-errors: must be datasets or one campaign, got '" + given +
                            "' among " + std::to_string(options.model_errors.size()));
        }
        (campaign ? *errors.mutable_campaign() : *errors.add_datasets())
            .set_path(normal_path(path.string()));
    }
}

}  // namespace

WantedInversion wanted_inversion(const InvertOptions& options,
                                 const std::filesystem::path& greens) {
    WantedInversion wanted;
    InversionOptions said = options.said;
    said.greens = greens.empty() ? said.greens : greens.string();
    const bool by_options = options.file.empty();
    v1::Inversion inversion = by_options ? inversion_of(said) : v1::Inversion();
    if (by_options) {
        ask_for_posterior(options, inversion);
        ask_for_model_errors(options, inversion);
        wanted.loaded = checked_by_options(inversion);
    } else {
        wanted.loaded = request::load_inversion(options.file, said.greens);
        if ((options.posterior && !wanted.loaded.inversion.has_posterior()) ||
            !options.theta.empty() || options.effective_samples > 0 ||
            !options.model_errors.empty()) {
            inversion = wanted.loaded.inversion;
            ask_for_posterior(options, inversion);
            ask_for_model_errors(options, inversion);
            wanted.loaded = request::check_inversion(inversion);
        }
    }
    wanted.folder = options.output.empty() ? wanted.loaded.inversion.name() : options.output;
    if (by_options) {
        wanted.yaml = yaml_of(inversion, wanted.folder);
    }
    return wanted;
}

}  // namespace kaname::cli
