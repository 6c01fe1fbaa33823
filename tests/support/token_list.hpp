// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "server/auth/tokens.hpp"
#include "server/store/access_store.hpp"
#include "solvers/base/checksums.hpp"

namespace kaname::auth {

/// Tokens without a store.
class TokenList final : public Tokens {
public:
    /// Makes a token, keeps its hash and returns it. A principal of that name gets it in place of
    /// the old one.
    std::string issue(const std::string& name, Role role) {
        std::erase_if(entries_, [&](const ListedToken& entry) { return entry.name == name; });
        const std::string token = random_token();
        entries_.push_back({name, role, sha256_hex(token)});
        return token;
    }
    /// Writes the file that read_token_file() reads.
    void write(const std::filesystem::path& file) const {
        std::ofstream out(file);
        std::filesystem::permissions(
            file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        for (const ListedToken& entry : entries_) {
            out << to_string(entry.role) << ' ' << entry.name << ' ' << entry.sha256 << '\n';
        }
    }
    [[nodiscard]] std::optional<Principal> find(std::string_view token) const override {
        const std::string hash = sha256_hex(token);
        for (const ListedToken& entry : entries_) {
            if (entry.sha256 == hash) {
                return Principal{entry.name, entry.role, store::token_id_of(hash)};
            }
        }
        return std::nullopt;
    }

private:
    std::vector<ListedToken> entries_;
};

}  // namespace kaname::auth
