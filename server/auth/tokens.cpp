// SPDX-License-Identifier: BSD-3-Clause
#include "server/auth/tokens.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

#include "server/store/access_store.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::auth {
namespace {

constexpr std::array kRoles = {Role::Viewer, Role::User, Role::Operator, Role::Admin, Role::Worker};

/// Takes the same time wherever the texts differ.
bool same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) {
        return false;
    }
    unsigned difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference |= static_cast<unsigned>(a[i] ^ b[i]);
    }
    return difference == 0;
}

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

TokenList TokenList::read(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) {
        throw Error(ErrorCode::NotFound, "token file " + file.string() + ": cannot be read");
    }
    TokenList tokens;
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
        tokens.entries_.push_back({{name, *known, store::token_id_of(hash)}, hash});
    }
    return tokens;
}

std::string TokenList::issue(const std::string& name, Role role) {
    if (name.empty() || name.find_first_of(" \t\r\n") != std::string::npos) {
        throw Error(ErrorCode::InvalidArgument,
                    "name must be one word without spaces, got \"" + name + '"');
    }
    std::erase_if(entries_, [&](const Entry& entry) { return entry.principal.name == name; });
    const std::string token = random_token();
    const std::string hash = sha256_hex(token);
    entries_.push_back({{name, role, store::token_id_of(hash)}, hash});
    return token;
}

void TokenList::write(const std::filesystem::path& file) const {
    std::string text;
    for (const Entry& entry : entries_) {
        text += std::string(to_string(entry.principal.role)) + ' ' + entry.principal.name + ' ' +
                entry.sha256 + '\n';
    }
    const std::string part = file.string() + ".part";
    const int fd = ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    const bool written =
        fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(fd) == 0;
    const int cause = errno;
    if (fd >= 0) {
        ::close(fd);
    }
    if (!written || ::rename(part.c_str(), file.c_str()) != 0) {
        throw Error(ErrorCode::Unavailable, file.string() + ": cannot be written: " +
                                                std::strerror(written ? errno : cause));
    }
}

std::optional<Principal> TokenList::find(std::string_view token) const {
    const std::string hash = sha256_hex(token);
    std::optional<Principal> found;
    for (const Entry& entry : entries_) {
        if (same(entry.sha256, hash)) {
            found = entry.principal;
        }
    }
    return found;
}

}  // namespace kaname::auth
