// SPDX-License-Identifier: BSD-3-Clause
#include "server/backup/transfer.hpp"

#include <array>
#include <cstdio>
#include <limits>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::backup {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

artifacts::FilesystemStore open_files(const fs::path& folder) {
    artifacts::StoreOptions options;
    options.max_upload_bytes = std::numeric_limits<std::int64_t>::max();
    options.min_free_bytes = 0;
    return artifacts::FilesystemStore(folder, options);
}

bool copy_file(const artifacts::FilesystemStore& from, artifacts::FilesystemStore& to,
               const std::string& sha256) {
    const auto source = from.open(sha256);
    const auto target = to.begin_put(sha256, source->size());
    std::vector<std::byte> piece(kPiece);
    try {
        while (target->offset() < source->size()) {
            const std::size_t n = source->read(target->offset(), piece);
            target->write(target->offset(), std::span(piece).first(n));
        }
        target->commit();
    } catch (const Error& error) {
        if (error.code() == ErrorCode::InvalidArgument || error.code() == ErrorCode::DataLoss) {
            return false;
        }
        throw;
    }
    return true;
}

void link_file(const artifacts::FilesystemStore& from, const artifacts::FilesystemStore& to,
               const std::string& sha256) {
    const fs::path source = from.object_path(sha256), target = to.object_path(sha256);
    fs::create_directories(target.parent_path());
    std::error_code error;
    fs::create_hard_link(source, target, error);
    if (error == std::errc::cross_device_link) {
        throw Error(ErrorCode::InvalidArgument, "artifacts: links must stay on one file system, " +
                                                    source.string() +
                                                    " is on another than the backup; copy them");
    }
    if (error) {
        throw Error(ErrorCode::Unavailable,
                    "cannot link " + source.string() + ": " + error.message());
    }
}

std::string bytes_text(std::int64_t bytes) {
    constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < kUnits.size(); ++unit) {
        value /= 1000;
    }
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
    return text;
}

void Progress::tell() const {
    if (say_) {
        say_(what_ + ": " + std::to_string(n_) + " of " + std::to_string(files_) + " files, " +
             bytes_text(sum_) + " of " + bytes_text(bytes_));
    }
}

void Progress::done(std::int64_t bytes) {
    ++n_;
    sum_ += bytes;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ >= std::chrono::seconds(1)) {
        told_ = now;
        tell();
    }
}

void Progress::end() {
    tell();
}

}  // namespace kaname::backup
