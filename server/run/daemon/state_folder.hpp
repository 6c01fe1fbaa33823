// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kaname::daemon {

/// PEM texts.
struct KeyPair {
    std::string certificate, key;
};

/// The key and the certificate of a server without a certificate authority: <state>/tls/key.pem and
/// certificate.pem, mode 0600, made when they are not there, have ended at `now` or do not name
/// `host` (or this machine and its addresses, where `host` is all of them). Clients know the server
/// by that certificate itself. Throws Unavailable.
[[nodiscard]] KeyPair self_signed(const std::filesystem::path& state, const std::string& host,
                                  std::time_t now = std::time(nullptr));

/// The state folder: `wanted`, else KANAME_STATE, else $XDG_STATE_HOME/kaname, else
/// ~/.local/state/kaname; absolute and without links, so that every start names the same files
/// alike. Throws InvalidArgument when there is no HOME either.
[[nodiscard]] std::filesystem::path state_folder(const std::string& wanted);

/// Makes it, with mode 0700 whatever the umask, when there is none, and checks who owns it and what
/// is in it, and who may write there. Throws Unavailable, or PermissionDenied with path, owner and
/// mode.
void make_state_folder(const std::filesystem::path& state);

/// <state>/server.pid, there while the server runs.
class PidFile {
public:
    explicit PidFile(const std::filesystem::path& state);
    ~PidFile();
    PidFile(const PidFile&) = delete;
    PidFile& operator=(const PidFile&) = delete;

private:
    std::filesystem::path path_;
};

/// Holds the options that a server runs with, named as the options of `kaname up`.
struct RunningOptions {
    int workers = 1, ranks = 1, threads = 1;  ///< threads of each rank
    std::string device;
    double lease_s = 30;
    std::string database;  ///< empty: its own
    std::string artifacts, listen, metrics;
    std::string tls, tls_cert, tls_key, tls_client_ca;
    std::string config;  ///< file; empty: none
    std::string http;
    /// Options of the command line and its variables, "--listen": the others are the file's.
    std::vector<std::string> said = {};
};

/// <state>/options.json, by which `kaname up` tells whether a running server is the one that was
/// asked for, and starts the next one as the last one was. Readable by its owner alone: a
/// connection string may hold a password.
void write_running_options(const std::filesystem::path& state, const RunningOptions& options);

/// Returns the options of the last server of this folder; nothing where no server ran or the file
/// cannot be read.
[[nodiscard]] std::optional<RunningOptions> read_running_options(
    const std::filesystem::path& state);

/// write_file for secrets: mode 0600 before the file holds anything. Throws Unavailable.
void write_private(const std::filesystem::path& path, const std::string& text);

}  // namespace kaname::daemon
