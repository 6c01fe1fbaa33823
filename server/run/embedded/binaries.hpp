// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "worker/run/process_id.hpp"

namespace kaname::embedded {

/// One installation of PostgreSQL's server programs.
struct Binaries {
    std::filesystem::path folder;  ///< has initdb and postgres
    int major = 0;                 ///< 15 for 15.4

    [[nodiscard]] std::filesystem::path initdb() const { return folder / "initdb"; }
    [[nodiscard]] std::filesystem::path postgres() const { return folder / "postgres"; }
};

/// Major version of a cluster's data folder; nothing when there is no cluster in it.
[[nodiscard]] std::optional<int> recorded_major(const std::filesystem::path& data);

/// The installation in `folder`; when that is empty, of those in PATH and in the usual places the
/// one that made the cluster in `data`, or the newest when there is no cluster yet. Throws NotFound
/// when there is none, NotReady with instructions when the cluster needs another version.
[[nodiscard]] Binaries find_binaries(const std::filesystem::path& folder,
                                     const std::filesystem::path& data);

/// Name of the network file system with this number (statfs::f_type); nothing for others.
[[nodiscard]] std::optional<std::string_view> network_filesystem(long type);

/// Throws InvalidArgument when the existing folder is on a network file system: PostgreSQL's files
/// and locks are not safe there. Those that come through FUSE (sshfs) are not recognised.
void require_local_disk(const std::filesystem::path& folder);

/// The user that PostgreSQL runs as. PostgreSQL refuses root, so root needs another: `wanted`, else
/// the owner of `data` when that exists, else "postgres". Anybody else is that user himself. Throws
/// InvalidArgument for root, nobody, a user that is not to be had, or another than the owner of
/// `data`; NotFound for one that the system does not know.
[[nodiscard]] run::User choose_db_user(const std::string& wanted,
                                       const std::filesystem::path& data);

/// Throws InvalidArgument naming the first of the folders above `folder`, or itself, that the user
/// may not enter. All its parents must exist.
void require_reachable(const std::filesystem::path& folder, const run::User& user);

}  // namespace kaname::embedded
