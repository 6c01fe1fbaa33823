// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/embedded/data_folder.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
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

namespace {

namespace fs = std::filesystem;

bool fits(const fs::path& folder) {
    const fs::path socket = folder / (".s.PGSQL." + std::to_string(kSocketPort));
    return socket.native().size() <= kLongestSocketPath;
}

fs::path default_runtime() {
    if (::geteuid() == 0) {
        return "/run";
    }
    const char* own = std::getenv("XDG_RUNTIME_DIR");
    std::error_code ignored;
    return own != nullptr && fs::is_directory(own, ignored) ? own : "/tmp";
}

/// Makes the folder, or accepts it when it is the user's alone: in /tmp anybody may have made it.
void make_private(const fs::path& folder, const run::User& user) {
    const bool made = ::mkdir(folder.c_str(), 0700) == 0;
    if (!made && errno != EEXIST) {
        throw Error(ErrorCode::Unavailable, folder.string() + ": " + std::strerror(errno));
    }
    if (made && ::geteuid() == 0 && ::lchown(folder.c_str(), user.uid, user.gid) != 0) {
        throw Error(ErrorCode::Unavailable, folder.string() + ": " + std::strerror(errno));
    }
    struct stat info {};
    if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != user.uid ||
        (info.st_mode & 0777) != 0700) {
        char mode[16];
        std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(info.st_mode & 07777U));
        throw Error(ErrorCode::PermissionDenied,
                    "socket folder " + folder.string() + " must be a folder of user " + user.name +
                        " with mode 0700, got user " + std::to_string(info.st_uid) + ", mode " +
                        mode + "; remove what is there");
    }
}

}  // namespace

fs::path make_socket_folder(const fs::path& state, const fs::path& runtime, const run::User& user) {
    const fs::path usual = state / "postgres-socket";
    if (fits(usual)) {
        make_private(usual, user);
        return usual;
    }
    const fs::path record = state / "postgres-socket.path";
    const std::string hash = sha256_hex(state.string() + "\n" + std::to_string(user.uid));
    fs::path folder = read_file_if_any(record);
    if (folder.empty() || !fits(folder)) {
        folder = (runtime.empty() ? default_runtime() : runtime) / ("kaname-" + hash.substr(0, 16));
    }
    if (!fits(folder)) {
        throw Error(ErrorCode::InvalidArgument, "socket folder " + folder.string() +
                                                    ": its socket's path must have at most " +
                                                    std::to_string(kLongestSocketPath) + " bytes");
    }
    make_private(folder, user);
    write_file(record, folder.string());
    return folder;
}

namespace {

std::filesystem::path lock_path(const std::filesystem::path& state) {
    return state / "server.lock";
}

[[noreturn]] void throw_unavailable(const std::filesystem::path& path) {
    throw Error(ErrorCode::Unavailable, path.string() + ": " + std::strerror(errno));
}

}  // namespace

StateLock::StateLock(const std::filesystem::path& state) {
    const std::filesystem::path path = lock_path(state);
    file_ = Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file_.open()) {
        throw_unavailable(path);
    }
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
        const auto other = run::parse_process_id(read_file_if_any(path));
        throw Error(ErrorCode::Conflict, "state folder " + state.string() +
                                             ": in use by another server" +
                                             (other ? ", pid " + std::to_string(other->pid) : ""));
    }
    const std::string text = run::to_text(*run::identify(::getpid()));
    if (::ftruncate(file_.get(), 0) != 0 ||
        ::write(file_.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        throw_unavailable(path);
    }
}

std::optional<run::ProcessId> StateLock::holder(const std::filesystem::path& state) {
    const std::filesystem::path path = lock_path(state);
    const Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    if (!file.open()) {
        if (errno == ENOENT || errno == ENOTDIR) {
            return std::nullopt;
        }
        throw_unavailable(path);
    }
    if (::flock(file.get(), LOCK_SH | LOCK_NB) == 0) {
        return std::nullopt;
    }
    return run::parse_process_id(read_file_if_any(path));
}

}  // namespace kaname::embedded
