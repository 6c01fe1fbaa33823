// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/files.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include <fcntl.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/fd.hpp"

namespace kaname {
namespace {

[[noreturn]] void throw_io(const std::filesystem::path& path) {
    throw Error(ErrorCode::Unavailable,
                path.string() + ": cannot be written: " + std::strerror(errno));
}

}  // namespace

void write_file(const std::filesystem::path& path, const std::string& text) {
    const std::filesystem::path part = path.string() + ".part";
    Fd fd(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd.open()) {
        throw_io(path);
    }
    for (std::string_view rest = text; !rest.empty();) {
        const ssize_t written = ::write(fd.get(), rest.data(), rest.size());
        if (written < 0 && errno != EINTR) {
            throw_io(path);
        }
        rest.remove_prefix(static_cast<std::size_t>(written < 0 ? 0 : written));
    }
    if (::fsync(fd.get()) != 0 || ::rename(part.c_str(), path.c_str()) != 0) {
        throw_io(path);
    }
}

std::string read_file_if_any(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

namespace {

std::filesystem::path system_temporary_folder() {
    std::error_code failed;
    std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
    if (failed) {
        throw Error(ErrorCode::Unavailable, "TMPDIR must name a folder: " + failed.message());
    }
    return folder;
}

}  // namespace

TemporaryFolder::TemporaryFolder() : TemporaryFolder(system_temporary_folder()) {}

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent) {
    std::string name = (parent / "kaname-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw_io(parent);
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace kaname
