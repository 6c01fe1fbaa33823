// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "server/http/pages.hpp"

namespace kaname::pages {

/// The built page of a folder: its files, in memory, so that no address leads anywhere else. They
/// are read again when index.html has changed. Safe from any thread.
class PageFolder {
public:
    static constexpr std::size_t kMostFiles = 500, kMostBytes = 64U << 20U;

    explicit PageFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    /// GET / and what lies below it, for everybody. Files below assets/ have their hash in their
    /// names. Where there is no index.html, / says where the page is looked for.
    [[nodiscard]] http::Page page();

private:
    struct File {
        std::string text, type, sha256;
        bool for_ever = false;
    };
    using Files = std::map<std::string, File>;  ///< by path below the folder

    [[nodiscard]] std::shared_ptr<const Files> files();
    [[nodiscard]] Files read() const;
    [[nodiscard]] http::Answer answer(const http::Request& request);

    const std::filesystem::path folder_;
    std::mutex mutex_;
    std::shared_ptr<const Files> files_;
    std::filesystem::file_time_type written_;  ///< of the index.html that was read
};

}  // namespace kaname::pages
