// SPDX-License-Identifier: BSD-3-Clause
#include "server/launcher/slurm/pool.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace kaname::launcher {
namespace {

constexpr std::size_t kLongestName = 20, kLongestValue = 200;
constexpr double kMinute_s = 60, kLongest_s = 365 * 86400.0;

/// Lists the options of sbatch that a pool may set: they decide where and with what a job runs.
/// Options with which a job would run something else, as another user, elsewhere, or as another job
/// are missing: --wrap, --uid, --export, --chdir, --output, --job-name, --array, --signal,
/// --requeue. So are options that pools have keys for.
constexpr std::array<std::string_view, 21> kAllowed = {
    "--constraint",  "--contiguous",  "--cores-per-socket", "--cpus-per-gpu",
    "--exclude",     "--exclusive",   "--gpu-bind",         "--gpus",
    "--gres",        "--hint",        "--licenses",         "--mem-per-cpu",
    "--mem-per-gpu", "--nice",        "--nodelist",         "--ntasks-per-node",
    "--prefer",      "--reservation", "--switches",         "--tmp",
    "--wckey"};

bool is_plain(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') ||
           std::string_view("_.,:=@%/+*[]()&|-").find(letter) != std::string_view::npos;
}

bool is_plain(const std::string& text) {
    return text.size() <= kLongestValue &&
           std::ranges::all_of(text, [](char letter) { return is_plain(letter); });
}

bool is_name(const std::string& name) {
    return !name.empty() && name.size() <= kLongestName && name.front() != '-' &&
           std::ranges::all_of(name, [](char letter) {
               return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') ||
                      letter == '-';
           });
}

/// Slurm counts limits in minutes.
std::string minutes(double seconds) {
    return std::to_string(static_cast<long>(std::ceil(seconds / kMinute_s)));
}

class Findings {
public:
    explicit Findings(std::string path) : path_(std::move(path)) {}

    void unless(bool holds, const std::string& field, const std::string& rule) {
        if (!holds) {
            broken_.push_back({path_ + "." + field, rule});
        }
    }
    void in(double value, double low, double high, const std::string& field) {
        unless(value >= low && value <= high, field,
               "must be in " + shown(low) + ".." + shown(high) + ", got " + shown(value));
    }
    void one_of(const std::string& word, const std::vector<std::string>& known,
                const std::string& field) {
        std::string all;
        for (const std::string& one : known) {
            all += (all.empty() ? "" : " or ") + one;
        }
        unless(std::ranges::count(known, word) > 0, field,
               "must be " + all + ", got \"" + word + '"');
    }
    std::vector<Violation> take() { return std::move(broken_); }

private:
    static std::string shown(double value) {
        std::string text = std::to_string(value);
        text.erase(text.find_last_not_of('0') + 1);
        return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
    }

    std::string path_;
    std::vector<Violation> broken_;
};

void check_option(const std::string& option, const std::string& field, Findings& findings) {
    const std::string name = option.substr(0, option.find('='));
    if (std::ranges::find(kAllowed, name) == kAllowed.end()) {
        std::string all;
        for (const std::string_view allowed : kAllowed) {
            all += (all.empty() ? "" : ", ") + std::string(allowed);
        }
        findings.unless(false, field,
                        "must be one of sbatch's options " + all + ", got \"" + option + '"');
    } else {
        findings.unless(
            is_plain(option), field,
            "must be at most 200 letters, digits and _.,:=@%/+*[]()&|-, got \"" + option + '"');
    }
}

}  // namespace

std::vector<Violation> check_pool(const SlurmPool& pool, const std::string& path) {
    Findings findings(path);
    findings.unless(
        is_name(pool.name), "name",
        "must be 1..20 lower-case letters, digits and hyphens, got \"" + pool.name + '"');
    findings.unless(!pool.serves.empty(), "serves", "must name a pool of tasks: cpu, solve");
    for (std::size_t n = 0; n < pool.serves.size(); ++n) {
        findings.one_of(pool.serves[n], {"cpu", "solve"}, "serves[" + std::to_string(n) + "]");
    }
    for (const auto& [field, value] :
         {std::pair("partition", pool.partition), std::pair("account", pool.account),
          std::pair("qos", pool.qos)}) {
        findings.unless(
            is_plain(value), field,
            "must be at most 200 letters, digits and _.,:=@%/+*[]()&|-, got \"" + value + '"');
    }
    findings.in(pool.nodes, 1, 4096, "nodes");
    findings.in(pool.ranks, 1, 4096, "ranks");
    findings.in(pool.threads, 1, 4096, "threads");
    findings.in(pool.gpus_per_node, 0, 64, "gpus_per_node");
    findings.in(pool.memory_gb, 0, 1e6, "memory_gb");
    findings.in(pool.time_limit_s, kMinute_s, kLongest_s, "time_limit_s");
    findings.unless(pool.leave_before_s > 0 && pool.leave_before_s < pool.time_limit_s,
                    "leave_before_s",
                    "must be > 0 and less than time_limit_s, got " +
                        std::to_string(static_cast<long>(pool.leave_before_s)));
    findings.in(pool.max_workers, 0, 10000, "max_workers");
    findings.in(pool.idle_exit_s, 1, kLongest_s, "idle_exit_s");
    findings.one_of(pool.device, {"auto", "cpu", "cuda"}, "device");
    findings.one_of(pool.launch, {"mpirun", "srun"}, "launch");
    findings.unless(pool.ranks >= pool.nodes, "ranks",
                    "must be at least nodes = " + std::to_string(pool.nodes) + ", got " +
                        std::to_string(pool.ranks));
    if (pool.nodes > 1) {
        findings.unless(pool.serves == std::vector<std::string>{"solve"}, "serves",
                        "must be solve alone where nodes > 1: other tasks run on one node");
        findings.unless(!pool.scratch.empty(), "scratch",
                        "must be given where nodes > 1: a folder that all nodes of a job see");
    }
    findings.unless(pool.scratch.empty() || pool.scratch.is_absolute(), "scratch",
                    "must be an absolute path, got \"" + pool.scratch.string() + '"');
    findings.unless(pool.setup.empty() || pool.setup.is_absolute(), "setup",
                    "must be an absolute path, got \"" + pool.setup.string() + '"');
    for (std::size_t n = 0; n < pool.options.size(); ++n) {
        check_option(pool.options[n], "options[" + std::to_string(n) + "]", findings);
    }
    return findings.take();
}

std::vector<std::string> sbatch_options(const SlurmPool& pool) {
    // Two signs of the end: the worker's own clock, and this one behind it.
    const long signal_s = std::max(1L, static_cast<long>(pool.leave_before_s / 2));
    std::vector<std::string> argv = {"--export=NONE",
                                     "--no-requeue",
                                     "--nodes=" + std::to_string(pool.nodes),
                                     "--ntasks=" + std::to_string(pool.ranks),
                                     "--cpus-per-task=" + std::to_string(pool.threads),
                                     "--time=" + minutes(pool.time_limit_s),
                                     "--signal=B:TERM@" + std::to_string(signal_s),
                                     "--chdir=/"};
    const auto add = [&](const char* name, const std::string& value) {
        if (!value.empty()) {
            argv.push_back(name + ("=" + value));
        }
    };
    add("--partition", pool.partition);
    add("--account", pool.account);
    add("--qos", pool.qos);
    add("--gpus-per-node", pool.gpus_per_node > 0 ? std::to_string(pool.gpus_per_node) : "");
    add("--mem",
        pool.memory_gb > 0
            ? std::to_string(static_cast<long>(std::ceil(pool.memory_gb * 1e9 / 1048576))) + "M"
            : "");
    argv.insert(argv.end(), pool.options.begin(), pool.options.end());
    return argv;
}

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
