// SPDX-License-Identifier: BSD-3-Clause
#include "server/embedded/data_folder.hpp"

#include <cerrno>
#include <cstring>
#include <set>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/embedded/socket_folder.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/fd.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/process.hpp"

extern char** environ;

namespace kaname::embedded {
namespace {

namespace fs = std::filesystem;

void run_initdb(const fs::path& data, const Binaries& binaries, const run::User& user) {
    run::Process initdb({.argv = {binaries.initdb(), "--pgdata=" + data.string(),
                                  std::string("--username=") + kRole, "--locale=C",
                                  "--encoding=UTF8", "--data-checksums", "--auth-local=peer",
                                  "--auth-host=reject", "--no-instructions"},
                         .env = clean_environment(),
                         .work_dir = "/",
                         .user = ::geteuid() == 0 ? std::optional(user) : std::nullopt});
    std::string words;
    while (
        initdb.read_lines(std::chrono::seconds(1), [&](run::Source source, std::string_view line) {
            if (source == run::Source::Stderr) {
                words += "\n" + std::string(line);
            }
        })) {
    }
    if (const run::ExitStatus status = initdb.wait(); !status.ok()) {
        throw Error(ErrorCode::Unavailable,
                    "initdb in " + data.string() + ": " + status.text() + words);
    }
}

/// A value of postgresql.conf.
std::string conf_value(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        result += c == '\'' ? "''" : std::string(1, c);
    }
    return result + "'";
}

/// An element of a list of folders, where commas separate and double quotes protect.
std::string list_element(const std::string& folder) {
    std::string result = "\"";
    for (const char c : folder) {
        result += c == '"' ? "\"\"" : std::string(1, c);
    }
    return result + "\"";
}

std::string settings(const fs::path& socket_folder) {
    return "# Written by kaname-server at each start.\n"
           "listen_addresses = ''\n"
           "port = " +
           std::to_string(kSocketPort) +
           "\n"
           "unix_socket_directories = " +
           conf_value(list_element(socket_folder)) +
           "\n"
           "unix_socket_permissions = 0700\n"
           "fsync = on\n"
           "full_page_writes = on\n"
           "max_connections = 50\n"
           "max_wal_size = 256MB\n"
           // Queries are short; shared memory of containers is too small for parallel ones.
           "max_parallel_workers_per_gather = 0\n"
           "jit = off\n"
           // The task table changes fast.
           "autovacuum_naptime = 15s\n"
           "idle_in_transaction_session_timeout = 60s\n"
           "logging_collector = off\n"
           "log_destination = 'stderr'\n"
           "log_line_prefix = '%m [%p] '\n"
           "log_checkpoints = off\n"
           "log_timezone = 'UTC'\n"
           "timezone = 'UTC'\n";
}

}  // namespace

std::map<std::string, std::optional<std::string>> clean_environment() {
    std::map<std::string, std::optional<std::string>> changes;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        changes[std::string(text.substr(0, text.find('=')))] = std::nullopt;
    }
    changes["PATH"] = "/usr/local/bin:/usr/bin:/bin";
    changes["LC_ALL"] = "C";
    return changes;
}

void make_data_folder(const fs::path& data, const Binaries& binaries, const run::User& user) {
    if (recorded_major(data)) {
        return;
    }
    if (fs::exists(data)) {
        throw Error(ErrorCode::Conflict,
                    "database folder " + data.string() +
                        " has no PG_VERSION, so it is no database: move it away first");
    }
    const fs::path unnamed = data.string() + ".new";
    fs::remove_all(unnamed);  // left by an interrupted start: nobody used it yet
    if (::mkdir(unnamed.c_str(), 0700) != 0 ||
        (::geteuid() == 0 && ::lchown(unnamed.c_str(), user.uid, user.gid) != 0)) {
        throw Error(ErrorCode::Unavailable, unnamed.string() + ": " + std::strerror(errno));
    }
    run_initdb(unnamed, binaries, user);
    {
        const run::FileAccessAs as_user(user);
        write_file(unnamed / "postgresql.conf",
                   read_file_if_any(unnamed / "postgresql.conf") + "\ninclude 'kaname.conf'\n");
    }
    fs::rename(unnamed, data);
    const Fd parent(::open(data.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!parent.open() || ::fsync(parent.get()) != 0) {
        const std::string cause = std::strerror(errno);
        fs::remove_all(data);  // nobody used it yet, and after a crash it might be data.new again
        throw Error(ErrorCode::Unavailable, data.string() + ": cannot be written: " + cause);
    }
}

void write_settings(const fs::path& data, const fs::path& socket_folder, const run::User& user) {
    std::string map = "# Written by kaname-server at each start.\n";
    for (const std::string& name :
         std::set<std::string>{"root", user.name, run::find_user(::geteuid()).name}) {
        map += std::string("kaname \"") + name + "\" " + kRole + "\n";
    }
    const run::FileAccessAs as_user(user);
    write_file(data / "kaname.conf", settings(socket_folder));
    write_file(data / "pg_hba.conf", std::string("# Written by kaname-server at each start.\n") +
                                         "local all " + kRole + " peer map=kaname\n");
    write_file(data / "pg_ident.conf", map);
}

}  // namespace kaname::embedded
