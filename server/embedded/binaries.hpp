// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>

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

}  // namespace kaname::embedded
