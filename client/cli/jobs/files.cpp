// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/jobs/files.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>

#include "client/cli/common/commands.hpp"
#include "client/cli/common/output_place.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "proto/kaname/v1/dataset_report.pb.h"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/text.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kRequestYaml = "request.yaml";

struct FilesOptions {
    ServiceOptions service;
    std::string what, output;
    bool force = false;
};

/// The request that a dataset holds, of whatever version: its files are known by their
/// hashes alone.
json stored_specification(const std::string& dataset, const Context& context) {
    const auto report =
        verb_report<v1::DatasetReport>(context.compute, {"show", "--dataset", dataset});
    if (report.has_waves()) {
        return json::parse(report.waves().specification());
    }
    if (!report.provenance().has_specification()) {
        throw Error(ErrorCode::InvalidArgument, dataset + ": has no request");
    }
    return json::parse(report::to_json(report.provenance().specification()));
}

bool has_hash(const fs::path& path, const std::string& sha256) {
    return fs::is_regular_file(path) && sha256_file(path.string()) == sha256;
}

OutputPlace place_of_file(const fs::path& path, const std::string& sha256, bool force) {
    const auto judge = [&](const fs::path& there) {
        return has_hash(there, sha256) ? "" : "is another file";
    };
    return OutputPlace("--output", path, force, judge);
}

void fetch_file(client::Client& client, const OutputPlace& place, const std::string& sha256) {
    if (!has_hash(place.path(), sha256)) {
        place.make_folder();
        (void)client.download(sha256, place.part().string(), [](std::int64_t, std::int64_t) {});
        place.put(place.part());
    }
}

int one_file(const FilesOptions& options, const Context& context) {
    fs::path path = options.output.empty() ? options.what : options.output;
    if (fs::is_directory(path)) {
        path /= options.what;
    }
    fetch_file(*open_client(options.service), place_of_file(path, options.what, options.force),
               options.what);
    if (context.json) {
        print_json({{"written", {path.string()}}});
    } else {
        std::cout << path.string() << "\n";
    }
    return run::kExitOk;
}

int list_files(const std::vector<RequestFile>& files, const json& specification,
               const Context& context) {
    json list = json::array();
    Rows rows;
    for (const RequestFile& file : files) {
        list.push_back({{"field", file.field}, {"sha256", file.sha256}});
        rows.emplace_back(file.field, file.sha256);
    }
    if (context.json) {
        print_json({{"files", list}, {"specification", specification}});
    } else if (rows.empty()) {
        std::cout << "its request names no files\n";
    } else {
        std::cout << format_table(rows);
    }
    return run::kExitOk;
}

int all_files(const FilesOptions& options, const std::vector<RequestFile>& files, const json& named,
              const Context& context) {
    const fs::path folder = options.output;
    const std::string text = named.dump(1) + "\n";
    const OutputPlace specification =
        place_of_file(folder / kRequestYaml, sha256_hex(text), options.force);
    std::vector<OutputPlace> places;
    for (const RequestFile& file : files) {
        places.push_back(place_of_file(folder / file.name, file.sha256, options.force));
    }
    json written = json::array();
    if (!files.empty()) {
        const auto client = open_client(options.service);
        for (std::size_t i = 0; i < files.size(); ++i) {
            fetch_file(*client, places[i], files[i].sha256);
            written.push_back(places[i].path().string());
        }
    }
    specification.make_folder();
    write_file(specification.part(), text);
    specification.put(specification.part());
    written.push_back((folder / kRequestYaml).string());
    if (context.json) {
        print_json({{"written", written}});
        return run::kExitOk;
    }
    for (const json& path : written) {
        std::cout << path.get<std::string>() << "\n";
    }
    return run::kExitOk;
}

int files_command(const FilesOptions& options, const Context& context) {
    if (is_sha256(options.what) && !fs::exists(options.what)) {
        return one_file(options, context);
    }
    const json specification = stored_specification(options.what, context);
    const std::vector<RequestFile> files = files_of(specification);
    return options.output.empty() ? list_files(files, specification, context)
                                  : all_files(options, files, with_names(specification), context);
}

}  // namespace

void add_files(Command& app, Context& context) {
    const auto options = std::make_shared<FilesOptions>();
    Command& command = add_command<FilesOptions>(
        app, context, "files",
        "Get back the request of a dataset and the files that it names by hash", options,
        files_command);
    command.add_options(
        {{"FILE", &options->what,
          "Dataset (greens.h5): lists its files; or the SHA-256 of one file", kRequired},
         {"-o,--output", &options->output,
          "Folder for request.yaml and its files, which the server keeps; of "
          "one file the file or folder"},
         {"--force", &options->force, "Replace other files"}});
    add_service_options(command, options->service);
}

namespace {

using nlohmann::json;

/// Calls `visit` with every file of the request, an object that has a sha256.
void visit_files(json& value, const std::string& field,
                 const std::function<void(json& file, const std::string& field)>& visit) {
    if (value.is_object() && value.contains("sha256")) {
        visit(value, field);
    } else if (value.is_object()) {
        for (auto& [key, inner] : value.items()) {
            visit_files(inner, field.empty() ? key : field + "." + key, visit);
        }
    } else if (value.is_array()) {
        for (std::size_t i = 0; i < value.size(); ++i) {
            visit_files(value[i], field + "[" + std::to_string(i) + "]", visit);
        }
    }
}

std::string file_name(std::string field) {
    std::erase(field, ']');
    std::ranges::replace(field, '[', '.');
    return file_name_of(field);  // keys of a file that somebody else wrote
}

}  // namespace

std::vector<RequestFile> files_of(const json& specification) {
    json copy = specification;
    std::vector<RequestFile> files;
    std::map<std::string, std::string> names;  // by hash
    visit_files(copy, "", [&](json& file, const std::string& field) {
        const std::string sha256 = file.at("sha256");
        const std::string& name = names.emplace(sha256, file_name(field)).first->second;
        files.push_back({field, sha256, name});
    });
    return files;
}

json with_names(json specification) {
    const std::vector<RequestFile> files = files_of(specification);
    std::size_t next = 0;
    visit_files(specification, "",
                [&](json& file, const std::string&) { file["path"] = files.at(next++).name; });
    return specification;
}

bool is_sha256(const std::string& text) {
    return text.size() == 64 && std::ranges::all_of(text, [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

}  // namespace kaname::cli
