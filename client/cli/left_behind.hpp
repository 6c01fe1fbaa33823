// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

namespace kaname::cli {

/// What an interrupted run of one specification finds in its folder when it ends, for people.
class LeftBehind {
public:
    /// Before the run touches its folder. `content_hash`: of the specification.
    LeftBehind(std::filesystem::path output, std::string content_hash);

    /// What is kept, and `resume`, the command that goes on from it; or that the next run begins
    /// anew.
    [[nodiscard]] std::string text(const std::string& resume) const;

private:
    [[nodiscard]] bool counts(const std::filesystem::path& file) const;

    std::filesystem::path output_;
    std::string content_hash_;
    /// Files before it are another specification's.
    std::filesystem::file_time_type since_;
};

}  // namespace kaname::cli
