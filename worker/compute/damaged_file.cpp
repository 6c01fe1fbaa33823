// SPDX-License-Identifier: BSD-3-Clause
#include "worker/compute/damaged_file.hpp"

#include <array>
#include <csignal>

#include <unistd.h>

#include "worker/run/events.hpp"
#include "worker/run/exit_code.hpp"

namespace kaname::compute {
namespace {

// The signal handler may call next to nothing; so the line that it writes is made beforehand. It
// has a stack of its own, since the fault may be that the other one is exhausted.
std::string g_line;
std::array<char, 1U << 16U> g_stack;

void tell_and_end(int /*signal*/) {
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, g_line.data(), g_line.size());
    ::_exit(run::kExitBadInput);
}

}  // namespace

void blame_memory_faults_on(const std::string& file) {
    g_line = '\n' +
             run::to_line(run::Failure{ErrorCode::InvalidArgument,
                                       file + ": is damaged: HDF5 broke down while reading it",
                                       {}}) +
             '\n';
    stack_t stack{};
    stack.ss_sp = g_stack.data();
    stack.ss_size = g_stack.size();
    (void)::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = tell_and_end;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) {
        (void)::sigaction(fault, &action, nullptr);
    }
}

}  // namespace kaname::compute
