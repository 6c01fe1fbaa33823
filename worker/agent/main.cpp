// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string_view>

#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/machine.hpp"
#include "solvers/base/user_folders.hpp"
#include "worker/agent/agent.hpp"
#include "worker/agent/lease/grpc_client.hpp"
#include "worker/command/command.hpp"
#include "worker/run/compute_runner.hpp"
#include "worker/run/confinement.hpp"
#include "worker/run/detached.hpp"
#include "worker/run/events.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/telemetry/nvml_telemetry.hpp"
#include "worker/telemetry/sampler.hpp"

namespace {

using namespace kaname;

// A signal handler can reach nothing but a global.
std::atomic<bool> g_stop = false;
std::atomic<int> g_look_again = -1;  // eventfd of the claim that waits

LogFormat g_format = LogFormat::Text;  // set once, before there are threads

void say(const std::string& text) {
    std::cerr << log_line(g_format, "kaname-agent", text) + "\n" << std::flush;
}

std::string read_token(const std::string& file) {
    std::ifstream in(file);
    std::string token;
    if (!(in >> token)) {
        throw Error(ErrorCode::NotFound, "token file '" + file + "' cannot be read or is empty");
    }
    return token;
}

/// Bounds of kaname-compute on requests and files that others wrote; says so.
void confine(agent::AgentOptions& options) {
    constexpr std::uint64_t kOfAThread = 256U << 20U;
    options.memory_bytes = static_cast<std::uint64_t>(this_machine().memory_bytes) +
                           kOfAThread * static_cast<std::uint64_t>(options.threads);
    run::Confinement confinement{run::needed_to_start(options.compute), {}};
    if (const std::filesystem::path cache = cache_folder(); !cache.empty()) {
        std::error_code ignored;  // measured speeds of this machine: without them it estimates
        std::filesystem::create_directories(cache / "speeds", ignored);
        confinement.write.push_back(cache / "speeds");
    }
    const std::string why = run::why_not_confined(options.compute, confinement);
    say(why.empty() ? "kaname-compute is confined to the files of its tasks"
                    : "kaname-compute is not confined: " + why);
    if (why.empty() || run::landlock_version() == 0) {  // which leaves all bounds but of files
        options.confinement = std::move(confinement);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == run::kConfined) {
        return run::become_confined_rank({argv + 2, argv + argc});
    }
    ::setenv("GRPC_VERBOSITY", "NONE", 0);  // its lines are repeated by errors of this program
    agent::AgentOptions options;
    rpc::Target server;
    std::string token_file, ca, certificate, key;
    std::string log_format = "text";
    int idle_exit_s = 0, hang_s = 600, no_server_s = 600, ranks = 1;
    unsigned leave_after_s = 0;
    std::string launch = "mpirun";
    double cache_gb = 8;
    options.version = KANAME_VERSION;
    options.pools = {"cpu", "solve"};
    using command::between;
    using command::kPositive;
    using command::kRequired;
    using command::one_of;
    command::Command program{.name = "kaname-agent",
                             .what = "Works on tasks of a Kaname server with kaname-compute.",
                             .footer = run::kExitCodesHelp,
                             .version = std::string("kaname-agent ") + KANAME_VERSION};
    program.add_options({
        {"--server", &server.address, "host:port or unix:/path", kRequired},
        {"--ca", &ca, "PEM file: who vouches for a server over TLS", {.variable = "KANAME_CA"}},
        {"--cert",
         &certificate,
         "PEM file: what this agent shows the server",
         {.variable = "KANAME_CERT"}},
        {"--key", &key, "PEM file: the key of --cert", {.variable = "KANAME_KEY"}},
        {"--token-file", &token_file, "File with a token of role worker", kRequired},
        {"--work", &options.work, "Folder of this agent alone", kRequired},
        {"--name", &options.name, "Shown in lists of workers"},
        {"--pools",
         &options.pools,
         "Pools whose tasks it claims; default: cpu,solve",
         {.delimiter = ','}},
        {"--ranks", &ranks, "MPI ranks", {.check = between(1, 4096)}},
        {"--launch",
         &launch,
         "What starts several ranks: mpirun or srun",
         {.check = one_of("mpirun|srun")}},
        {"--threads", &options.threads, "Threads of each rank", {.check = between(1, 4096)}},
        {"--device", &options.device, "auto, cpu or cuda", {.check = one_of("auto|cpu|cuda")}},
        {"--compute", &options.compute, "kaname-compute; default: beside this program"},
        {"--idle-exit-s", &idle_exit_s, "Leave after so long without work; 0: never"},
        {"--leave-after-s",
         &leave_after_s,
         "Give back what is held and leave so long after the start; 0: never",
         {.check = between(0, 1 << 30)}},
        {"--no-server-s",
         &no_server_s,
         "Leave after so long without a server that takes the token",
         {.check = kPositive}},
        {"--hang-s",
         &hang_s,
         "Silence after which a computation counts as hung",
         {.check = kPositive}},
        {"--cache-gb", &cache_gb, "Size of the cache of inputs and results", {.check = kPositive}},
        {"--log-format",
         &log_format,
         "text, or json: an object a line",
         {.check = one_of("text|json"), .variable = "KANAME_LOG_FORMAT"}},
    });
    try {
        (void)command::read(program, argc, argv);
    } catch (const command::Ended& ended) {
        return ended.print();
    }
    g_format = log_format == "json" ? LogFormat::Json : LogFormat::Text;
    options.idle_exit = std::chrono::seconds(idle_exit_s);
    options.leave_after = std::chrono::seconds(leave_after_s);
    options.hang = std::chrono::seconds(hang_s);
    options.no_server = std::chrono::seconds(no_server_s);
    options.ranks = {ranks, launch == "srun" ? run::RankStarter::Srun : run::RankStarter::Mpirun};
    options.cache_bytes = static_cast<std::uint64_t>(cache_gb * 1e9);
    options.work = std::filesystem::absolute(options.work);
    if (options.compute.empty()) {
        options.compute = run::beside_this_program("kaname-compute");
    }
    struct sigaction action {};
    action.sa_handler = [](int) {
        g_stop = true;
        Event::set(g_look_again);
    };
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM}) {
        ::sigaction(signal, &action, nullptr);
    }
    run::adopt_orphans();    // nothing that a task starts outlives it
    ::alarm(leave_after_s);  // the end of its time is a signal like the others
    try {
        std::optional<telemetry::Sampler> sampler;
        if (options.device != "cpu") {
            auto nvml = std::make_unique<telemetry::NvmlTelemetry>();
            if (nvml->absent().empty()) {
                sampler.emplace(std::move(nvml));
                options.gpu_readings = [&sampler] { return sampler->take(); };
            } else {
                say("no telemetry of GPUs: " + nvml->absent());
            }
        }
        if (!server.address.starts_with("unix:")) {
            server.ca = rpc::read_pem("--ca", ca);
            server.certificate = rpc::read_pem("--cert", certificate);
            server.key = rpc::read_pem("--key", key);
        }
        confine(options);
        agent::GrpcWorkersClient client(server, read_token(token_file));
        g_look_again = client.look_again_fd();
        agent::Agent agent(options, client, g_stop, say);
        agent.run();
        say("leaving");
        return run::kExitOk;
    } catch (const std::exception& error) {
        const run::Failure failure = run::describe(error);
        say("error: " + failure.message);
        return run::exit_code(failure.code);
    }
}
