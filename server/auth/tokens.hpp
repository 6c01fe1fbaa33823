// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kaname::auth {

/// A viewer reads, a user submits and cancels too, an operator drains workers too, an admin may do
/// all that. A worker may call the Workers service and nothing else.
enum class Role { Viewer, User, Operator, Admin, Worker };

[[nodiscard]] std::string_view to_string(Role role);
/// True when `role` may do what `needed` may do.
[[nodiscard]] bool allows(Role role, Role needed);

/// Nothing for a text that names none.
[[nodiscard]] std::optional<Role> role_named(std::string_view name);

/// 256 random bits as text. Only its SHA-256 is kept anywhere.
[[nodiscard]] std::string random_token();

/// Who calls. What people own belongs to their name, what workers do to the token itself.
struct Principal {
    std::string name;
    Role role = Role::Viewer;
    std::string token_id = {};
};

/// The tokens that a server accepts. Safe from any thread.
class Tokens {
public:
    virtual ~Tokens() = default;

    /// Throws Unavailable when nobody can tell.
    [[nodiscard]] virtual std::optional<Principal> find(std::string_view token) const = 0;
    /// Tokens were made or revoked here: the next look sees them.
    virtual void changed() const {}
};

/// A line "<role> <name> <sha256>" of the file of tokens that servers of earlier versions kept.
struct ListedToken {
    std::string name;
    Role role = Role::Viewer;
    std::string sha256;
};
/// Throws InvalidArgument naming the bad line, NotFound.
[[nodiscard]] std::vector<ListedToken> read_token_file(const std::filesystem::path& file);

}  // namespace kaname::auth
