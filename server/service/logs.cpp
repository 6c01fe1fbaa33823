// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/logs.hpp"

#include <fstream>

#include "solvers/base/error.hpp"

namespace kaname::service {
namespace fs = std::filesystem;

Logs::Logs(fs::path folder) : folder_(std::move(folder)) {
    std::error_code failed;
    fs::create_directories(folder_, failed);
    if (failed) {
        throw Error(ErrorCode::Unavailable,
                    "log folder " + folder_.string() + ": cannot be made: " + failed.message());
    }
}

void Logs::begin(const std::string& content_key) {
    constexpr std::size_t kMaxKnown = 100000;  // one that is forgotten counts from its beginning
    const std::lock_guard lock(mutex_);
    if (begun_at_.size() >= kMaxKnown) {
        begun_at_.clear();
    }
    std::error_code none;
    const auto size = fs::file_size(folder_ / (content_key + ".log"), none);
    begun_at_[content_key] = none ? 0 : size;
}

void Logs::append(const std::string& content_key, std::string_view text) {
    if (content_key.empty()) {
        return;
    }
    constexpr std::string_view kCut = "\n[the log is cut here]\n";
    const std::lock_guard lock(mutex_);
    const fs::path file = folder_ / (content_key + ".log");
    std::error_code none;
    const std::uint64_t size = fs::exists(file, none) ? fs::file_size(file, none) : 0;
    const auto begun = begun_at_.find(content_key);
    const std::uint64_t cap = kCapBytes + (begun == begun_at_.end() ? 0 : begun->second);
    if (size > cap) {
        return;
    }
    std::ofstream out(file, std::ios::binary | std::ios::app);
    const std::uint64_t room = cap - size;
    out << text.substr(0, room);
    if (text.size() > room) {
        out << kCut;
    }
}

std::string Logs::read(const std::string& content_key, std::uint64_t offset,
                       std::size_t limit) const {
    std::ifstream in(folder_ / (content_key + ".log"), std::ios::binary);
    std::string text(limit, '\0');
    if (!in.seekg(static_cast<std::streamoff>(offset))) {
        return "";
    }
    in.read(text.data(), static_cast<std::streamsize>(limit));
    text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
    return text;
}

}  // namespace kaname::service
