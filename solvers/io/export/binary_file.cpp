// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/io/export/binary_file.hpp"

#include <cerrno>
#include <cstdio>

#include <fcntl.h>
#include <unistd.h>

#include "solvers/base/error.hpp"

namespace kaname::io {
namespace {

constexpr std::size_t kBuffer = 1U << 20U;

[[noreturn]] void fail(const std::string& path) {
    throw Error(ErrorCode::Unavailable, path + ": cannot be written: " + std::strerror(errno));
}

}  // namespace

BinaryFile::BinaryFile(std::string path)
    : path_(std::move(path)),
      part_(path_ + ".part"),
      fd_(::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
    if (!fd_.open()) {
        fail(path_);
    }
    buffer_.reserve(kBuffer);
}

BinaryFile::~BinaryFile() {
    if (!done_) {
        ::unlink(part_.c_str());
    }
}

void BinaryFile::text(std::string_view bytes) {
    if (buffer_.size() + bytes.size() > kBuffer) {
        flush();
    }
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
}

void BinaryFile::flush() {
    for (std::size_t at = 0; at < buffer_.size();) {
        const ssize_t written = ::write(fd_.get(), buffer_.data() + at, buffer_.size() - at);
        if (written < 0 && errno != EINTR) {
            fail(path_);
        }
        at += static_cast<std::size_t>(written < 0 ? 0 : written);
    }
    buffer_.clear();
}

void BinaryFile::commit() {
    flush();
    if (::fsync(fd_.get()) != 0 || std::rename(part_.c_str(), path_.c_str()) != 0) {
        fail(path_);
    }
    done_ = true;
}

}  // namespace kaname::io
