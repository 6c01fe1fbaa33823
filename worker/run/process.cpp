// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/process.hpp"

#include <algorithm>
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
#include "worker/run/detached.hpp"
#include "worker/run/events.hpp"
#include "worker/run/spawn.hpp"

namespace kaname::run {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kHeldAfterEnd{1000};

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
    SpawnedChild child = spawn_marked(options, mark_);
    pid_ = child.pid;
    stdin_ = std::move(child.in);
    stdout_.fd = std::move(child.out);
    stderr_.fd = std::move(child.err);
    ::fcntl(stdout_.fd.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(stderr_.fd.get(), F_SETFL, O_NONBLOCK);
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      mark_(std::move(other.mark_)),
      ended_(other.ended_),
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

void Process::keep(Reader& reader, std::string_view piece) {
    const std::string_view begins = reader.pending.empty() ? piece : reader.pending;
    const std::size_t longest =
        reader.left_out == 0 && begins.starts_with(kEventPrefix) ? kLongestEvent : kLongestLine;
    const std::size_t room = longest - std::min(longest, reader.pending.size());
    reader.pending.append(piece.substr(0, room));
    reader.left_out += piece.size() - std::min(piece.size(), room);
    if (reader.left_out > 0 && reader.pending.size() > kLongestLine) {  // no event any more
        reader.left_out += reader.pending.size() - kLongestLine;
        reader.pending = reader.pending.substr(0, kLongestLine);
    }
}

void Process::hand_over(Reader& reader, Source source, const OnLine& on_line) {
    std::string line = std::exchange(reader.pending, {});
    if (reader.left_out > 0) {
        line += " ... (" + std::to_string(std::exchange(reader.left_out, 0)) + " more bytes)";
    }
    on_line(source, line);
}

void Process::end(Reader& reader, Source source, const OnLine& on_line) {
    reader.fd.close();
    if (!reader.pending.empty()) {
        hand_over(reader, source, on_line);
    }
}

void Process::read_available(Reader& reader, Source source, const OnLine& on_line) {
    std::array<char, 65536> chunk;
    const ssize_t got = ::read(reader.fd.get(), chunk.data(), chunk.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (got <= 0) {
        end(reader, source, on_line);
        return;
    }
    std::string_view text(chunk.data(), static_cast<std::size_t>(got));
    for (std::size_t newline; (newline = text.find('\n')) != std::string_view::npos;
         text.remove_prefix(newline + 1)) {
        keep(reader, text.substr(0, newline));
        hand_over(reader, source, on_line);
    }
    keep(reader, text);
}

bool Process::read_lines(std::chrono::milliseconds timeout, const OnLine& on_line) {
    // poll skips negative descriptors, so an ended stream needs no special case.
    std::array<pollfd, 2> fds{{{stdout_.fd.get(), POLLIN, 0}, {stderr_.fd.get(), POLLIN, 0}}};
    const bool open = stdout_.fd.open() || stderr_.fd.open();
    // A child that has ended tells nothing more: what comes is of those that hold its streams.
    const auto patience = ended_ ? std::min(timeout, kHeldAfterEnd) : timeout;
    if (open && ::poll(fds.data(), fds.size(), static_cast<int>(patience.count())) > 0) {
        if (fds[0].revents != 0) {
            read_available(stdout_, Source::Stdout, on_line);
        }
        if (fds[1].revents != 0) {
            read_available(stderr_, Source::Stderr, on_line);
        }
    }
    if (open && has_ended(false)) {
        const auto now = Clock::now();
        if (!ended_) {
            ended_ = now;
            if (!status_) {
                kill_group(SIGKILL);
            }
        } else if (now - *ended_ > kHeldAfterEnd) {
            end(stdout_, Source::Stdout, on_line);
            end(stderr_, Source::Stderr, on_line);
        }
    }
    return stdout_.fd.open() || stderr_.fd.open();
}

bool Process::has_ended(bool wait) const {
    if (status_) {
        return true;
    }
    siginfo_t told{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &told,
                    WEXITED | WNOWAIT | (wait ? 0 : WNOHANG)) != 0) {
        if (errno != EINTR) {
            throw Error(ErrorCode::Internal, std::string("waitid: ") + std::strerror(errno));
        }
    }
    return told.si_pid == pid_;
}

/// The child's number is its own, and its group's, for as long as it is not reaped.
void Process::reap() {
    kill_group(SIGKILL);
    int raw = 0;
    while (::waitpid(pid_, &raw, 0) != pid_) {
        if (errno != EINTR) {
            throw Error(ErrorCode::Internal, std::string("waitpid: ") + std::strerror(errno));
        }
    }
    status_ = decode(raw);
    forget(pid_, mark_);
}

std::optional<ExitStatus> Process::try_wait() {
    if (!status_ && has_ended(false)) {
        reap();
    }
    return status_;
}

ExitStatus Process::wait() {
    if (!status_ && has_ended(true)) {
        reap();
    }
    return *status_;
}

ExitStatus Process::terminate(std::chrono::milliseconds grace) {
    const Clock::time_point deadline = Clock::now() + grace;
    if (!status_) {
        kill_group(SIGTERM);
    }
    while (!try_wait() && Clock::now() < deadline) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (!status_) {
        kill_group(SIGKILL);
    }
    return wait();
}

}  // namespace kaname::run
