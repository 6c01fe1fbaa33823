// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "server/store/types.hpp"

namespace kaname::store {

/// A file to which nothing refers.
struct LooseFile {
    std::string sha256;
    double age_s = 0;     ///< since that was noted
    bool result = false;  ///< of a content key: who wants the same again gets it at once
};

/// A file that may go when nothing has referred to it for so long.
struct Removable {
    std::string sha256;
    double least_s = 0;
};

/// For how long history is kept.
struct History {
    double ended_s = 30 * 86400.0;     ///< attempts, ended tasks, lost workers, faults of GPUs
    double audit_s = 400 * 86400.0;    ///< what was changed
    double refusals_s = 90 * 86400.0;  ///< what was refused
};

/// Keeps which files are in use and since when others are not. A job refers to its specification,
/// the files that it names and its results, as do tasks that outlive it. A worker refers to its
/// uploads for two days. Throws Unavailable as Store does.
class RetentionStore {
public:
    virtual ~RetentionStore() = default;

    /// Returns those of `files` to which nothing refers, in the order of their hashes, and notes
    /// since when. A file that is referred to meanwhile begins anew.
    virtual std::vector<LooseFile> note_loose_files(std::span<const std::string> files) = 0;
    /// Forgets those to which nothing has referred for as long as each says, with the results of
    /// content keys that they are, and returns their hashes. `remove` is called for each, while
    /// nobody can come to refer to it, and says whether it is gone; it calls nothing of the store,
    /// what it throws goes through. Files that somebody is about to name are left out.
    using TakeFile = std::function<bool(const std::string& sha256)>;
    virtual std::vector<std::string> forget_files(std::span<const Removable> files,
                                                  const TakeFile& remove) = 0;
    /// Files that lie among the checkpoints: those of which the store knows nothing go with the
    /// next call of forget_checkpoints.
    virtual void adopt_checkpoints(std::span<const std::string> files) = 0;
    /// Returns true if the caller is to remove old data: no server has begun to within
    /// `interval_s`.
    [[nodiscard]] virtual bool begin_upkeep(double interval_s) = 0;
    /// Removes what is older, at most `limit` (>= 1) rows of a kind; how many in all. 0: nothing is
    /// left to remove.
    virtual std::int64_t prune(const History& history, int limit) = 0;
};

}  // namespace kaname::store
