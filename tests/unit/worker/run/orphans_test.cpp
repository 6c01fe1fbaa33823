// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <cstdlib>
#include <functional>
#include <string>

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker/run/detached.hpp"
#include "worker/run/process.hpp"

namespace kaname::run::orphans_test {
namespace {

using std::chrono::milliseconds;

/// Starts a shell that leaves a sleeper in a session of its own; the sleeper's number.
pid_t leave_a_sleeper(Process& shell) {
    pid_t sleeper = 0;
    while (sleeper == 0 && shell.read_lines(milliseconds(1000), [&](Source, std::string_view line) {
        sleeper = std::atoi(std::string(line).c_str());
    })) {
    }
    return sleeper;
}

bool is_there(pid_t pid) {
    return ::kill(pid, 0) == 0;
}

SpawnOptions daemonizing(const char* then) {
    return {
        .argv = {"sh", "-c",
                 std::string(
                     "(setsid sh -c 'trap \"\" TERM HUP; echo $$; exec sleep 79 >&- 2>&-' &); ") +
                     then},
        .env = {}};
}

/// In a process of its own: adopting orphans cannot be taken back.
int in_a_child(const std::function<bool()>& holds) {
    const pid_t pid = ::fork();
    if (pid == 0) {
        ::_exit(holds() ? 0 : 1);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Orphans, EndWithTheChildThatLeftThemAndWithNoOther) {
    EXPECT_EQ(in_a_child([] {
                  adopt_orphans();
                  Process lasting(daemonizing("exec sleep 80"));
                  Process ending(daemonizing("sleep 0.1"));
                  const pid_t spared = leave_a_sleeper(lasting);
                  const pid_t left = leave_a_sleeper(ending);
                  (void)ending.wait();
                  const bool right = spared > 0 && left > 0 && is_there(spared) && !is_there(left);
                  (void)lasting.terminate(milliseconds(0));
                  return right && !is_there(spared);
              }),
              0);
}

}  // namespace
}  // namespace kaname::run::orphans_test
