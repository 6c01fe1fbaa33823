// SPDX-License-Identifier: BSD-3-Clause
#include "server/auth/tokens.hpp"

#include <array>
#include <fstream>
#include <random>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::auth {
namespace {

constexpr std::array kRoles = {Role::Viewer, Role::User, Role::Operator, Role::Admin, Role::Worker};

}  // namespace

std::string_view to_string(Role role) {
    switch (role) {
        case Role::Viewer:
            return "viewer";
        case Role::User:
            return "user";
        case Role::Operator:
            return "operator";
        case Role::Admin:
            return "admin";
        case Role::Worker:
            return "worker";
    }
    return "viewer";
}

std::optional<Role> role_named(std::string_view name) {
    for (const Role role : kRoles) {
        if (to_string(role) == name) {
            return role;
        }
    }
    return std::nullopt;
}

std::string random_token() {
    std::random_device device;
    std::string token;
    for (int word = 0; word < 8; ++word) {
        char text[9];
        std::snprintf(text, sizeof text, "%08x", device());
        token += text;
    }
    return token;
}

bool allows(Role role, Role needed) {
    // The roles of people contain each other; a worker stands beside them.
    if (role == Role::Worker || needed == Role::Worker) {
        return role == needed;
    }
    return role >= needed;
}

std::vector<ListedToken> read_token_file(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) {
        throw Error(ErrorCode::NotFound, "token file " + file.string() + ": cannot be read");
    }
    std::vector<ListedToken> tokens;
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        std::istringstream fields(line);
        std::string role, name, hash, more;
        if (!(fields >> role)) {
            continue;
        }
        fields >> name >> hash;
        const auto known = role_named(role);
        if (!known || hash.size() != 64 || fields >> more) {
            throw Error(ErrorCode::InvalidArgument,
                        file.string() + ":" + std::to_string(number) +
                            ": must be \"<role> <name> <sha256>\", got \"" + line + '"');
        }
        tokens.push_back({name, *known, hash});
    }
    return tokens;
}

}  // namespace kaname::auth
