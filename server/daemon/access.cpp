// SPDX-License-Identifier: BSD-3-Clause
#include "server/daemon/access.hpp"

#include <nlohmann/json.hpp>

#include "server/daemon/private_file.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/files.hpp"

namespace kaname::daemon {
namespace {

namespace fs = std::filesystem;

nlohmann::json read_client_file(const fs::path& state) {
    return nlohmann::json::parse(read_file_if_any(state / "client.json"), nullptr, false);
}

std::string text_of(const nlohmann::json& object, const char* key) {
    return object.is_object() && object.contains(key) && object[key].is_string()
               ? object[key].get<std::string>()
               : std::string();
}

bool is_accepted(const auth::Tokens& tokens, const std::string& token, auth::Role role) {
    const auto principal = tokens.find(token);
    return principal && principal->role == role;
}

}  // namespace

Access prepare_access(const fs::path& state) {
    const fs::path file = state / "tokens";
    Access access{fs::exists(file) ? auth::Tokens::read(file) : auth::Tokens(),
                  text_of(read_client_file(state), "token"), state / "worker.token"};
    if (!is_accepted(access.tokens, access.cli_token, auth::Role::Admin)) {
        access.cli_token = access.tokens.issue("cli", auth::Role::Admin);
    }
    std::string worker_token = read_file_if_any(access.worker_token);
    worker_token = worker_token.substr(0, worker_token.find('\n'));
    if (!is_accepted(access.tokens, worker_token, auth::Role::Worker)) {
        worker_token = access.tokens.issue("agent", auth::Role::Worker);
    }
    write_private(access.worker_token, worker_token + "\n");
    access.tokens.write(file);
    return access;
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
    write_private(state / "client.json", content.dump() + "\n");
}

std::string listen_where_it_was(const std::string& listen, const fs::path& state) {
    const Address wanted = parse_address("--listen", listen);
    const auto file = read_client_file(state);
    // Versions before the socket had the port in "address".
    std::string recorded = text_of(file, "listen");
    if (recorded.empty() && !text_of(file, "address").starts_with("unix:")) {
        recorded = text_of(file, "address");
    }
    return wanted.port != 0 || recorded.empty()
               ? listen
               : wanted.host + ":" + std::to_string(parse_address("client.json", recorded).port);
}

std::string local_address(const std::string& listen, int port) {
    const std::string host = parse_address("--listen", listen).host;
    const std::string reached = host == "0.0.0.0" ? "127.0.0.1" : host == "[::]" ? "[::1]" : host;
    return reached + ":" + std::to_string(port);
}

}  // namespace kaname::daemon
