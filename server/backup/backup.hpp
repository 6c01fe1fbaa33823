// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "server/backup/manifest.hpp"

namespace kaname::backup {

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
