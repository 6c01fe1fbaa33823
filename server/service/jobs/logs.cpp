// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/jobs/logs.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include <fcntl.h>

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

void Spool::append(std::string_view piece) {
    if (!file_.open() && bytes_ + piece.size() <= kInMemory) {
        memory_ += piece;
    } else {
        if (!file_.open()) {
            std::error_code failed;
            std::filesystem::create_directories(folder_, failed);
            std::string name = (folder_ / "batch-XXXXXX").string();
            file_ = Fd(::mkostemp(name.data(), O_CLOEXEC));
            if (!file_.open()) {
                throw Error(ErrorCode::Exhausted,
                            folder_.string() + ": a batch cannot be kept: " + std::strerror(errno));
            }
            ::unlink(name.c_str());
            write(memory_);
            memory_ = {};
        }
        write(piece);
    }
    bytes_ += piece.size();
}

void Spool::write(std::string_view piece) {
    while (!piece.empty()) {
        const ssize_t n = ::write(file_.get(), piece.data(), piece.size());
        if (n < 0 && errno != EINTR) {
            throw Error(ErrorCode::Exhausted,
                        folder_.string() + ": a batch cannot be kept: " + std::strerror(errno));
        }
        piece.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
    }
}

std::string Spool::next(std::size_t n) {
    std::string text(n, '\0');
    std::size_t filled = 0;
    if (!file_.open()) {
        filled = memory_.copy(text.data(), n, read_);
    }
    while (file_.open() && filled < n) {
        const ssize_t got = ::pread(file_.get(), text.data() + filled, n - filled,
                                    static_cast<off_t>(read_ + filled));
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        filled += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    if (filled != n) {
        throw Error(ErrorCode::Internal, folder_.string() + ": a batch has fewer bytes than came");
    }
    read_ += n;
    return text;
}

}  // namespace kaname::service
