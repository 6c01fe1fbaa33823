// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "server/grpc/api_server.hpp"
#include "server/helpers/compute_process.hpp"
#include "server/run/program/options.hpp"
#include "server/web/http/server.hpp"
#include "server/web/pages/site.hpp"

namespace kaname::assembly {

using Log = std::function<void(const std::string&)>;

/// Describes the program that runs a server: its version, the name of its machine and its log.
struct Program {
    std::string version, host;
    Log log;
};

/// The certificates that the options name, or those that `--tls` makes in the state folder, as PEM
/// texts of `api`. Throws InvalidArgument, NotFound.
void add_certificates(service::ApiOptions& api, const program::Options& options,
                      const std::filesystem::path& state);

/// gRPC where it was at the last start (`with.listen`), else on any port that `otherwise` allows.
/// Throws Unavailable.
[[nodiscard]] std::unique_ptr<rpc::ApiServer> open_api(service::ApiOptions with,
                                                       const std::string& otherwise,
                                                       const service::Backends& backends,
                                                       const Log& log);

/// Opens the metrics alone, at `--metrics`, whose port 0 is that of the last start, else any free
/// one; null: nowhere. `api` outlives it. Throws Unavailable.
[[nodiscard]] std::unique_ptr<http::Server> open_metrics(const program::Options& options,
                                                         const std::filesystem::path& state,
                                                         rpc::ApiServer& api, const Log& log);

/// The page and what it needs, where `--http` says, else on the port of the last start, else on any
/// free one; null: nowhere. Throws Unavailable.
[[nodiscard]] std::unique_ptr<pages::Site> open_site(
    const program::Options& options, const service::ApiOptions& with,
    const std::filesystem::path& state, rpc::ApiServer& api, const service::Backends& backends,
    helpers::Describer& describer, const Program& program);

/// Ends the server of a state folder and what a crashed one left running; says whether there was
/// anything. Returns the exit code.
int stop(const program::Options& options);

/// For agents, to end a pack's processes and give the tasks back.
inline constexpr std::chrono::seconds kAgentGrace{30};
/// Nothing in a shutdown takes so long; whatever hangs is ended, and the next start adopts the
/// rest.
inline constexpr unsigned kShutdownLimit_s = 150;

/// Signals that end the server; blocked in all threads, taken by the main one alone.
[[nodiscard]] sigset_t ending_signals();

/// Makes the objects, connects them, and runs until a signal, which ending_signals() must have
/// blocked in this thread before. Returns the exit code; throws what keeps a server from starting.
int serve(const program::Options& options, const Program& program);

}  // namespace kaname::assembly
