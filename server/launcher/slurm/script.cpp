// SPDX-License-Identifier: BSD-3-Clause
#include "server/launcher/slurm/script.hpp"

#include <algorithm>
#include <cmath>

namespace kaname::launcher {
namespace {

std::string whole(double seconds) {
    return std::to_string(static_cast<long>(std::max(1.0, std::floor(seconds))));
}

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) {
        all += (all.empty() ? "" : ",") + word;
    }
    return all;
}

}  // namespace

std::string quoted(const std::string& text) {
    std::string word = "'";
    for (const char letter : text) {
        word += letter == '\'' ? "'\\''" : std::string(1, letter);
    }
    return word + "'";
}

std::string worker_script(const SlurmSite& site, const SlurmPool& pool, const WorkerIdentity& who) {
    std::string script = "#!/bin/bash\n";
    const auto line = [&](const std::string& text) { script += text + "\n"; };
    line("# A worker of Kaname.");
    line("umask 077");
    if (!pool.setup.empty()) {
        line(". " + quoted(pool.setup.string()) + " || exit 78");
    }
    line("parent=" + (pool.scratch.empty() ? "${TMPDIR:-/tmp}" : quoted(pool.scratch.string())));
    // A requeued job is another incarnation, with a folder of its own.
    line("scratch=\"$parent\"/" + quoted(who.job) + "-\"${SLURM_RESTART_COUNT:-0}\"");
    line("rm -rf -- \"$scratch\"");
    line("mkdir -- \"$scratch\" || exit 73");
    line("agent=");
    line("trap 'rm -rf -- \"$scratch\"' EXIT");
    line("trap '[ -n \"$agent\" ] && kill -TERM \"$agent\" 2> /dev/null' TERM INT");
    // printf is the shell's own: its words are on no command line.
    line("printf '%s\\n' " + quoted(who.token) + " > \"$scratch/token\" || exit 73");
    std::string ca;
    if (!site.ca.empty()) {
        line("printf '%s\\n' " + quoted(site.ca) + " > \"$scratch/ca.pem\" || exit 73");
        ca = " --ca \"$scratch/ca.pem\"";
    }
    if (!site.certificate.empty()) {
        ca +=
            " --cert " + quoted(site.certificate.string()) + " --key " + quoted(site.key.string());
    }
    line(quoted(site.agent.string()) + " --server " + quoted(site.server) + ca +
         " --token-file \"$scratch/token\" --work \"$scratch/work\" --name " + quoted(who.agent) +
         " --pools " + quoted(joined(pool.serves)) + " --ranks " + std::to_string(pool.ranks) +
         " --threads " + std::to_string(pool.threads) + " --launch " + quoted(pool.launch) +
         " --device " + quoted(pool.device) + " --idle-exit-s " + whole(pool.idle_exit_s) +
         " --leave-after-s " + whole(pool.time_limit_s - pool.leave_before_s) + " --no-server-s " +
         whole(site.no_server_s) + " &");
    line("agent=$!");
    // A trapped signal ends a wait, not the worker.
    line("while :; do");
    line("    wait \"$agent\"; code=$?");
    line("    kill -0 \"$agent\" 2> /dev/null || break");
    line("done");
    line("printf '%s\\n' \"$code\" 2> /dev/null > " +
         quoted((site.folder / (who.job + ".exit")).string()));
    line("exit \"$code\"");
    return script;
}

}  // namespace kaname::launcher
