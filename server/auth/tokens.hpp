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

struct Principal {
    std::string name;
    Role role = Role::Viewer;
};

/// The tokens that a server accepts, kept as SHA-256 only: one line "<role> <name> <sha256>" each.
class Tokens {
public:
    /// Throws InvalidArgument naming the bad line, NotFound.
    [[nodiscard]] static Tokens read(const std::filesystem::path& file);
    /// Makes a random token of 256 bits, stores its hash and returns the token, which is not kept.
    /// A principal of that name gets a new token in place of the old one.
    std::string issue(const std::string& name, Role role);
    /// Atomic, mode 0600.
    void write(const std::filesystem::path& file) const;

    [[nodiscard]] std::optional<Principal> find(std::string_view token) const;

private:
    struct Entry {
        Principal principal;
        std::string sha256;
    };
    std::vector<Entry> entries_;
};

}  // namespace kaname::auth
