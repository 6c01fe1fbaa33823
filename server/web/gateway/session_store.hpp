// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace kaname::gateway {

struct SessionStoreOptions {
    double lifetime_s = 0;
    /// With more of an owner that owner's first to end goes; with more in all that of the owner who
    /// has most.
    std::size_t most = 0, most_of_owner = 0;
    std::filesystem::path file = {};     ///< where they outlive the program; empty: nowhere
    std::function<double()> clock = {};  ///< Unix time; empty: the system's
};

/// Texts that are kept for whoever has the key of one, which is made here and not kept: a text is
/// encrypted with its key (AES-256-GCM), and found by the key's hash. Safe from any thread.
class SessionStore {
public:
    /// Reads what the file has; what is no line of it is passed over.
    explicit SessionStore(SessionStoreOptions options);

    struct Kept {
        std::string key;
        double until_s = 0;  ///< Unix time
    };
    [[nodiscard]] Kept keep(const std::string& text, const std::string& owner);
    struct Found {
        std::string text;
        double until_s = 0;
    };
    /// Nothing for a key that is none, or whose time is over.
    [[nodiscard]] std::optional<Found> find(const std::string& key);
    /// Removes the text and returns true if it was there. When several callers remove it at once,
    /// one of them gets true.
    bool drop(const std::string& key);

private:
    struct Entry {
        std::string encrypted;  ///< hexadecimal: text and tag
        double until_s = 0;
        std::string owner = {};  ///< the beginning of the SHA-256 of its name
    };
    void drop_old();
    void drop_first_of(const std::string& owner);
    void write() const;

    SessionStoreOptions options_;
    std::mutex mutex_;
    std::map<std::string, Entry> entries_;  ///< by the key's SHA-256
};

}  // namespace kaname::gateway
