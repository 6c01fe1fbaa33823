// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
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

/// Gets a line now and then, for people.
using Say = std::function<void(const std::string&)>;

struct BackupOptions {
    std::string conninfo;
    std::filesystem::path artifacts_folder;  ///< of the servers of that database
    std::filesystem::path pg_dump;           ///< path or name; of the database's version or newer
    std::filesystem::path folder;            ///< to make; its parent is there
    Artifacts artifacts = Artifacts::Copy;
    std::string version, host;
    Say say;
};

/// A backup of one moment: the database as one snapshot has it, and every file that it refers to;
/// meanwhile no sweep removes files, and servers work on. The folder has its name once all of it is
/// on disk. Copied files are checked against their hashes; what is missing or damaged is said and
/// listed, and no reason to fail. Throws Conflict when the folder is there, or another backup is
/// being made, InvalidArgument for links across file systems.
Manifest make_backup(const BackupOptions& options);

struct RestoreOptions {
    std::filesystem::path folder;            ///< of the backup
    std::string conninfo;                    ///< of an empty database
    std::filesystem::path artifacts_folder;  ///< empty or absent; of a manifest: with the files
    std::filesystem::path pg_restore;
    Say say;
};

/// The files first, each checked, then the database in one transaction. Throws Conflict when there
/// is something in the way, DataLoss naming files of the backup that are missing or damaged, and
/// nothing is in the database then.
void restore_backup(const RestoreOptions& options, const Manifest& manifest);

/// Throws Conflict when the backup has a migration that this version does not know.
void check_schema(const Manifest& manifest);

}  // namespace kaname::backup
