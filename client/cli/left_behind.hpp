// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace kaname::cli {

/// LeftBehind describes, for people, what an interrupted run of one specification leaves in its
/// folder.
class LeftBehind {
public:
    /// Must be made before the run touches its folder. `content_hash` is that of the specification.
    LeftBehind(std::filesystem::path output, std::string content_hash);

    /// Returns a sentence on what is kept, with `resume`, the command that goes on from it, or one
    /// that the next run begins anew.
    [[nodiscard]] std::string text(const std::string& resume) const;

private:
    [[nodiscard]] bool counts(const std::filesystem::path& file) const;

    std::filesystem::path output_;
    std::string content_hash_;
    /// Files before it are another specification's.
    std::filesystem::file_time_type since_;
};

}  // namespace kaname::cli
