// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/daemon/access.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "server/auth/tokens.hpp"
#include "server/run/daemon/state_folder.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/machine.hpp"
#include "solvers/base/user_folders.hpp"

namespace kaname::daemon {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCli = "cli";
constexpr const char* kAgent = "agent";

/// Servers that share a database each make tokens for themselves.
std::string place_of(const fs::path& state) {
    return host_name() + ':' + fs::weakly_canonical(state).string();
}

nlohmann::json read_client_file(const fs::path& state) {
    return nlohmann::json::parse(read_file_if_any(state / "client.json"), nullptr, false);
}

std::string json_text(const nlohmann::json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_string()
               ? object[key].get<std::string>()
               : std::string();
}

/// Makes the servers' own tokens and tells whether they are good.
class OwnTokens {
public:
    OwnTokens(store::AccessStore& store, std::string place)
        : store_(store), place_(std::move(place)) {}

    /// `token` when the store knows it or never heard of it, which is so where the database is
    /// another one; else a new one.
    std::string keep_or_make(const std::string& token, const std::string& name, auth::Role role) {
        if (!token.empty() && is_good(add(token, name, role), role)) {
            return token;
        }
        store_.revoke_tokens_of(name, place_);
        const std::string made = auth::random_token();
        (void)add(made, name, role);
        return made;
    }

private:
    store::Token add(const std::string& token, const std::string& name, auth::Role role) {
        return store_.add_token({.sha256 = sha256_hex(token),
                                 .name = name,
                                 .role = std::string(to_string(role)),
                                 .place = place_});
    }
    static bool is_good(const store::Token& token, auth::Role role) {
        return token.revoked_s == 0 && token.expires_s == 0 && token.role == to_string(role);
    }

    store::AccessStore& store_;
    std::string place_;
};

/// Adds the tokens of `file` to the store and renames the file. A token that the store has stays as
/// it is: a revoked one does not come back.
void take_over(const fs::path& file, const std::string& place, store::AccessStore& store,
               const std::function<void(const std::string&)>& log) {
    struct stat is {};
    if (::lstat(file.c_str(), &is) != 0) {
        return;
    }
    // Whoever writes this file makes himself an administrator.
    check_private(file);
    if (!S_ISREG(is.st_mode) || is.st_uid != ::geteuid() || (is.st_mode & 0077U) != 0) {
        char mode[16];
        std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(is.st_mode & 07777U));
        throw Error(ErrorCode::PermissionDenied, file.string() + ": must be a file of user " +
                                                     std::to_string(::geteuid()) +
                                                     " with mode 0600 to be taken over, got user " +
                                                     std::to_string(is.st_uid) + ", mode " + mode);
    }
    for (const auth::ListedToken& listed : auth::read_token_file(file)) {
        const bool own = (listed.name == kCli && listed.role == auth::Role::Admin) ||
                         (listed.name == kAgent && listed.role == auth::Role::Worker);
        const std::string role(to_string(listed.role));
        (void)store.add_token({.sha256 = listed.sha256,
                               .name = listed.name,
                               .role = role,
                               .place = own ? place : ""});
        const std::string id = store::token_id_of(listed.sha256);
        store.record({.principal = "server",
                      .role = std::string(to_string(auth::Role::Admin)),
                      .method = "TakeOverToken",
                      .resource = "tokens/" + id + ' ' + listed.name,
                      .outcome = "ok"});
        log("token " + id + " of " + listed.name + ", role " + role + ", is taken over from " +
            file.string());
    }
    fs::rename(file, file.string() + ".taken-over");
}

}  // namespace

Access prepare_access(const fs::path& state, store::AccessStore& store,
                      const std::function<void(const std::string&)>& log) {
    const std::string place = place_of(state);
    take_over(state / "tokens", place, store, log);
    OwnTokens own(store, place);
    Access access{
        own.keep_or_make(json_text(read_client_file(state), "token"), kCli, auth::Role::Admin),
        state / "worker.token"};
    std::string worker = read_file_if_any(access.worker_token);
    worker = own.keep_or_make(worker.substr(0, worker.find('\n')), kAgent, auth::Role::Worker);
    write_private(access.worker_token, worker + "\n");
    return access;
}

AgentTokens::AgentTokens(const fs::path& state, store::AccessStore& store)
    : store_(store), place_(place_of(state)) {}

std::string AgentTokens::make(const std::string& name) const {
    store_.revoke_tokens_of(name, place_);
    const std::string token = auth::random_token();
    (void)store_.add_token({.sha256 = sha256_hex(token),
                            .name = name,
                            .role = std::string(to_string(auth::Role::Worker)),
                            .place = place_,
                            .single = true});
    return token;
}

void AgentTokens::end(const std::string& name) const {
    store_.revoke_tokens_of(name, place_);
}

void AgentTokens::give(const std::string& name, const fs::path& file) const {
    write_private(file, make(name) + "\n");
}

void AgentTokens::take_back(const fs::path& file) const {
    store_.revoke_tokens_of(file.stem().string(), place_);
    fs::remove(file);
}

void write_client_file(const fs::path& state, const std::string& address, const std::string& token,
                       const NetworkPlace& network) {
    nlohmann::json content{{"address", address}, {"token", token}};
    if (!network.listen.empty()) {
        content["listen"] = network.listen;
    }
    if (!network.ca.empty()) {
        content["ca"] = network.ca;
    }
    if (!network.http.empty()) {
        content["http"] = network.http;
    }
    if (!network.metrics.empty()) {
        content["metrics"] = network.metrics;
    }
    write_private(state / "client.json", content.dump() + "\n");
}

std::string listen_where_it_was(const std::string& listen, const fs::path& state) {
    const Address wanted = parse_address("--listen", listen);
    const auto file = read_client_file(state);
    // Versions before the socket had the port in "address".
    std::string recorded = json_text(file, "listen");
    if (recorded.empty() && !json_text(file, "address").starts_with("unix:")) {
        recorded = json_text(file, "address");
    }
    return wanted.port != 0 || recorded.empty()
               ? listen
               : wanted.host + ":" + std::to_string(parse_address("client.json", recorded).port);
}

std::string http_where_it_was(const std::string& http, const fs::path& state) {
    const Address wanted = parse_address("--http", http);
    const std::string recorded = json_text(read_client_file(state), "http");
    const std::size_t colon = recorded.rfind(':');
    if (wanted.port != 0 || recorded.find("://") == std::string::npos) {
        return http;
    }
    return wanted.host + recorded.substr(colon);
}

std::string metrics_where_it_was(const std::string& metrics, const fs::path& state) {
    const Address wanted = parse_address("--metrics", metrics);
    const std::string recorded = json_text(read_client_file(state), "metrics");
    return wanted.port != 0 || recorded.empty()
               ? metrics
               : wanted.host + ":" + std::to_string(parse_address("client.json", recorded).port);
}

std::string local_address(const std::string& listen, int port) {
    std::string host = parse_address("--listen", listen).host;
    if (host == "0.0.0.0") {
        host = "127.0.0.1";
    } else if (host == "[::]") {
        host = "[::1]";
    }
    return host + ":" + std::to_string(port);
}

namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "kaname";

fs::path default_runtime() {
    if (::geteuid() == 0) {
        return "/run";
    }
    const char* own = std::getenv("XDG_RUNTIME_DIR");
    std::error_code ignored;
    return own != nullptr && fs::is_directory(own, ignored) ? own : "/tmp";
}

/// In /tmp anybody may have made it before.
void make_private(const fs::path& folder) {
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        throw Error(ErrorCode::Unavailable,
                    "socket folder " + folder.string() + ": " + std::strerror(errno));
    }
    struct stat info {};
    if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) ||
        info.st_uid != ::geteuid() || (info.st_mode & 0777) != 0700) {
        char mode[16];
        std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(info.st_mode & 07777U));
        throw Error(ErrorCode::PermissionDenied,
                    "socket folder " + folder.string() +
                        " must be a folder of this user with mode 0700, got user " +
                        std::to_string(info.st_uid) + ", mode " + mode + "; remove what is there");
    }
}

}  // namespace

fs::path make_api_socket(const fs::path& state, const fs::path& runtime, std::size_t longest) {
    fs::path folder = state / "socket";
    if ((folder / kName).native().size() > longest) {
        const std::string hash =
            sha256_hex(state.string() + "\napi\n" + std::to_string(::geteuid()));
        folder = (runtime.empty() ? default_runtime() : runtime) / ("kaname-" + hash.substr(0, 16));
    }
    if ((folder / kName).native().size() > longest) {
        throw Error(ErrorCode::InvalidArgument, "socket folder " + folder.string() +
                                                    ": its socket's path must have at most " +
                                                    std::to_string(longest) + " bytes");
    }
    make_private(folder);
    return folder / kName;
}

}  // namespace kaname::daemon
