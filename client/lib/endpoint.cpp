// SPDX-License-Identifier: BSD-3-Clause
#include "client/lib/endpoint.hpp"

#include <fstream>

#include <nlohmann/json.hpp>
#include <unistd.h>

#include "solvers/base/address.hpp"
#include "solvers/base/environment.hpp"
#include "solvers/base/error.hpp"

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

std::optional<Endpoint> recorded_endpoint(const fs::path& state) {
    const fs::path file = state / "client.json";
    std::ifstream in(file);
    const nlohmann::json found = nlohmann::json::parse(in, nullptr, false);
    if (!found.is_object()) {
        return std::nullopt;
    }
    return Endpoint{found.value("address", ""), found.value("token", ""), file.string()};
}

Endpoint find_endpoint(const std::string& server, const std::string& token, const fs::path& state) {
    Endpoint endpoint{server, token, "--server"};
    if (endpoint.address.empty()) {
        endpoint.address = environment("KANAME_SERVER");
        endpoint.origin = "KANAME_SERVER";
    }
    if (endpoint.token.empty()) {
        endpoint.token = environment("KANAME_TOKEN");
    }
    if (!endpoint.address.empty()) {
        (void)parse_address(endpoint.origin, endpoint.address);
    }
    if (!endpoint.address.empty() && !endpoint.token.empty()) {
        return endpoint;
    }
    const std::optional<Endpoint> found = recorded_endpoint(state);
    if (!found) {
        if (!endpoint.address.empty()) {
            throw Error(ErrorCode::Unauthenticated,
                        "no token for " + endpoint.address + ": give --token or KANAME_TOKEN");
        }
        throw Error(ErrorCode::Unavailable,
                    "no server has been started here (" + (state / "client.json").string() +
                        " cannot be read); start one with `kaname up`, or name one with --server");
    }
    if (endpoint.address.empty()) {
        endpoint.address = found->address;
        endpoint.origin = found->origin;
    }
    if (endpoint.token.empty()) {
        endpoint.token = found->token;
    }
    return endpoint;
}

}  // namespace kaname::client
