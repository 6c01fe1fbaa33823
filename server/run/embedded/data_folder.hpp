// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "server/run/embedded/binaries.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/process_id.hpp"

namespace kaname::embedded {

/// Role and database of the cluster; the role owns everything.
inline constexpr const char* kRole = "kaname";
inline constexpr const char* kDatabase = "postgres";

/// Changes that leave PostgreSQL's programs a clean environment: no PG* variable, no locale.
[[nodiscard]] std::map<std::string, std::optional<std::string>> clean_environment();

/// Makes the cluster's data folder when there is none; a crash leaves no half-made one, since it
/// gets its name last. Throws Unavailable with initdb's words, Conflict when `data` is something
/// else.
void make_data_folder(const std::filesystem::path& data, const Binaries& binaries,
                      const run::User& user);

/// Writes the settings and who may connect: over the socket only, as users root, `user` and the
/// server's own.
void write_settings(const std::filesystem::path& data, const std::filesystem::path& socket_folder,
                    const run::User& user);

/// Longest path of a Unix socket in bytes: sun_path less its final zero.
inline constexpr std::size_t kLongestSocketPath = 107;
inline constexpr int kSocketPort = 5432;  ///< part of the socket's name; there is no TCP port

/// The folder of a cluster's socket, made with mode 0700 for `user`: <state>/postgres-socket, or
/// when that is too long a folder named by a hash of the state's path in `runtime` (empty: /run for
/// root, else XDG_RUNTIME_DIR, else /tmp), which <state>/postgres-socket.path then records. Throws
/// Conflict when somebody else has that folder.
[[nodiscard]] std::filesystem::path make_socket_folder(const std::filesystem::path& state,
                                                       const std::filesystem::path& runtime,
                                                       const run::User& user);

/// One server per state folder: a lock on <state>/server.lock that the kernel frees when its holder
/// dies, however it dies. The file tells who holds it.
class StateLock {
public:
    /// Throws Conflict naming the holder's pid, Unavailable when the file cannot be opened.
    explicit StateLock(const std::filesystem::path& state);

    /// Who holds the folder's lock; nothing when it is free. Throws Unavailable.
    [[nodiscard]] static std::optional<run::ProcessId> holder(const std::filesystem::path& state);

private:
    Fd file_;
};

}  // namespace kaname::embedded
