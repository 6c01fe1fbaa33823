// SPDX-License-Identifier: BSD-3-Clause
#include "server/backup/manifest.hpp"

#include <array>
#include <optional>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::backup {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFormat = "kaname.backup.v1";
constexpr std::array kSummed = {kManifest, kFiles, kDump};
constexpr std::array kModes = {std::pair(Artifacts::Copy, "copy"),
                               std::pair(Artifacts::Link, "link"),
                               std::pair(Artifacts::Manifest, "manifest")};
constexpr std::array kStates = {
    std::pair(File::State::Kept, "kept"), std::pair(File::State::Unreferenced, "unreferenced"),
    std::pair(File::State::Missing, "missing"), std::pair(File::State::Damaged, "damaged")};

[[noreturn]] void throw_damaged(const fs::path& file, const std::string& why) {
    throw Error(ErrorCode::DataLoss, "backup: " + file.string() + ' ' + why);
}

template <class Names>
auto named(const Names& names, const std::string& word, const fs::path& file) {
    for (const auto& [value, name] : names) {
        if (word == name) {
            return value;
        }
    }
    throw_damaged(file, "has the unknown word \"" + word + '"');
}

std::vector<File> read_files(const fs::path& path) {
    std::istringstream text(read_file_if_any(path));
    std::vector<File> files;
    for (std::string line; std::getline(text, line);) {
        std::istringstream fields(line);
        File file;
        std::string state;
        if (!(fields >> file.sha256 >> file.bytes >> state)) {
            throw_damaged(path, "has the line \"" + line + '"');
        }
        file.state = named(kStates, state, path);
        files.push_back(std::move(file));
    }
    return files;
}

void check_sums(const fs::path& folder) {
    std::istringstream sums(read_file_if_any(folder / kSums));
    std::size_t n = 0;
    for (std::string sha256, name; sums >> sha256 >> name; ++n) {
        const fs::path file = folder / fs::path(name).filename();
        if (!fs::exists(file)) {
            throw_damaged(file, "is missing");
        }
        if (sha256_file(file.string()) != sha256) {
            throw_damaged(file, "is not the file whose SHA-256 " + std::string(kSums) + " has");
        }
    }
    if (n != kSummed.size()) {
        throw_damaged(folder / kSums, "must have " + std::to_string(kSummed.size()) +
                                          " lines, has " + std::to_string(n));
    }
}

}  // namespace

std::string_view to_string(Artifacts artifacts) {
    for (const auto& [mode, name] : kModes) {
        if (mode == artifacts) {
            return name;
        }
    }
    return "";
}

void write_manifest(const fs::path& folder, const Manifest& manifest) {
    std::string files;
    std::int64_t n = 0, bytes = 0;
    for (const File& file : manifest.files) {
        std::string_view state;
        for (const auto& [value, name] : kStates) {
            state = value == file.state ? std::string_view(name) : state;
        }
        files += file.sha256 + '\t' + std::to_string(file.bytes) + '\t' + std::string(state) + '\n';
        n += file.state == File::State::Kept ? 1 : 0;
        bytes += file.state == File::State::Kept ? file.bytes : 0;
    }
    write_file(folder / kFiles, files);
    const json told = {{"format", kFormat},
                       {"id", manifest.backup_id},
                       {"made", manifest.made},
                       {"kaname", manifest.version},
                       {"pg_dump", manifest.postgres},
                       {"migrations", manifest.migrations},
                       {"store_id", manifest.store_id},
                       {"artifacts", to_string(manifest.artifacts)},
                       {"files", n},
                       {"bytes", bytes}};
    write_file(folder / kManifest, told.dump(2) + '\n');
    std::string sums;
    for (const char* name : kSummed) {
        sums += sha256_file((folder / name).string()) + "  " + name + '\n';
    }
    write_file(folder / kSums, sums);
}

Manifest read_manifest(const fs::path& folder) {
    if (!fs::exists(folder / kSums)) {
        throw Error(ErrorCode::NotFound, folder.string() + " is no backup: it has no " + kSums);
    }
    check_sums(folder);
    const fs::path file = folder / kManifest;
    try {
        const json told = json::parse(read_file_if_any(file));
        if (told.at("format") != kFormat) {
            throw Error(ErrorCode::InvalidArgument,
                        file.string() + ": format must be " + kFormat + ", got " +
                            told.at("format").dump() +
                            "; restore it with the version that made it");
        }
        Manifest manifest;
        manifest.backup_id = told.at("id");
        manifest.made = told.at("made");
        manifest.version = told.at("kaname");
        manifest.postgres = told.at("pg_dump");
        manifest.migrations = told.at("migrations").get<std::vector<std::string>>();
        manifest.store_id = told.at("store_id");
        manifest.artifacts = named(kModes, told.at("artifacts").get<std::string>(), file);
        manifest.files = read_files(folder / kFiles);
        return manifest;
    } catch (const json::exception& error) {
        throw_damaged(file, std::string("cannot be read: ") + error.what());
    }
}

}  // namespace kaname::backup
