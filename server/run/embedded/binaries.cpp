// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/embedded/binaries.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

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

namespace {

// linux/magic.h has some of them only.
constexpr std::array<std::pair<unsigned long, std::string_view>, 11> kNetwork{{
    {0x6969, "NFS"},
    {0x517B, "SMB"},
    {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB2"},
    {0x00C36400, "CephFS"},
    {0x5346414F, "AFS"},
    {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x19830326, "BeeGFS"},
    {0x01021997, "9P"},
    {0x73757245, "Coda"},
}};

}  // namespace

std::optional<std::string_view> network_filesystem(long type) {
    for (const auto& [number, name] : kNetwork) {
        // f_type is signed and 32 bits wide on some systems.
        if (static_cast<std::uint32_t>(type) == number) {
            return name;
        }
    }
    return std::nullopt;
}

void require_local_disk(const std::filesystem::path& folder) {
    struct statfs info {};
    if (::statfs(folder.c_str(), &info) != 0) {
        throw Error(ErrorCode::Unavailable, folder.string() + ": " + std::strerror(errno));
    }
    if (const auto name = network_filesystem(info.f_type)) {
        throw Error(ErrorCode::InvalidArgument,
                    "state folder " + folder.string() + " is on a network file system (" +
                        std::string(*name) +
                        "), where a database is not safe: choose a local disk with --state, or "
                        "name a database with --database");
    }
}

namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_invalid(const std::string& message) {
    throw Error(ErrorCode::InvalidArgument, message);
}

std::optional<uid_t> owner_of(const fs::path& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? std::optional(info.st_uid) : std::nullopt;
}

run::User choose_for_root(const std::string& wanted, std::optional<uid_t> owner) {
    try {
        return !wanted.empty() ? run::find_user(wanted)
               : owner         ? run::find_user(*owner)
                               : run::find_user("postgres");
    } catch (const Error& error) {
        throw Error(ErrorCode::NotFound,
                    std::string(error.what()) +
                        "; PostgreSQL refuses to run as root, so make a user for it (useradd "
                        "--system kaname) and name it with --db-user");
    }
}

bool can_enter(const run::User& user, const fs::path& folder) {
    // A process of that user knows about groups and access lists, too.
    run::Process test(
        {.argv = {"test", "-x", folder.string()}, .env = {}, .work_dir = "/", .user = user});
    return test.wait().ok();
}

}  // namespace

run::User choose_db_user(const std::string& wanted, const fs::path& data) {
    const std::optional<uid_t> owner = owner_of(data);
    const bool is_root = ::geteuid() == 0;
    const run::User user = is_root ? choose_for_root(wanted, owner) : run::find_user(::geteuid());
    if (!wanted.empty() && wanted != user.name) {
        throw_invalid("db_user must be " + user.name + " unless root starts the server, got " +
                      wanted);
    }
    // Whatever else runs as nobody could read and change the database.
    if (user.uid == 0 || user.name == "nobody") {
        throw_invalid("db_user must be a user of its own, neither root nor nobody, got " +
                      user.name);
    }
    if (owner && *owner != user.uid) {
        throw_invalid("database folder " + data.string() + " belongs to user number " +
                      std::to_string(*owner) + ", so db_user must be that one, got " + user.name);
    }
    return user;
}

void require_reachable(const fs::path& folder, const run::User& user) {
    if (user.uid == ::geteuid() || can_enter(user, folder)) {
        return;
    }
    fs::path parent;
    for (const fs::path& part : folder) {
        parent /= part;
        if (!can_enter(user, parent)) {
            throw_invalid("folder " + parent.string() + " must be open (chmod o+x) to user " +
                          user.name + ", who runs the database, to reach " + folder.string() +
                          "; or choose another state folder, such as /var/lib/kaname");
        }
    }
}

}  // namespace kaname::embedded
