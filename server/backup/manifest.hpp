// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace kaname::backup {

/// Tells whether a backup copies the artifacts, links them (one file system) or only lists them.
enum class Artifacts { Copy, Link, Manifest };
[[nodiscard]] std::string_view to_string(Artifacts artifacts);

/// A file of the artifact store.
struct File {
    enum class State { Kept, Unreferenced, Missing, Damaged };
    std::string sha256;
    std::int64_t bytes = 0;
    State state = State::Kept;
};

/// Describes a backup. Its folder holds:
///
///   manifest.json   what this says but its files
///   artifacts.tsv   a line per file: sha256, bytes, kept | unreferenced | missing | damaged
///   database.dump   of pg_dump, custom format
///   artifacts/      the kept files, laid out as a server's folder is; not with Artifacts::Manifest
///   SHA256SUMS      of the first three, for sha256sum --check
struct Manifest {
    std::string backup_id, made;  ///< UUID; time in UTC
    std::string version;          ///< of Kaname
    std::string postgres;         ///< of pg_dump
    std::vector<std::string> migrations;
    std::string store_id;  ///< of the artifact folder; empty: the database knows none
    Artifacts artifacts = Artifacts::Copy;
    std::vector<File> files;
};

inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kFiles = "artifacts.tsv";
inline constexpr const char* kDump = "database.dump";
inline constexpr const char* kSums = "SHA256SUMS";
inline constexpr const char* kArtifacts = "artifacts";

/// Writes all of it but the dump and the artifacts, and flushes it.
void write_manifest(const std::filesystem::path& folder, const Manifest& manifest);
/// Throws NotFound where there is no backup, DataLoss where a file is not what SHA256SUMS says.
[[nodiscard]] Manifest read_manifest(const std::filesystem::path& folder);

}  // namespace kaname::backup
