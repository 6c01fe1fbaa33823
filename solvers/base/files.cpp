// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/base/files.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "solvers/base/user_folders.hpp"

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

namespace {

struct Armed {
    std::string name;
    std::atomic<long> passes_left{0};

    Armed() {
        const std::string value = environment("KANAME_FAIL_POINT");
        const auto colon = value.find(':');
        name = value.substr(0, colon);
        passes_left =
            colon == std::string::npos ? 1 : std::strtol(value.c_str() + colon + 1, nullptr, 10);
    }
};

}  // namespace

void fail_point(std::string_view name) {
    static Armed armed;
    if (armed.name == name && --armed.passes_left == 0) {
        (void)std::raise(SIGKILL);
    }
}

namespace {

/// Moves a descriptor out of 0..2, where a child's dup2 would overwrite it (a parent may run with
/// closed standard streams).
Fd above_standard(Fd fd) {
    if (fd.get() > 2) {
        return fd;
    }
    return Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 3));
}

}  // namespace

Pipe make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(ErrorCode::Unavailable, std::string("pipe: ") + std::strerror(errno));
    }
    Pipe pipe{Fd(ends[0]), Fd(ends[1])};
    return {above_standard(std::move(pipe.read)), above_standard(std::move(pipe.write))};
}

Event::Event() : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!fd_.open()) {
        throw Error(ErrorCode::Unavailable, "eventfd failed: too many open files?");
    }
}

void Event::set(int fd) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t n = ::write(fd, &one, sizeof one);  // full: it is set
}

void Event::clear() const {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t n = ::read(fd(), &count, sizeof count);
}

}  // namespace kaname
