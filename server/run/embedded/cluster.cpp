// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/embedded/cluster.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <sstream>
#include <thread>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "server/run/embedded/binaries.hpp"
#include "server/run/embedded/data_folder.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/detached.hpp"

namespace kaname::embedded {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

bool runs_on(pid_t pid, const fs::path& data) {
    const fs::path proc = fs::path("/proc") / std::to_string(pid);
    std::error_code error;
    const std::string program = fs::read_symlink(proc / "exe", error).filename();
    // "postgres (deleted)" after an upgrade of the package.
    if (error || program.substr(0, program.find(' ')) != "postgres") {
        return false;
    }
    return fs::equivalent(proc / "cwd", data, error) && !error;
}

std::optional<pid_t> to_pid(const std::string& text) {
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
    return error == std::errc() && pid > 0 ? std::optional(pid) : std::nullopt;
}

/// True for threads, too, and for processes that may not be signalled: as PostgreSQL sees it.
bool number_is_taken(pid_t pid) {
    return fs::exists(fs::path("/proc") / std::to_string(pid));
}

void move_aside_when_reused(const fs::path& lock_file) {
    const std::string text = read_file_if_any(lock_file);
    const std::optional<pid_t> pid = to_pid(text.substr(0, text.find('\n')));
    if (pid && number_is_taken(*pid)) {
        fs::rename(lock_file, lock_file.string() + ".stale");
    }
}

}  // namespace

std::optional<PidFile> read_pid_file(const fs::path& data) {
    std::istringstream lines(read_file_if_any(data / "postmaster.pid"));
    PidFile file;
    std::string pid, folder, start, port, socket, address, memory;
    std::getline(lines, pid);
    if (!to_pid(pid) || !std::getline(lines, folder)) {
        return std::nullopt;
    }
    std::getline(lines, start);
    std::getline(lines, port);
    std::getline(lines, socket);
    std::getline(lines, address);
    std::getline(lines, memory);
    std::getline(lines, file.status);
    file.pid = *to_pid(pid);
    file.data = folder;
    file.socket_folder = socket;
    file.status.erase(file.status.find_last_not_of(' ') + 1);
    return file;
}

std::vector<run::ProcessId> processes_on(const fs::path& data, const run::User& user) {
    const run::FileAccessAs as_user(user);  // root in a container may not look, the user may
    std::vector<run::ProcessId> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        const std::optional<pid_t> pid = to_pid(entry.path().filename());
        if (!pid || !runs_on(*pid, data)) {
            continue;
        }
        if (const auto id = run::identify(*pid)) {
            found.push_back(*id);
        }
    }
    return found;
}

std::optional<run::ProcessId> running_postmaster(const fs::path& data, const run::User& user) {
    const run::FileAccessAs as_user(user);
    const std::optional<PidFile> file = read_pid_file(data);
    if (!file || !runs_on(file->pid, data)) {
        return std::nullopt;
    }
    return run::identify(file->pid);
}

void clear_leftovers(const fs::path& data, const fs::path& socket_folder, const run::User& user) {
    // Children notice the postmaster's death by themselves, at the latest after their statement.
    for (const auto& [signal, limit] : {std::pair(0, seconds(10)), std::pair(SIGQUIT, seconds(5)),
                                        std::pair(SIGKILL, seconds(5))}) {
        for (const run::ProcessId& left : processes_on(data, user)) {
            run::send_signal(left, signal);
        }
        const auto deadline = std::chrono::steady_clock::now() + limit;
        while (!processes_on(data, user).empty() && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
    if (const auto left = processes_on(data, user); !left.empty()) {
        throw Error(ErrorCode::Unavailable, "PostgreSQL process " +
                                                std::to_string(left.front().pid) + " still uses " +
                                                data.string() + " and cannot be ended");
    }
    const run::FileAccessAs as_user(user);
    move_aside_when_reused(data / "postmaster.pid");
    move_aside_when_reused(socket_folder / (".s.PGSQL." + std::to_string(kSocketPort) + ".lock"));
}

void stop_postmaster(const run::ProcessId& postmaster, seconds limit) {
    run::send_signal(postmaster, SIGINT);
    if (run::wait_until_gone(postmaster, limit)) {
        return;
    }
    run::send_signal(postmaster, SIGQUIT);
    if (!run::wait_until_gone(postmaster, seconds(10))) {
        run::send_signal(postmaster, SIGKILL);
        run::wait_until_gone(postmaster, seconds(10));
    }
}

bool stop_orphan(const fs::path& state) {
    const fs::path data = state / "postgres";
    struct stat info {};
    if (::stat(data.c_str(), &info) != 0) {
        return false;
    }
    const auto postmaster = running_postmaster(data, run::find_user(info.st_uid));
    if (postmaster) {
        stop_postmaster(*postmaster, seconds(60));
    }
    return postmaster.has_value();
}

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using SteadyClock = std::chrono::steady_clock;

/// Recovery after a crash replays at most max_wal_size.
constexpr seconds kStartLimit{300};
constexpr seconds kStopLimit{60};
constexpr milliseconds kLook{200};  // at whether it runs, where the kernel does not tell
constexpr seconds kLongestPause{30};
/// A cluster that lived this long did not fail because of how it was started.
constexpr seconds kHealthy{60};

std::string tail(const fs::path& log_file) {
    constexpr std::size_t kBytes = 1500;
    const std::string text = read_file_if_any(log_file);
    return text.size() <= kBytes ? text : text.substr(text.size() - kBytes);
}

std::string conninfo_value(const std::string& value) {
    std::string result = "'";
    for (const char c : value) {
        result += (c == '\'' || c == '\\') ? std::string{'\\', c} : std::string(1, c);
    }
    return result + "'";
}

std::string conninfo_of(const fs::path& socket_folder) {
    return "host=" + conninfo_value(socket_folder) + " port=" + std::to_string(kSocketPort) +
           " dbname=" + kDatabase + " user=" + kRole;
}

}  // namespace

Cluster::Cluster(ClusterOptions options)
    : options_(std::move(options)),
      data_(options_.state / "postgres"),
      log_file_(options_.state / "logs" / "postgres.log") {}

Cluster::~Cluster() {
    end_supervision();
}

void Cluster::log(const std::string& line) const {
    if (options_.log) {
        options_.log(line);
    }
}

void Cluster::prepare_state_folder() {
    fs::create_directories(options_.state / "logs");
    require_local_disk(options_.state);
    user_ = choose_db_user(options_.db_user, data_);
    struct stat info {};
    // Entering the state folder is all that the database's user needs; its files are closed.
    if (user_.uid != ::geteuid() && ::stat(options_.state.c_str(), &info) == 0) {
        ::chmod(options_.state.c_str(), (info.st_mode & 07777) | S_IXOTH);
    }
    require_reachable(options_.state, user_);
}

void Cluster::start() {
    prepare_state_folder();
    binaries_ = find_binaries(options_.binaries, data_);
    make_data_folder(data_, binaries_, user_);
    socket_folder_ = make_socket_folder(options_.state, options_.runtime, user_);
    write_settings(data_, socket_folder_, user_);
    const bool adopted = adopt();
    if (!adopted) {
        launch();
    }
    log("PostgreSQL " + std::to_string(binaries_.major) + (adopted ? " adopted" : " started") +
        ", pid " + std::to_string(postmaster().pid));
    end_ = false;
    ended_.clear();
    supervisor_ = std::thread([this] { supervise(); });
}

bool Cluster::adopt() {
    const auto running = running_postmaster(data_, user_);
    if (!running) {
        return false;
    }
    const auto file = [this] {
        const run::FileAccessAs as_user(user_);
        return read_pid_file(data_);
    };
    // Early in its start it has not told its socket yet.
    for (auto told = file(); told && told->socket_folder.empty() && run::is_running(*running);
         told = file()) {
        std::this_thread::sleep_for(milliseconds(10));
    }
    const auto told = file();
    if (!told || told->status == "stopping" || told->socket_folder != socket_folder_ ||
        told->data != data_) {
        log("PostgreSQL, pid " + std::to_string(running->pid) +
            ", runs on another socket or is stopping: starting it anew");
        stop_postmaster(*running, kStopLimit);
        return false;
    }
    wait_until_ready(*running);
    const std::lock_guard lock(mutex_);
    postmaster_ = *running;
    return true;
}

void Cluster::launch() {
    clear_leftovers(data_, socket_folder_, user_);
    const run::ProcessId id =
        run::start_detached({.argv = {binaries_.postgres(), "-D", data_},
                             .env = clean_environment(),
                             .log = log_file_,
                             .user = ::geteuid() == 0 ? std::optional(user_) : std::nullopt});
    {
        const std::lock_guard lock(mutex_);
        postmaster_ = id;
    }
    wait_until_ready(id);
}

void Cluster::wait_until_ready(const run::ProcessId& postmaster) const {
    const auto deadline = SteadyClock::now() + kStartLimit;
    while (SteadyClock::now() < deadline) {
        {
            const run::FileAccessAs as_user(user_);
            const auto file = read_pid_file(data_);
            if (file && file->pid == postmaster.pid && file->status == "ready") {
                return;
            }
        }
        if (!run::is_running(postmaster)) {
            throw Error(ErrorCode::Unavailable, "PostgreSQL ended while it started; the end of " +
                                                    log_file_.string() + ":\n" + tail(log_file_));
        }
        std::this_thread::sleep_for(milliseconds(10));
    }
    throw Error(ErrorCode::Unavailable,
                "PostgreSQL, pid " + std::to_string(postmaster.pid) + ", was not ready within " +
                    std::to_string(kStartLimit.count()) + " s; see " + log_file_.string());
}

void Cluster::supervise() {
    seconds pause{0};
    auto started = SteadyClock::now();
    std::unique_lock lock(mutex_);
    while (!end_) {
        const run::ProcessId watched = postmaster_;
        lock.unlock();
        run::wait_for_end(watched, ended_.fd(), kLook);
        lock.lock();
        if (end_ || run::is_running(postmaster_)) {
            continue;
        }
        pause = SteadyClock::now() - started > kHealthy ? seconds(0) : pause;
        log("PostgreSQL, pid " + std::to_string(postmaster_.pid) + ", has ended; starting it " +
            (pause.count() == 0 ? "again" : "again in " + std::to_string(pause.count()) + " s"));
        if (ending_.wait_for(lock, pause, [this] { return end_; })) {
            return;
        }
        pause = std::clamp(2 * pause, seconds(1), kLongestPause);
        started = SteadyClock::now();
        lock.unlock();
        try {
            launch();
            log("PostgreSQL started, pid " + std::to_string(postmaster().pid));
        } catch (const std::exception& error) {
            log(error.what());
        }
        lock.lock();
    }
}

void Cluster::end_supervision() {
    {
        const std::lock_guard lock(mutex_);
        end_ = true;
    }
    ended_.set();
    ending_.notify_all();
    if (supervisor_.joinable()) {
        supervisor_.join();
    }
}

void Cluster::stop() {
    end_supervision();
    stop_postmaster(postmaster(), kStopLimit);
}

std::string Cluster::conninfo() const {
    return conninfo_of(socket_folder_);
}

std::optional<std::string> running_conninfo(const fs::path& state, const std::string& db_user) {
    const fs::path data = state / "postgres";
    const run::FileAccessAs as_user(choose_db_user(db_user, data));
    const auto file = read_pid_file(data);
    return file && file->status == "ready" ? std::optional(conninfo_of(file->socket_folder))
                                           : std::nullopt;
}

run::ProcessId Cluster::postmaster() const {
    const std::lock_guard lock(mutex_);
    return postmaster_;
}

}  // namespace kaname::embedded
