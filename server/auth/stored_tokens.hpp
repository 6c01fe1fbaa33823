// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "server/auth/tokens.hpp"
#include "server/store/access_store.hpp"

namespace kaname::auth {

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
