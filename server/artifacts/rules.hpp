// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "server/artifacts/artifact_store.hpp"

namespace kaname::artifacts {

/// The rules and messages that all implementations share; each check throws what ArtifactStore
/// documents.
void check_hash(const std::string& sha256);
void check_upload_size(const std::string& sha256, std::uint64_t bytes, const StoreOptions& options);
void check_same_size(const std::string& sha256, std::uint64_t stored, std::uint64_t declared);
/// `needed` bytes must leave the low watermark free; `place` is what the message calls the store.
void check_room(const std::string& place, std::uint64_t needed, std::uint64_t free,
                const StoreOptions& options);
void check_append(const std::string& sha256, std::uint64_t offset, std::uint64_t expected,
                  std::uint64_t count, std::uint64_t declared);
void check_complete(const std::string& sha256, std::uint64_t here, std::uint64_t declared);
void check_content(const std::string& sha256, const std::string& found);
void check_read_offset(const std::string& sha256, std::uint64_t offset, std::uint64_t size);
[[noreturn]] void throw_not_found(const std::string& sha256);
[[noreturn]] void throw_too_many_writers(const std::string& sha256);
[[noreturn]] void throw_spent(const std::string& sha256);

/// SHA-256 of what the artifact reads back, in pieces.
[[nodiscard]] std::string content_hash(const Artifact& artifact);

}  // namespace kaname::artifacts
