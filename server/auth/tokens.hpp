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

/// A fixed list, in the form of the file that servers before this version kept: only hashes, one
/// line "<role> <name> <sha256>" each.
class TokenList final : public Tokens {
public:
    /// Throws InvalidArgument naming the bad line, NotFound.
    [[nodiscard]] static TokenList read(const std::filesystem::path& file);
    /// Makes a random token of 256 bits, stores its hash and returns the token, which is not kept.
    /// A principal of that name gets a new token in place of the old one.
    std::string issue(const std::string& name, Role role);
    /// Atomic, mode 0600.
    void write(const std::filesystem::path& file) const;

    [[nodiscard]] std::optional<Principal> find(std::string_view token) const override;

    struct Entry {
        Principal principal;
        std::string sha256;
    };
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }

private:
    std::vector<Entry> entries_;
};

}  // namespace kaname::auth
