// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/output_place.hpp"
#include "client/cli/common/preflight.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "proto/kaname/v1/report.pb.h"
#include "proto/request/form/rules.hpp"
#include "proto/request/form/text.hpp"
#include "proto/request/greens/greens_kind.hpp"
#include "proto/request/greens/load.hpp"
#include "proto/request/greens/plan.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/units.hpp"
#include "worker/run/exit_code.hpp"

// slice: some sources, stations and epochs of a dataset, as a table.
namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

struct SliceOptions {
    ServiceOptions service;
    std::string dataset, years, seconds, output;
    std::vector<std::string> sources, patches, stations;
    bool force = false;
};

/// The block's axes, and its values in the order [source][epoch][station][component].
struct Block {
    v1::ReadSliceResponse::Shape shape;
    std::vector<double> values;
};

/// Times of FROM:TO, of which one side may be empty, or of one number.
void set_times(const std::string& text, const std::string& option, const std::string& unit,
               double unit_s, v1::ReadSliceRequest& wanted) {
    const std::size_t colon = text.find(':');
    const auto number = [&](const std::string& part) {
        const auto value = request::parse_number(part);
        if (!value) {
            throw Error(ErrorCode::InvalidArgument,
                        option + ": must be FROM:TO, FROM:, :TO or one number of " + unit +
                            ", got " + request::quote(text));
        }
        return *value * unit_s;
    };
    const std::string from = text.substr(0, colon);
    const std::string to = colon == std::string::npos ? from : text.substr(colon + 1);
    if (!from.empty() || to.empty()) {
        wanted.set_from_s(number(from));
    }
    if (!to.empty()) {
        wanted.set_to_s(number(to));
    }
}

v1::ReadSliceRequest wanted_slice(const SliceOptions& options) {
    v1::ReadSliceRequest wanted;
    const auto add = [](const std::vector<std::string>& from, auto* into) {
        into->Add(from.begin(), from.end());
    };
    add(options.sources, wanted.mutable_source_ids());
    add(options.patches, wanted.mutable_patch_ids());
    add(options.stations, wanted.mutable_station_ids());
    if (!options.years.empty()) {
        set_times(options.years, "--years", "years", kJulianYear_s, wanted);
    }
    if (!options.seconds.empty()) {
        set_times(options.seconds, "--seconds", "seconds", 1.0, wanted);
    }
    if (std::vector<Violation> broken = request::check_slice(wanted); !broken.empty()) {
        throw ValidationError(std::move(broken));
    }
    return wanted;
}

Block read_file_slice(const std::string& file, const v1::ReadSliceRequest& wanted,
                      const run::ComputeRunner& compute) {
    const TemporaryFolder folder;
    const std::string request = folder.path() / "wanted.json", raw = folder.path() / "values";
    write_file(request, report::to_json(wanted));
    const auto report = verb_report<v1::SliceReport>(
        compute, {"slice", "--dataset", file, "--wanted", request, "--out", raw});
    Block block;
    block.shape.set_components(report.components_size());
    *block.shape.mutable_component_ids() = report.components();
    *block.shape.mutable_source_ids() = report.source_ids();
    *block.shape.mutable_epochs_s() = report.epochs_s();
    *block.shape.mutable_station_ids() = report.station_ids();
    static_assert(std::endian::native == std::endian::little, "as kaname-compute writes them");
    const std::string bytes = read_file_if_any(raw);
    block.values.resize(bytes.size() / sizeof(double));
    std::memcpy(block.values.data(), bytes.data(), block.values.size() * sizeof(double));
    return block;
}

Block read_served_slice(client::Client& client, const std::string& job,
                        v1::ReadSliceRequest wanted) {
    wanted.set_dataset("datasets/" + resolve_job(client, job));
    Block block;
    block.shape =
        client.read_slice(wanted, [&](std::int64_t first, const std::vector<double>& some) {
            if (first != std::ssize(block.values)) {
                throw Error(ErrorCode::Unavailable, "values of the slice are missing; call again");
            }
            block.values.insert(block.values.end(), some.begin(), some.end());
        });
    return block;
}

bool is_waves(const v1::ReadSliceResponse::Shape& shape) {
    return !shape.component_ids().empty() && shape.component_ids(0) == "x";
}

void write_table(const Block& block, std::ostream& out) {
    const auto& shape = block.shape;
    constexpr std::size_t kComponents = 3;
    const auto n = static_cast<std::size_t>(shape.source_ids_size()) *
                   static_cast<std::size_t>(shape.epochs_s_size()) *
                   static_cast<std::size_t>(shape.station_ids_size()) * kComponents;
    if (shape.components() != kComponents || block.values.size() != n) {
        throw Error(ErrorCode::Unavailable, "the slice must have " + std::to_string(n) +
                                                " values, got " +
                                                std::to_string(block.values.size()));
    }
    const bool waves = is_waves(shape);
    out << (waves ? "source,time_s,receiver,x,y,z\n"
                  : "source,epoch_years,station,east,north,up\n");
    auto value = block.values.begin();
    for (const std::string& source : shape.source_ids()) {
        for (const double epoch_s : shape.epochs_s()) {
            const std::string time = request::show(waves ? epoch_s : epoch_s / kJulianYear_s);
            for (const std::string& station : shape.station_ids()) {
                out << csv_field(source) << ',' << time << ',' << csv_field(station);
                for (std::size_t k = 0; k < kComponents; ++k, ++value) {
                    out << ',' << (std::isfinite(*value) ? request::show(*value) : "");
                }
                out << '\n';
            }
        }
    }
}

/// Names the options of the command in place of the request's fields.
template <class Work>
auto with_option_names(const SliceOptions& options, const Work& work) {
    try {
        return work();
    } catch (const ValidationError& error) {
        const std::string times = options.years.empty() ? "--seconds" : "--years";
        const std::map<std::string, std::string> names = {{"source_ids", "--source"},
                                                          {"patch_ids", "--patch"},
                                                          {"station_ids", "--station"},
                                                          {"from_s", times},
                                                          {"to_s", times}};
        std::vector<Violation> named = error.violations();
        for (Violation& violation : named) {
            const auto name = names.find(violation.field);
            violation.field = name == names.end() ? violation.field : name->second;
        }
        throw ValidationError(std::move(named));
    }
}

int slice_command(const SliceOptions& options, const Context& context) {
    const v1::ReadSliceRequest wanted =
        with_option_names(options, [&] { return wanted_slice(options); });
    std::optional<OutputPlace> place;
    if (!options.output.empty()) {
        place.emplace("--output", options.output, options.force);
    }
    // Jobs are uuids, plain names or "latest": another word is a path, also of no file.
    const bool is_file = fs::is_regular_file(options.dataset) ||
                         options.dataset.find_first_of("./") != std::string::npos;
    if (is_file) {
        refuse_no_dataset(options.dataset, context.program);
    }
    const Block block = with_option_names(options, [&] {
        return is_file ? read_file_slice(options.dataset, wanted, context.compute)
                       : read_served_slice(*open_client(options.service), options.dataset, wanted);
    });
    if (place) {
        std::ostringstream table;
        write_table(block, table);
        place->make_folder();
        write_file(place->part(), table.str());
        place->put(place->part());
    }
    if (context.json) {
        const auto& shape = block.shape;
        nlohmann::json values = nlohmann::json::array();
        for (const double value : block.values) {
            values.push_back(std::isfinite(value) ? nlohmann::json(value) : nlohmann::json());
        }
        print_json(
            {{"sources",
              std::vector<std::string>(shape.source_ids().begin(), shape.source_ids().end())},
             {"epochs_s", std::vector<double>(shape.epochs_s().begin(), shape.epochs_s().end())},
             {"stations",
              std::vector<std::string>(shape.station_ids().begin(), shape.station_ids().end())},
             {"components",
              is_waves(shape) ? std::vector{"x", "y", "z"} : std::vector{"east", "north", "up"}},
             {"values", values}});
    } else if (options.output.empty()) {
        write_table(block, std::cout);
    } else {
        std::cout << options.output << ": " << counted(block.shape.source_ids_size(), "source")
                  << ", " << counted(block.shape.epochs_s_size(), "epoch") << ", "
                  << counted(block.shape.station_ids_size(), "station") << "\n";
    }
    return run::kExitOk;
}

}  // namespace

void add_slice(Command& app, Context& context) {
    const auto options = std::make_shared<SliceOptions>();
    Command& command = add_command<SliceOptions>(
        app, context, "slice", "Some sources, stations and epochs of a dataset, as a table",
        options, slice_command);
    constexpr command::Rules kIds{.one_each = true, .delimiter = ','};
    command.add_options(
        {{"DATASET", &options->dataset,
          "Dataset (greens.h5, seismograms.h5, rupture.h5), or the job of the server that has it",
          kRequired},
         {"--source", &options->sources, "Sources A,B,...; default: all", kIds},
         {"--patch", &options->patches, "All sources of the patches A,B,...", kIds},
         {"--station", &options->stations, "Stations A,B,...; default: all", kIds},
         {"--years", &options->years,
          "Epochs FROM:TO in years, with both ends; FROM:, :TO or one; default: all"},
         {"--seconds",
          &options->seconds,
          "The same in seconds: samples of seismograms",
          {.excludes = "--years"}},
         {"-o,--output", &options->output, "CSV file; default: standard output"},
         {"--force", &options->force, "Replace a file that is there"}});
    add_service_options(command, options->service);
}

// regrid: the dataset of other patches on a fault whose response to forces is stored.
namespace {

namespace fs = std::filesystem;

struct RegridOptions {
    std::string file, patches, request, output;
    bool force = false;
};

/// Returns the request that the dataset was made from. A dataset names files by their
/// content: if it has some, the request's own file gives their paths.
v1::GreensBatch batch_of(const RegridOptions& options, const Context& context) {
    const auto shown =
        verb_report<v1::DatasetReport>(context.compute, {"show", "--dataset", options.file});
    v1::GreensBatch stored = request::parse_json(
        report::to_json(shown.provenance().specification()), "request of '" + options.file + "'");
    if (options.request.empty()) {
        return stored;
    }
    v1::GreensBatch given = request::load_batch_file(options.request).batch;
    if (request::content_hash(given) != request::content_hash(stored)) {
        throw Error(ErrorCode::InvalidArgument, "--spec: '" + options.request +
                                                    "' must be the request of '" + options.file +
                                                    "', is another");
    }
    return given;
}

request::LoadedBatch regridded_batch(const RegridOptions& options, const Context& context) {
    v1::GreensBatch batch = batch_of(options, context);
    try {
        return request::with_patches(std::move(batch), options.patches);
    } catch (const ValidationError& error) {
        const bool of_files = std::ranges::any_of(
            error.violations(),
            [](const Violation& violation) { return violation.field.ends_with("path"); });
        if (!options.request.empty() || !of_files) {
            throw;
        }
        throw Error(ErrorCode::InvalidArgument,
                    std::string(error.what()) +
                        "; the dataset's request names files: --spec must name the "
                        "request itself, which says where they are");
    }
}

int regrid_command(const RegridOptions& options, const Context& context) {
    const OutputPlace place("--output", options.output, options.force);
    const request::LoadedBatch loaded = regridded_batch(options, context);
    place.make_folder();
    const TemporaryFolder stage(fs::absolute(place.path()).parent_path());
    const std::string request_file = (stage.path() / "spec.json").string();
    write_file(request_file, request::to_json(loaded.batch));
    const std::string made = (stage.path() / "greens.h5").string();
    auto report = verb_report<v1::WrittenReport>(
        context.compute,
        {"regrid", "--spec", request_file, "--input", "dataset=" + options.file, "--out", made});
    place.put(made);
    report.clear_written();
    report.add_written(place.path().string());
    tell_written(report, context.json);
    return run::kExitOk;
}

}  // namespace

void add_regrid(Command& app, Context& context) {
    const auto options = std::make_shared<RegridOptions>();
    Command& command = add_command<RegridOptions>(
        app, context, "regrid",
        "Lay other patches on the fault of a dataset that was solved by receivers", options,
        regrid_command);
    command.add_options(
        {{"FILE", &options->file, "Dataset (greens.h5) with solve_by receivers", kRequired},
         {"--patches", &options->patches,
          "YAML with the patches: plane, interface or mesh as under fault", kRequired},
         {"--spec", &options->request, "The dataset's request, where it names files"},
         {"-o,--output", &options->output, "Dataset to write", kRequired},
         {"--force", &options->force, "Replace a file that is there"}});
}

}  // namespace kaname::cli
