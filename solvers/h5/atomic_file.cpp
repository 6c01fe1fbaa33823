// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/h5/file.hpp"

namespace kaname::h5 {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
    throw Error(ErrorCode::Unavailable, path + ": " + what + ": " + std::strerror(error));
}

void flush_to_disk(const std::string& path, int flags) {
    const int fd = ::open(path.c_str(), flags | O_CLOEXEC);
    if (fd < 0) {
        fail(path, "cannot open to flush", errno);
    }
    const int error = ::fsync(fd) == 0 ? 0 : errno;
    ::close(fd);
    // Some file systems have no fsync on folders; their rename is as durable as it gets.
    if (error != 0 && error != EINVAL) {
        fail(path, "cannot flush to disk", error);
    }
}

}  // namespace

AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)), part_(path_ + ".part"), file_(part_, File::Mode::Create) {}

AtomicFile::~AtomicFile() {
    if (!done_) {
        ::unlink(part_.c_str());
    }
}

void AtomicFile::commit() {
    file_.close();
    flush_to_disk(part_, O_RDONLY);
    if (std::rename(part_.c_str(), path_.c_str()) != 0) {
        fail(path_, "cannot be put in place", errno);
    }
    done_ = true;
    const std::string folder = std::filesystem::path(path_).parent_path().string();
    try {
        flush_to_disk(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
    } catch (const Error&) {
        ::unlink(path_.c_str());  // else whoever finds the name takes it for durable
        throw;
    }
}

void write_atomically(const std::string& path, const std::function<void(File&)>& fill) {
    AtomicFile atomic(path);
    fill(atomic.file());
    atomic.commit();
}

bool has_hdf5_signature(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw Error(ErrorCode::NotFound, path + ": no such file, or not readable");
    }
    constexpr std::array<char, 8> kSignature = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n'};
    std::array<char, 8> head = {};
    in.read(head.data(), head.size());
    return in.gcount() == 8 && head == kSignature;
}

}  // namespace kaname::h5
