// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace kaname::cli {

/// Takes an option back that the last server had, where it is said in place of a value.
inline constexpr const char* kNone = "none";

/// UpOptions holds the options of `up`; an option that was not given has no value.
struct UpOptions {
    std::string state, database, artifacts, listen, metrics;  ///< empty: not said
    std::string http;
    std::string tls, tls_cert, tls_key, tls_client_ca, config;
    std::optional<std::string> device;
    std::optional<int> workers, ranks, threads;
    std::optional<double> lease_s;
    bool insecure = false;
};

/// A server that runs.
struct RunningServer {
    std::filesystem::path state;
    nlohmann::json options;  ///< its options.json; null when there is none
    std::string listen;      ///< where it is reached over a network, with the port that it got
};

/// Threads of each rank that a server is started with.
[[nodiscard]] int threads_of(std::optional<int> asked, int ranks);

/// Where the options that were said differ from those of a running server, one line each with both
/// values; empty: nowhere.
[[nodiscard]] std::string differences(const UpOptions& asked, const RunningServer& running);

/// The options that the next server is started with: those that are said, and else those of the
/// last server, of which a configuration file is read anew. `kNone` is no value any more but for
/// the page, of which empty is the usual one.
[[nodiscard]] UpOptions with_last_options(const UpOptions& asked, const RunningServer& last);

/// The options of `up`, as a shell takes them, that give the running server's with those that were
/// said in their place. A database's password is kHidden.
[[nodiscard]] std::string merged_options(const UpOptions& asked, const RunningServer& running);

inline constexpr const char* kHidden = "***";

}  // namespace kaname::cli
