// SPDX-License-Identifier: BSD-3-Clause
#include "server/assembly/stop.hpp"

#include <csignal>
#include <iostream>

#include "server/assembly/serve.hpp"
#include "server/daemon/state_folder.hpp"
#include "server/embedded/postmaster.hpp"
#include "server/embedded/state_lock.hpp"
#include "server/launcher/local/local_launcher.hpp"
#include "server/program/slurm_pools.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/spawn.hpp"

namespace kaname::assembly {
namespace fs = std::filesystem;
using std::chrono::seconds;

int stop(const program::Options& options) {
    const fs::path state = daemon::state_folder(options.state);
    bool any = false;
    const fs::path told = state / program::kStopWorkers;
    if (options.stop_workers) {
        write_file(told, "");
    }
    if (const auto server = embedded::StateLock::holder(state)) {
        any = run::send_signal(*server, SIGTERM);
        if (!run::wait_until_gone(*server, seconds(kShutdownLimit_s))) {
            run::send_signal(*server, SIGKILL);
            run::wait_until_gone(*server, seconds(10));
        }
    }
    any |= !launcher::LocalLauncher::running_in(state / "agents").empty();
    launcher::LocalLauncher::stop_all_in(state / "agents", kAgentGrace);
    any |= embedded::stop_orphan(state);
    std::error_code ignored;
    if (fs::remove(told, ignored)) {  // no server was there to see it
        constexpr double kCommand_s = 60;
        any |= launcher::Dispatches::cancel_marked_in(state / program::kSlurmMarks, kCommand_s) > 0;
    }
    fs::remove(state / "server.pid", ignored);
    std::cout << (any ? "stopped\n" : "nothing was running\n");
    return run::kExitOk;
}

}  // namespace kaname::assembly
