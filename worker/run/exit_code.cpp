// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/exit_code.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <iostream>

#include <fcntl.h>
#include <unistd.h>

namespace kaname::run {

int exit_code(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidArgument:
        case ErrorCode::OutOfRange:
        case ErrorCode::DataLoss:  // of a file that was given, or that the server kept
            return kExitBadInput;
        case ErrorCode::NotFound:
            return kExitNotFound;
        case ErrorCode::NotConverged:
            return kExitSomeFailed;
        case ErrorCode::Unavailable:
        case ErrorCode::DeviceFault:
        case ErrorCode::Exhausted:
            return kExitUnavailable;
        case ErrorCode::Conflict:
        case ErrorCode::NotReady:
        case ErrorCode::Aborted:
            return kExitConflict;
        case ErrorCode::Unauthenticated:
        case ErrorCode::PermissionDenied:
            return kExitDenied;
        case ErrorCode::Internal:
            return kExitInternal;
    }
    return kExitInternal;
}

ErrorCode error_of_exit(int exit_code) {
    switch (exit_code) {
        case kExitBadInput:
            return ErrorCode::InvalidArgument;
        case kExitNotFound:
            return ErrorCode::NotFound;
        case kExitSomeFailed:
            return ErrorCode::NotConverged;
        case kExitUnavailable:
            return ErrorCode::Unavailable;
        case kExitConflict:
            return ErrorCode::Conflict;
        case kExitDenied:
            return ErrorCode::PermissionDenied;
        default:
            return ErrorCode::Internal;
    }
}

namespace {

constexpr std::size_t kHeld_bytes = 65536;

/// Gives standard streams that were closed a place that refuses what they are for: else the next
/// file or socket that is opened would be taken for them.
void occupy_closed_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(stream, F_GETFD) == -1 && errno == EBADF) {
            // The lowest free descriptor is this one: those below it are open by now.
            (void)::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

}  // namespace

CheckedOutput::CheckedOutput(std::function<void()> failed)
    : before_(std::cout.rdbuf()), failed_(std::move(failed)) {
    occupy_closed_streams();
    is_terminal_ = ::isatty(STDOUT_FILENO) == 1;
    std::signal(SIGPIPE, SIG_IGN);
    std::cout.rdbuf(this);
}

CheckedOutput::~CheckedOutput() {
    sync();
    std::cout.rdbuf(before_);
}

int CheckedOutput::finish(int code) {
    std::cout.flush();
    if (!has_failed()) {
        return code;
    }
    std::cerr << "error: standard output: " << std::strerror(error_) << "\n";
    return code == kExitOk || code == kExitInterrupted ? kExitUnavailable : code;
}

CheckedOutput::int_type CheckedOutput::overflow(int_type letter) {
    if (traits_type::eq_int_type(letter, traits_type::eof())) {
        return traits_type::not_eof(letter);
    }
    const char one = traits_type::to_char_type(letter);
    return xsputn(&one, 1) == 1 ? letter : traits_type::eof();
}

std::streamsize CheckedOutput::xsputn(const char* text, std::streamsize size) {
    const std::lock_guard lock(mutex_);
    held_.append(text, static_cast<std::size_t>(size));
    const bool ends_line = std::memchr(text, '\n', static_cast<std::size_t>(size)) != nullptr;
    const bool is_due = (is_terminal_ && ends_line) || held_.size() >= kHeld_bytes;
    return error_ == 0 && (!is_due || write_out()) ? size : 0;
}

int CheckedOutput::sync() {
    const std::lock_guard lock(mutex_);
    return write_out() ? 0 : -1;
}

bool CheckedOutput::write_out() {
    std::size_t written = 0;
    while (error_ == 0 && written < held_.size()) {
        const ssize_t count =
            ::write(STDOUT_FILENO, held_.data() + written, held_.size() - written);
        if (count > 0) {
            written += static_cast<std::size_t>(count);
        } else if (errno != EINTR) {
            error_ = errno;
            if (failed_) {
                failed_();
            }
        }
    }
    held_.clear();
    return error_ == 0;
}

}  // namespace kaname::run
