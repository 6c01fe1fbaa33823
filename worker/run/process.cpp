// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/process.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "worker/run/spawn.hpp"

namespace kaname::run {
namespace {

using Clock = std::chrono::steady_clock;

ExitStatus decode(int raw) {
    if (WIFSIGNALED(raw)) {
        return {0, WTERMSIG(raw)};
    }
    return {WEXITSTATUS(raw), 0};
}

/// Turns SIGPIPE of this thread's writes into EPIPE without touching the process' handlers.
class BlockSigpipe {
public:
    BlockSigpipe() {
        ::sigemptyset(&pipe_);
        ::sigaddset(&pipe_, SIGPIPE);
        ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    ~BlockSigpipe() {
        const timespec at_once{};
        ::sigtimedwait(&pipe_, nullptr, &at_once);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    BlockSigpipe(const BlockSigpipe&) = delete;
    BlockSigpipe& operator=(const BlockSigpipe&) = delete;

private:
    sigset_t pipe_{}, before_{};
};

}  // namespace

std::string ExitStatus::text() const {
    if (signal != 0) {
        return "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
    }
    return "exit code " + std::to_string(code);
}

Process::Process(const SpawnOptions& options) {
    SpawnedChild child = spawn(options);
    pid_ = child.pid;
    stdin_ = std::move(child.in);
    stdout_.fd = std::move(child.out);
    stderr_.fd = std::move(child.err);
    ::fcntl(stdout_.fd.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(stderr_.fd.get(), F_SETFL, O_NONBLOCK);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      status_(other.status_),
      stdin_(std::move(other.stdin_)),
      stdout_(std::move(other.stdout_)),
      stderr_(std::move(other.stderr_)) {}

Process::~Process() {
    if (pid_ > 0 && !status_) {
        kill_group(SIGKILL);
        wait();
    }
}

void Process::kill_group(int signal) const {
    ::kill(-pid_, signal);
}

bool Process::write_stdin(std::string_view text) {
    const BlockSigpipe guard;
    while (!text.empty() && stdin_.open()) {
        const ssize_t written = ::write(stdin_.get(), text.data(), text.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            stdin_.close();
            return false;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return text.empty();
}

void Process::read_available(Reader& reader, Source source, const OnLine& on_line) {
    std::array<char, 65536> chunk;
    const ssize_t got = ::read(reader.fd.get(), chunk.data(), chunk.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0) {
        reader.fd.close();
        if (!reader.pending.empty()) {
            on_line(source, std::exchange(reader.pending, {}));
        }
        return;
    }
    reader.pending.append(chunk.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t end; (end = reader.pending.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
        on_line(source, std::string_view(reader.pending).substr(begin, end - begin));
    }
    reader.pending.erase(0, begin);
}

bool Process::read_lines(std::chrono::milliseconds timeout, const OnLine& on_line) {
    // poll skips negative descriptors, so an ended stream needs no special case.
    std::array<pollfd, 2> fds{{{stdout_.fd.get(), POLLIN, 0}, {stderr_.fd.get(), POLLIN, 0}}};
    if (stdout_.fd.open() || stderr_.fd.open()) {
        if (::poll(fds.data(), fds.size(), static_cast<int>(timeout.count())) > 0) {
            if (fds[0].revents != 0) {
                read_available(stdout_, Source::Stdout, on_line);
            }
            if (fds[1].revents != 0) {
                read_available(stderr_, Source::Stderr, on_line);
            }
        }
    }
    return stdout_.fd.open() || stderr_.fd.open();
}

std::optional<ExitStatus> Process::try_wait() {
    int raw = 0;
    if (!status_ && ::waitpid(pid_, &raw, WNOHANG) == pid_) {
        status_ = decode(raw);
    }
    return status_;
}

ExitStatus Process::wait() {
    int raw = 0;
    while (!status_) {
        if (::waitpid(pid_, &raw, 0) == pid_) {
            status_ = decode(raw);
        } else if (errno != EINTR) {
            throw Error(ErrorCode::Internal, std::string("waitpid: ") + std::strerror(errno));
        }
    }
    return *status_;
}

ExitStatus Process::terminate(std::chrono::milliseconds grace) {
    const Clock::time_point deadline = Clock::now() + grace;
    kill_group(SIGTERM);
    while (!try_wait() && Clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    kill_group(SIGKILL);  // also what the child itself left running in its group
    return wait();
}

}  // namespace kaname::run
