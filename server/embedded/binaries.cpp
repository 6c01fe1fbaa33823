// SPDX-License-Identifier: BSD-3-Clause
#include "server/embedded/binaries.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/process.hpp"

namespace kaname::embedded {
namespace {

namespace fs = std::filesystem;

std::optional<int> leading_number(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && number > 0 ? std::optional(number) : std::nullopt;
}

/// "postgres (PostgreSQL) 15.4 (Debian 15.4-1)"
std::optional<int> major_of(const fs::path& folder) {
    const std::string postgres = folder / "postgres";
    if (!run::find_program(postgres) || !run::find_program(folder / "initdb")) {
        return std::nullopt;
    }
    run::Process version({.argv = {postgres, "--version"}, .env = {{"LC_ALL", "C"}}});
    std::string text;
    while (version.read_lines(std::chrono::seconds(10),
                              [&](run::Source, std::string_view line) { text += line; })) {
    }
    version.wait();
    const std::string_view marker = "(PostgreSQL) ";
    const std::size_t at = text.find(marker);
    return at == std::string::npos
               ? std::nullopt
               : leading_number(std::string_view(text).substr(at + marker.size()));
}

std::vector<fs::path> usual_folders() {
    std::vector<fs::path> folders;
    if (const auto postgres = run::find_program("postgres")) {
        std::error_code ignored;  // a link to a program whose companions are elsewhere
        folders.push_back(fs::canonical(*postgres, ignored).parent_path());
    }
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
        folders.push_back(entry.path() / "bin");
    }
    for (const auto& entry : fs::directory_iterator("/usr", ignored)) {
        if (entry.path().filename().string().rfind("pgsql-", 0) == 0) {
            folders.push_back(entry.path() / "bin");
        }
    }
    folders.emplace_back("/usr/local/pgsql/bin");
    return folders;
}

[[noreturn]] void throw_other_version(const fs::path& data, int wanted, const Binaries& found) {
    const std::string old_version = std::to_string(wanted);
    throw Error(ErrorCode::NotReady,
                "database folder " + data.string() + " was made by PostgreSQL " + old_version +
                    ", but the programs in " + found.folder.string() + " are version " +
                    std::to_string(found.major) + ": install PostgreSQL " + old_version +
                    ", or upgrade the folder with pg_upgrade (see its manual page: make a new "
                    "folder with initdb --username=kaname --locale=C --encoding=UTF8 "
                    "--data-checksums, run pg_upgrade on both, and put the new one in its place)");
}

}  // namespace

std::optional<int> recorded_major(const fs::path& data) {
    return leading_number(read_file_if_any(data / "PG_VERSION"));
}

Binaries find_binaries(const fs::path& folder, const fs::path& data) {
    std::vector<Binaries> found;
    for (const fs::path& candidate : folder.empty() ? usual_folders() : std::vector{folder}) {
        if (const std::optional<int> major = major_of(candidate)) {
            found.push_back({candidate, *major});
        }
    }
    if (found.empty()) {
        throw Error(ErrorCode::NotFound,
                    "PostgreSQL's programs initdb and postgres were not found in " +
                        (folder.empty() ? "PATH or /usr/lib/postgresql/*/bin" : folder.string()) +
                        ": install the server package of PostgreSQL, or name a database with "
                        "--database");
    }
    const auto by_major = [](const Binaries& a, const Binaries& b) { return a.major < b.major; };
    const Binaries newest = *std::max_element(found.begin(), found.end(), by_major);
    const std::optional<int> wanted = recorded_major(data);
    if (!wanted) {
        return newest;
    }
    for (const Binaries& one : found) {
        if (one.major == *wanted) {
            return one;
        }
    }
    throw_other_version(data, *wanted, newest);
}

}  // namespace kaname::embedded
