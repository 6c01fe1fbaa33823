// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "server/store/access_store.hpp"

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

struct StoredTokensOptions {
    double fresh_s = 2;                  ///< age at which the next look reads the store again
    double stale_s = 5;                  ///< beyond it nothing is believed any more
    int early_looks = 10;                ///< a second, for tokens that nobody knows: one may be new
    std::function<double()> clock = {};  ///< seconds, never going back; empty: a steady clock
};

/// The tokens of a store, which many servers may share. All that are good are kept in memory: a
/// token is looked up without a query, known within fresh_s of being made anywhere, and no longer
/// good within stale_s of being revoked. When the store does not answer for so long, nobody can be
/// told from anybody: Unavailable.
class StoredTokens final : public Tokens {
public:
    /// `store` outlives this.
    explicit StoredTokens(store::AccessStore& store, StoredTokensOptions options = {});

    [[nodiscard]] std::optional<Principal> find(std::string_view token) const override;
    void changed() const override;

private:
    struct Entry {
        Principal principal;
        std::optional<double> until_s;
    };
    using Entries = std::map<std::string, Entry>;  ///< by hash

    void read_again() const;
    [[nodiscard]] bool may_look_early(double now_s) const;

    store::AccessStore& store_;
    StoredTokensOptions options_;
    mutable std::mutex reading_;  ///< one reader of the store; taken before the other
    mutable std::mutex mutex_;
    mutable Entries entries_;
    mutable std::optional<double> read_at_s_;
    mutable std::set<std::string> used_;  ///< since they were last told to the store
    mutable double told_at_s_ = 0;
    mutable double second_begun_s_ = 0;
    mutable int n_early_ = 0;
};

}  // namespace kaname::auth
