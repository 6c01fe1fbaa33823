// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/gateway/session_store.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <sstream>

#include <openssl/evp.h>

#include "server/auth/tokens.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::gateway {
namespace {

constexpr std::size_t kTag = 16, kNonce = 12, kKey = 32;
constexpr std::size_t kOwner = 16;  ///< digits
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

double now_of_system() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::string to_hex(const std::string& bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        text += {kDigits[value >> 4U], kDigits[value & 15U]};
    }
    return text;
}

std::string from_hex(const std::string& text) {
    std::string bytes;
    for (std::size_t k = 0; k + 1 < text.size(); k += 2) {
        bytes += static_cast<char>(std::stoi(text.substr(k, 2), nullptr, 16));
    }
    return bytes;
}

/// The key of the cipher. It cannot be had from the hash by which an entry is found.
std::string cipher_key(const std::string& key) {
    return from_hex(sha256_hex("kaname sealed by " + key)).substr(0, kKey);
}

const unsigned char* bytes_of(const std::string& text) {
    return reinterpret_cast<const unsigned char*>(text.data());
}
unsigned char* bytes_of(std::string& text) {
    return reinterpret_cast<unsigned char*>(text.data());
}

/// Each key encrypts one text only, so that the nonce may always be the same.
std::string seal(const std::string& key, const std::string& text) {
    const Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    const std::string secret = cipher_key(key), nonce(kNonce, '\0');
    std::string encrypted(text.size() + kTag, '\0');
    int size = 0, rest = 0;
    if (cipher == nullptr ||
        EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(secret),
                           bytes_of(nonce)) != 1 ||
        EVP_EncryptUpdate(cipher.get(), bytes_of(encrypted), &size, bytes_of(text),
                          static_cast<int>(text.size())) != 1 ||
        EVP_EncryptFinal_ex(cipher.get(), bytes_of(encrypted) + size, &rest) != 1 ||
        EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, kTag,
                            bytes_of(encrypted) + text.size()) != 1) {
        throw Error(ErrorCode::Internal, "OpenSSL cannot encrypt with AES-256-GCM");
    }
    return to_hex(encrypted);
}

std::optional<std::string> open(const std::string& key, const std::string& hex) {
    std::string encrypted = from_hex(hex);
    if (encrypted.size() < kTag) {
        return std::nullopt;
    }
    const Cipher cipher(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    const std::string secret = cipher_key(key), nonce(kNonce, '\0');
    std::string text(encrypted.size() - kTag, '\0');
    int size = 0, rest = 0;
    if (cipher == nullptr ||
        EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes_of(secret),
                           bytes_of(nonce)) != 1 ||
        EVP_DecryptUpdate(cipher.get(), bytes_of(text), &size, bytes_of(encrypted),
                          static_cast<int>(text.size())) != 1 ||
        EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, kTag,
                            bytes_of(encrypted) + text.size()) != 1 ||
        EVP_DecryptFinal_ex(cipher.get(), bytes_of(text) + size, &rest) != 1) {
        return std::nullopt;
    }
    return text;
}

bool is_hex(const std::string& text) {
    return text.size() % 2 == 0 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

SessionStore::SessionStore(SessionStoreOptions options) : options_(std::move(options)) {
    if (!options_.clock) {
        options_.clock = now_of_system;
    }
    std::istringstream lines(options_.file.empty() ? "" : read_file_if_any(options_.file));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream fields(line);
        std::string hash;
        Entry entry;
        if (fields >> hash >> entry.encrypted >> entry.until_s && hash.size() == 64 &&
            is_hex(hash) && is_hex(entry.encrypted)) {
            fields >> entry.owner;  // a line of an earlier version has none
            entries_[hash] = entry;
        }
    }
    drop_old();
}

void SessionStore::drop_first_of(const std::string& owner) {
    auto first = entries_.end();
    for (auto at = entries_.begin(); at != entries_.end(); ++at) {
        if (at->second.owner == owner &&
            (first == entries_.end() || at->second.until_s < first->second.until_s)) {
            first = at;
        }
    }
    entries_.erase(first);
}

void SessionStore::drop_old() {
    const double now_s = options_.clock();
    std::erase_if(entries_, [&](const auto& entry) { return entry.second.until_s <= now_s; });
    std::map<std::string, std::size_t> counts;
    for (const auto& [hash, entry] : entries_) {
        ++counts[entry.owner];
    }
    for (auto& [owner, count] : counts) {
        for (; count > options_.most_of_owner; --count) {
            drop_first_of(owner);
        }
    }
    while (entries_.size() > options_.most) {
        const auto most =
            std::ranges::max_element(counts, {}, [](const auto& owner) { return owner.second; });
        drop_first_of(most->first);
        --most->second;
    }
}

/// Losing the file costs logins alone: what cannot be written is kept in memory only.
void SessionStore::write() const {
    if (options_.file.empty()) {
        return;
    }
    std::ostringstream text;
    text.precision(15);
    for (const auto& [hash, entry] : entries_) {
        text << hash << ' ' << entry.encrypted << ' ' << entry.until_s << ' ' << entry.owner
             << '\n';
    }
    try {
        write_file(options_.file, text.str());
    } catch (const Error&) {
    }
}

SessionStore::Kept SessionStore::keep(const std::string& text, const std::string& owner) {
    const std::string key = auth::random_token();
    const Entry entry{seal(key, text), options_.clock() + options_.lifetime_s,
                      sha256_hex(owner).substr(0, kOwner)};
    const std::lock_guard lock(mutex_);
    entries_[sha256_hex(key)] = entry;
    drop_old();
    write();
    return {key, entry.until_s};
}

std::optional<SessionStore::Found> SessionStore::find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(sha256_hex(key));
    if (found == entries_.end() || found->second.until_s <= options_.clock()) {
        return std::nullopt;
    }
    auto text = open(key, found->second.encrypted);
    return text ? std::optional(Found{std::move(*text), found->second.until_s}) : std::nullopt;
}

bool SessionStore::drop(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const bool was_there = entries_.erase(sha256_hex(key)) > 0;
    if (was_there) {
        write();
    }
    return was_there;
}

}  // namespace kaname::gateway
