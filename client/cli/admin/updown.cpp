// SPDX-License-Identifier: BSD-3-Clause
// up, down: the server of this machine.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <thread>

#include "client/cli/admin/server_options.hpp"
#include "client/cli/common/commands.hpp"
#include "client/cli/common/progress.hpp"
#include "client/cli/common/service.hpp"
#include "client/cli/common/text.hpp"
#include "client/cli/local/run_folder.hpp"
#include "client/lib/calls.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/machine.hpp"
#include "solvers/base/user_folders.hpp"
#include "worker/run/detached.hpp"
#include "worker/run/exit_code.hpp"
#include "worker/run/process.hpp"
#include "worker/run/process_id.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

struct DownOptions {
    std::string state;
    bool workers = false;
};

constexpr std::chrono::seconds kStartLimit{120};
constexpr std::size_t kTail = 3000;
constexpr const char* kOwnPage = "127.0.0.1:0";

std::string absolute_if_said(const std::string& file) {
    return file.empty() ? file : fs::absolute(file).string();
}

bool has_password(std::string conninfo) {
    return run::hide_password(conninfo.data());
}

std::vector<std::string> server_arguments(const UpOptions& options, const fs::path& state) {
    std::vector<std::string> argv = {server_program().string(), "--state", state.string()};
    const bool configured = !options.config.empty();  // what is not said, its file may say
    if (configured) {
        argv.insert(argv.end(), {"--config", fs::absolute(options.config).string()});
    }
    if (options.database.empty()) {
        if (!configured) {
            argv.emplace_back("--embedded");
        }
    } else if (!has_password(options.database)) {  // else in the environment
        argv.insert(argv.end(), {"--database", options.database});
    }
    if (!options.listen.empty()) {
        argv.insert(argv.end(), {"--listen", options.listen});
    }
    for (const auto& [name, value] :
         {std::pair("--tls", options.tls),
          std::pair("--tls-cert", absolute_if_said(options.tls_cert)),
          std::pair("--tls-key", absolute_if_said(options.tls_key)),
          std::pair("--tls-client-ca", absolute_if_said(options.tls_client_ca))}) {
        if (!value.empty()) {
            argv.insert(argv.end(), {name, value});
        }
    }
    if (!options.artifacts.empty()) {
        argv.insert(argv.end(), {"--artifacts", fs::absolute(options.artifacts).string()});
    }
    // A server of this machine alone has a page; who configures one says whether it has.
    const std::string http = options.http == kNone                 ? ""
                             : options.http.empty() && !configured ? kOwnPage
                                                                   : options.http;
    for (const auto& [name, value] :
         {std::pair("--metrics", options.metrics), std::pair("--http", http)}) {
        if (!value.empty()) {
            argv.insert(argv.end(), {name, value});
        }
    }
    if (configured) {
        const auto add_if_said = [&](const char* name, const auto& value, const auto& text) {
            if (value) {
                argv.insert(argv.end(), {name, text(*value)});
            }
        };
        const auto whole = [](int value) { return std::to_string(value); };
        add_if_said("--workers", options.workers, whole);
        add_if_said("--ranks", options.ranks, whole);
        add_if_said("--threads", options.threads, whole);
        add_if_said("--device", options.device, [](const std::string& word) { return word; });
        add_if_said("--lease-s", options.lease_s, format_number);
        return argv;
    }
    const int ranks = options.ranks.value_or(1);
    argv.insert(argv.end(), {"--workers", std::to_string(options.workers.value_or(1)), "--ranks",
                             std::to_string(ranks), "--threads",
                             std::to_string(threads_of(options.threads, ranks)), "--device",
                             options.device.value_or("auto"), "--lease-s",
                             format_number(options.lease_s.value_or(30))});
    return argv;
}

/// The server of this state folder, when it answers; whatever server KANAME_SERVER names.
std::unique_ptr<client::Client> running_server(const fs::path& state) {
    const auto endpoint = client::recorded_endpoint(state);
    if (!endpoint) {
        return nullptr;
    }
    try {
        auto client = std::make_unique<client::Client>(*endpoint, interruptible());
        return client->serving() ? std::move(client) : nullptr;
    } catch (const Error&) {
        return nullptr;
    }
}

/// Commands look to these before the state folder; typed in front, it lets them be.
std::string without_variables() {
    std::string unset;
    for (const char* name : {"KANAME_SERVER", "KANAME_TOKEN"}) {
        const char* value = std::getenv(name);
        unset += value != nullptr && *value != '\0' ? std::string(" -u ") + name : "";
    }
    return unset.empty() ? "" : "env" + unset + " ";
}

/// Returns the lines that colleagues on other machines type; empty where the server listens to
/// nobody else.
std::string for_colleagues(const fs::path& state, const UpOptions& options,
                           const std::function<std::string(const char*)>& typed) {
    std::string listen = client::recorded_listen(state);
    if (listen.empty()) {
        return "";
    }
    if (const std::size_t colon = listen.rfind(':');
        listen.starts_with("0.0.0.0:") || listen.starts_with("[::]:")) {
        listen = host_name() + listen.substr(colon);
    }
    const fs::path certificate = state / "tls" / "certificate.pem";
    std::string text = "others:  make a token for each, " + typed("token make NAME --role user") +
                       ", and send it with these lines\n"
                       "           export KANAME_SERVER=" +
                       listen + "\n";
    if (fs::exists(certificate)) {
        text += "           export KANAME_CA=certificate.pem  # a copy of " + certificate.string() +
                "\n";
    }
    text +=
        "           export KANAME_TOKEN=...\n"
        "           kaname list\n";
    if (!options.metrics.empty() && options.metrics != "none") {
        text += "metrics: http://" + options.metrics + "/metrics\n";
    }
    return text;
}

void print_running(const client::Client& client, const UpOptions& options, const fs::path& state,
                   bool was_running, const Context& context) {
    const std::string page = client::recorded_page(state).url;
    if (context.json) {
        nlohmann::json said{{"address", client.endpoint().address},
                            {"state", state.string()},
                            {"was_running", was_running}};
        if (!page.empty()) {
            said["page"] = page;
        }
        print_json(said);
        return;
    }
    const auto typed = [&](const char* command) {
        return to_type(context, {"", "", options.state}, command);
    };
    std::cout << "kaname is " << (was_running ? "already " : "") << "running at "
              << client.endpoint().address << ", state in " << state.string() << "\n"
              << "use it:  " << without_variables() << typed("submit FILE --wait") << "\n"
              << "         " << without_variables() << typed("list") << "\n"
              << (page.empty()
                      ? ""
                      : "look:    " + without_variables() + typed("page") + "  (" + page + ")\n")
              << for_colleagues(state, options, typed) << "stop it: " << typed("down") << "\n";
}

/// Returns true if server.lock names a running server of the state folder, though it may not answer
/// yet.
bool has_server(const fs::path& state) {
    const auto holder = run::parse_process_id(read_file_if_any(state / "server.lock"));
    return holder && run::is_running(*holder);
}

/// Returns the options that the server of the state folder runs with, or the last one ran with.
RunningServer recorded_server(const fs::path& state) {
    return {state,
            nlohmann::json::parse(read_file_if_any(state / "options.json"), nullptr,
                                  /*allow_exceptions=*/false),
            client::recorded_listen(state)};
}

/// Throws Conflict, naming each difference, where the running server is not what was asked for.
void check_same(const UpOptions& asked, const fs::path& state, const Context& context) {
    const RunningServer running = recorded_server(state);
    const std::string found = differences(asked, running);
    if (found.empty()) {
        return;
    }
    const ServiceOptions place{"", "", asked.state};
    const std::string merged = merged_options(asked, running);
    throw Error(
        ErrorCode::Conflict,
        "the server of " + state.string() + " is already running, with other options:" + found +
            "\nto keep it as it is, leave them out; to change them:\n  " +
            to_type(context, place, "down") + " && " + to_type(context, place, "up" + merged) +
            (merged.find(kHidden) == std::string::npos
                 ? ""
                 : std::string("\nwith the database's password in place of ") + kHidden));
}

void check_options(const UpOptions& options) {
    check_listening({options.listen, options.metrics, options.tls, options.tls_cert,
                     options.tls_key, options.tls_client_ca, options.insecure,
                     options.http == kNone ? "" : options.http});
    warn_of_more_threads_than_cores("--workers x --ranks x --threads",
                                    static_cast<long long>(options.workers.value_or(1)) *
                                        options.ranks.value_or(1) *
                                        std::max(1, options.threads.value_or(0)));
}

/// Sees to it that the state folder can be used. Throws naming --state.
void prepare_state(const fs::path& state) {
    try {
        make_private_folder(state);
    } catch (const Error& error) {
        throw Error(error.code(), "--state: must be a folder that can be made and used, got '" +
                                      state.string() + "': " + error.what());
    }
    check_state_folder(fs::weakly_canonical(state));
}

int up_command(const UpOptions& asked, const Context& context) {
    const fs::path state = client::state_folder(asked.state);
    if (const auto client = running_server(state)) {
        check_options(with_last_options(asked, recorded_server(state)));
        check_same(asked, state, context);
        print_running(*client, asked, state, true, context);
        return run::kExitOk;
    }
    const fs::path log = state / "server.log";
    const RunningServer last = recorded_server(state);
    const UpOptions options = with_last_options(asked, last);
    check_options(options);
    prepare_state(state);
    if (const std::string as_before = merged_options(asked, last); !as_before.empty()) {
        std::cerr << "with the options of the last server and those said now:" << as_before << "\n";
    }
    const std::size_t log_before = read_file_if_any(log).size();
    run::DetachedOptions how;
    how.argv = server_arguments(options, state);
    if (has_password(options.database)) {
        how.env["KANAME_DATABASE"] = options.database;
    }
    how.log = log;
    const run::ProcessId server = run::start_detached(how);
    ProgressView view(std::cerr, terminal_columns());
    const auto start = std::chrono::steady_clock::now();
    while (true) {
        if (const auto client = running_server(state)) {
            view.end_line();
            // Somebody else may have started one at the same time.
            check_same(asked, state, context);
            print_running(*client, options, state, false, context);
            return run::kExitOk;
        }
        const double waited =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        std::string said = read_file_if_any(log);
        said.erase(0, said.size() < log_before ? 0 : log_before);  // a long one begins anew
        // One that somebody else starts at the same time keeps the folder, and this one ends.
        const bool starting = run::is_running(server) || has_server(state);
        if (!starting || std::chrono::steady_clock::now() - start > kStartLimit) {
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
        std::this_thread::sleep_for(kServerPoll);
        throw_if_interrupted();
    }
}

int down_command(const DownOptions& options, const Context& context) {
    const fs::path state = client::state_folder(options.state);
    run::SpawnOptions how;
    how.argv = {server_program().string(), "stop", "--state", state.string()};
    if (options.workers) {
        how.argv.emplace_back("--workers");
    }
    run::Process server(how);
    std::string last;
    while (server.read_lines(kServerPoll, [&](run::Source, std::string_view line) {
        last = line;
        if (!context.json) {
            std::cout << line << std::endl;
        }
    })) {
    }
    const run::ExitStatus status = server.wait();
    if (!status.ok()) {
        throw Error(run::error_of_exit(status.code),
                    "kaname-server stop ended with " + status.text() + ": " + last);
    }
    if (context.json) {
        print_json({{"stopped", state.string()}});
    }
    return run::kExitOk;
}

}  // namespace

void add_updown(Command& app, Context& context) {
    const auto up = std::make_shared<UpOptions>();
    Command& starting = add_command<UpOptions>(
        app, context, "up",
        "Start the server of this machine, unless it runs. Options that are left out are those "
        "of the last server of its state folder; none takes one back",
        up, up_command);
    starting.add_options({
        {"--state", &up->state, "Folder for its database, results and logs"},
        {"--config", &up->config,
         "YAML file with these options and pools of Slurm; what is said here wins"},
        {"--workers",
         &up->workers,
         "Workers at most on this machine; 0: none; default 1",
         {.check = kNotNegative}},
        {"--ranks", &up->ranks, "MPI ranks of a worker; default 1", {.check = between(1, 4096)}},
        {"--threads",
         &up->threads,
         "Threads of each rank; 0, the default: OMP_NUM_THREADS, else the cores",
         {.check = kNotNegative}},
        {"--device",
         &up->device,
         "Where workers solve: auto (the default), cpu or cuda",
         {.check = one_of("auto|cpu|cuda")}},
        {"--database",
         &up->database,
         "An external PostgreSQL (libpq connection string) in place of its own; with a "
         "password better in the variable",
         {.variable = "KANAME_DATABASE"}},
        {"--artifacts", &up->artifacts,
         "Folder of files and results that servers of one database share"},
        {"--listen", &up->listen,
         "host:port for other machines, beside the socket in the state folder; "
         "default: none"},
        {"--tls",
         &up->tls,
         "self-signed: encrypt --listen with a certificate made here, which "
         "client.json then holds",
         {.check = one_of("self-signed|none")}},
        {"--tls-cert", &up->tls_cert, "PEM file: a certificate for --listen"},
        {"--tls-key", &up->tls_key, "PEM file: its key"},
        {"--tls-client-ca", &up->tls_client_ca,
         "PEM file: who vouches for the certificates that callers must show"},
        {"--insecure", &up->insecure, "", {.group = ""}},  // refused, with advice
        {"--metrics", &up->metrics, "host:port of a page for Prometheus; default: none"},
        {"--http", &up->http,
         "host:port of the page and of JSON over HTTP, or none; default: any free "
         "port of 127.0.0.1, with --config what that says"},
        {"--lease-s",
         &up->lease_s,
         "Silence [s] after which a worker counts as lost; default 30",
         {.check = between(2.0, 3600.0)}},
    });
    const auto down = std::make_shared<DownOptions>();
    Command& stopping = add_command<DownOptions>(
        app, context, "down", "Stop the server, its workers and its database", down, down_command);
    stopping.add_options({{"--state", &down->state, "Its state folder"},
                          {"--workers", &down->workers,
                           "Also its jobs in Slurm, which wait for the next server else"}});
}

}  // namespace kaname::cli
