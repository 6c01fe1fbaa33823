// SPDX-License-Identifier: BSD-3-Clause
// up, down: the server of this machine.
#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>

#include "client/cli/commands.hpp"
#include "client/cli/format.hpp"
#include "client/cli/interrupt.hpp"
#include "client/cli/machine.hpp"
#include "client/cli/progress_view.hpp"
#include "client/cli/service.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/channel/exit_code.hpp"
#include "worker/process/detached.hpp"
#include "worker/process/process.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct UpOptions {
    std::string state, database, artifacts, listen, metrics;
    std::string device = "auto";
    int workers = 1, ranks = 1, threads = 0;
    double lease_s = 30;
    bool insecure = false;
};

struct DownOptions {
    std::string state;
};

constexpr std::chrono::seconds kStartLimit{120};
constexpr std::chrono::milliseconds kPoll{100};
constexpr std::size_t kTail = 3000;

fs::path server_program() {
    fs::path program = runner::beside_this_program("kaname-server");
    if (!fs::exists(program)) {
        throw Error(ErrorCode::NotFound, "program " + program.string() +
                                             ": not found; kaname-server must lie in the folder "
                                             "of kaname");
    }
    return program;
}

std::vector<std::string> server_arguments(const UpOptions& options, const fs::path& state) {
    std::vector<std::string> argv = {server_program().string(), "--state", state.string()};
    if (options.database.empty()) {
        argv.emplace_back("--embedded");
    } else {
        argv.insert(argv.end(), {"--database", options.database});
    }
    if (!options.listen.empty()) {
        argv.insert(argv.end(), {"--listen", options.listen});
        if (options.insecure) {
            argv.emplace_back("--insecure");
        }
    }
    if (!options.artifacts.empty()) {
        argv.insert(argv.end(), {"--artifacts", fs::absolute(options.artifacts).string()});
    }
    if (!options.metrics.empty()) {
        argv.insert(argv.end(), {"--metrics", options.metrics});
    }
    const int threads =
        options.threads > 0 ? options.threads : std::max(1, this_machine().cores / options.ranks);
    argv.insert(argv.end(),
                {"--workers", std::to_string(options.workers), "--ranks",
                 std::to_string(options.ranks), "--threads", std::to_string(threads), "--device",
                 options.device, "--lease-s", format_number(options.lease_s)});
    return argv;
}

/// The server of this state folder, when it answers.
std::unique_ptr<client::Client> running_server(const std::string& state) {
    try {
        auto client = open_client({"", "", state});
        return client->serving() ? std::move(client) : nullptr;
    } catch (const Error&) {
        return nullptr;
    }
}

void report(const client::Client& client, const fs::path& state, bool was_running,
            const Context& context) {
    if (context.json) {
        print_json({{"address", client.endpoint().address},
                    {"state", state.string()},
                    {"was_running", was_running}});
        return;
    }
    std::cout << "kaname is " << (was_running ? "already " : "") << "running at "
              << client.endpoint().address << ", state in " << state.string() << "\n"
              << "use it:  kaname submit FILE --wait; kaname list; kaname --help\n"
              << "stop it: kaname down\n";
}

int up_command(const UpOptions& options, const Context& context) {
    if (!options.listen.empty()) {
        check_exposure("--listen", options.listen, options.insecure);
    }
    if (!options.metrics.empty()) {
        (void)parse_address("--metrics", options.metrics);
    }
    warn_of_more_threads_than_cores(
        "--workers x --ranks x --threads",
        static_cast<long long>(options.workers) * options.ranks * std::max(1, options.threads));
    const fs::path state = client::state_folder(options.state);
    if (const auto client = running_server(state.string())) {
        report(*client, state, true, context);
        return channel::kExitOk;
    }
    const fs::path log = state / "server.log";
    fs::create_directories(state);
    fs::permissions(state, fs::perms::others_exec | fs::perms::group_exec, fs::perm_options::add);
    const std::size_t log_before = read_file_if_any(log).size();
    process::DetachedOptions how;
    how.argv = server_arguments(options, state);
    how.log = log;
    const process::ProcessId server = process::start_detached(how);
    ProgressView view(std::cerr, terminal_columns());
    const auto start = Clock::now();
    while (true) {
        if (const auto client = running_server(state.string())) {
            view.end_line();
            report(*client, state, false, context);
            return channel::kExitOk;
        }
        const double waited = std::chrono::duration<double>(Clock::now() - start).count();
        const std::string said = read_file_if_any(log).substr(log_before);
        if (!process::is_running(server) || Clock::now() - start > kStartLimit) {
            view.end_line();
            throw Error(ErrorCode::Unavailable,
                        "the server does not start; the end of " + log.string() + ":\n" +
                            said.substr(said.size() > kTail ? said.size() - kTail : 0));
        }
        // The last line of its log says what it is doing.
        const std::size_t end = said.find_last_not_of('\n');
        const std::size_t begin = end == std::string::npos ? 0 : said.rfind('\n', end) + 1;
        view.show({"start", std::min(0.99, waited / 5.0), std::nullopt,
                   end == std::string::npos ? "" : said.substr(begin, end - begin + 1)});
        std::this_thread::sleep_for(kPoll);
        throw_if_interrupted();
    }
}

int down_command(const DownOptions& options, const Context& context) {
    const fs::path state = client::state_folder(options.state);
    process::SpawnOptions how;
    how.argv = {server_program().string(), "stop", "--state", state.string()};
    process::Process server(how);
    std::string last;
    while (server.read_lines(kPoll, [&](process::Source, std::string_view line) {
        last = line;
        if (!context.json) {
            std::cout << line << std::endl;
        }
    })) {
    }
    const process::ExitStatus status = server.wait();
    if (!status.ok()) {
        throw Error(channel::error_of_exit(status.code),
                    "kaname-server stop ended with " + status.text() + ": " + last);
    }
    if (context.json) {
        print_json({{"stopped", state.string()}});
    }
    return channel::kExitOk;
}

}  // namespace

void add_updown(CLI::App& app, Context& context) {
    const auto up = std::make_shared<UpOptions>();
    CLI::App* command = add_command<UpOptions>(
        app, context, "up", "Start the server of this machine, unless it runs", up, up_command);
    command->add_option("--state", up->state, "Folder for its database, results and logs");
    command->add_option("--workers", up->workers, "Workers at most on this machine; 0: none")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--ranks", up->ranks, "MPI ranks of a worker")->check(CLI::Range(1, 4096));
    command->add_option("--threads", up->threads, "Threads of each rank; 0: the cores")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--device", up->device, "Where workers solve: auto, cpu or cuda")
        ->check(CLI::IsMember({"auto", "cpu", "cuda"}));
    command->add_option("--database", up->database,
                        "An external PostgreSQL (libpq connection string) in place of its own");
    command->add_option("--artifacts", up->artifacts,
                        "Folder of files and results that servers of one database share");
    command->add_option("--listen", up->listen, "host:port; default: a free port of 127.0.0.1");
    command->add_flag("--insecure", up->insecure,
                      "Listen where other machines reach it although nothing is encrypted");
    command->add_option("--metrics", up->metrics,
                        "host:port of a page for Prometheus; default: none");
    command->add_option("--lease-s", up->lease_s, "Silence after which a worker counts as lost")
        ->check(CLI::Range(2.0, 3600.0));
    const auto down = std::make_shared<DownOptions>();
    command = add_command<DownOptions>(
        app, context, "down", "Stop the server, its workers and its database", down, down_command);
    command->add_option("--state", down->state, "Its state folder");
}

}  // namespace kaname::cli
