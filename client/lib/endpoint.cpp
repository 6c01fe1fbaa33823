// SPDX-License-Identifier: BSD-3-Clause
#include "client/lib/endpoint.hpp"

#include <fstream>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/status/channel.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/user_folders.hpp"

namespace kaname::client {
namespace fs = std::filesystem;

fs::path state_folder(const std::string& wanted) {
    const std::string named = wanted.empty() ? environment("KANAME_STATE") : wanted;
    if (!named.empty()) {
        return fs::absolute(named).lexically_normal();
    }
    if (const std::string folder = environment("XDG_STATE_HOME"); !folder.empty()) {
        return fs::path(folder) / "kaname";
    }
    if (::geteuid() == 0) {
        return "/var/lib/kaname";
    }
    const std::string home = environment("HOME");
    if (home.empty()) {
        throw Error(ErrorCode::InvalidArgument,
                    "--state must name a folder: neither KANAME_STATE nor HOME is set");
    }
    return fs::path(home) / ".local/state/kaname";
}

namespace {

constexpr std::string_view kUnix = "unix:";

/// client.json; null where there is none.
nlohmann::json recorded(const fs::path& state) {
    std::ifstream in(state / "client.json");
    return nlohmann::json::parse(in, nullptr, false);
}

std::string text_of(const nlohmann::json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Reads the certificates, which only TLS over a network needs.
void add_certificates(Endpoint& endpoint, const std::string& ca) {
    if (endpoint.address.starts_with(kUnix)) {
        endpoint.ca.clear();
        return;
    }
    const std::string file = ca.empty() ? environment("KANAME_CA") : ca;
    if (!file.empty()) {
        endpoint.ca = rpc::read_pem(ca.empty() ? "KANAME_CA" : "--ca", file);
    }
    endpoint.certificate = rpc::read_pem("KANAME_CERT", environment("KANAME_CERT"));
    endpoint.key = rpc::read_pem("KANAME_KEY", environment("KANAME_KEY"));
}

}  // namespace

std::optional<Endpoint> recorded_endpoint(const fs::path& state) {
    const fs::path file = state / "client.json";
    const nlohmann::json found = recorded(state);
    struct stat info {};
    if (!found.is_object() || ::stat(file.c_str(), &info) != 0) {
        return std::nullopt;
    }
    // Who writes this file says where tokens and data go. Root may use another user's.
    for (const fs::path& path : {fs::weakly_canonical(state), file}) {
        check_private(path, ::geteuid() == 0 ? std::optional(info.st_uid) : std::nullopt);
    }
    Endpoint endpoint{text_of(found, "address"), text_of(found, "token"), file.string()};
    endpoint.ca = endpoint.address.starts_with(kUnix) ? "" : text_of(found, "ca");
    endpoint.owner = info.st_uid;
    return endpoint;
}

std::string recorded_listen(const fs::path& state) {
    const nlohmann::json file = recorded(state);
    const std::string address = text_of(file, "address");
    const std::string listen = text_of(file, "listen");
    return listen.empty() && !address.starts_with(kUnix) ? address : listen;
}

Endpoint find_endpoint(const std::string& server, const std::string& token, const fs::path& state,
                       const std::string& ca) {
    Endpoint endpoint{server, token, "--server"};
    if (endpoint.address.empty()) {
        endpoint.address = environment("KANAME_SERVER");
        endpoint.origin = "KANAME_SERVER";
    }
    if (endpoint.token.empty()) {
        endpoint.token = environment("KANAME_TOKEN");
    }
    if (!endpoint.address.empty() && !endpoint.address.starts_with(kUnix)) {
        (void)parse_address(endpoint.origin, endpoint.address);
    }
    const std::optional<Endpoint> found = recorded_endpoint(state);
    const bool named = !endpoint.address.empty();
    if (!found && !named) {
        throw Error(ErrorCode::Unavailable,
                    "no server has been started here (" + (state / "client.json").string() +
                        " cannot be read); start one with `kaname up`, or name one with --server");
    }
    if (endpoint.token.empty() && !found) {
        throw Error(ErrorCode::Unauthenticated,
                    "no token for " + endpoint.address + ": give --token or KANAME_TOKEN");
    }
    if (endpoint.token.empty()) {
        endpoint.token = found->token;
    }
    if (!named) {
        endpoint.address = found->address;
        endpoint.origin = found->origin;
    }
    if (found) {
        endpoint.owner = found->owner;
        // The server of this state folder, at its address for other machines or the recorded one.
        const nlohmann::json file = recorded(state);
        if (endpoint.address == found->address || endpoint.address == text_of(file, "listen")) {
            endpoint.ca = text_of(file, "ca");
        }
    }
    add_certificates(endpoint, ca);
    return endpoint;
}

}  // namespace kaname::client
