// SPDX-License-Identifier: BSD-3-Clause
#include "server/artifacts/filesystem/store_id.hpp"

#include <cerrno>
#include <span>
#include <vector>

#include <unistd.h>

#include "server/artifacts/filesystem/file.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/uuid.hpp"

namespace kaname::artifacts {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kUuidLength = 36;

/// Empty when there is no file.
std::string read_id(const fs::path& path) {
    const File file = File::open_to_read(path);
    if (!file.open()) {
        return "";
    }
    std::string text(kUuidLength + 2, '\0');  // a newline, and one more to see that it is too long
    text.resize(file.read(0, std::as_writable_bytes(std::span(text))));
    while (!text.empty() && text.back() == '\n') {
        text.pop_back();
    }
    if (text.size() != kUuidLength ||
        text.find_first_not_of("0123456789abcdef-") != std::string::npos) {
        throw Error(
            ErrorCode::DataLoss,
            path.string() + ": must hold the UUID of this artifact store, got \"" + text + '"');
    }
    return text;
}

/// Under a name of its own first: the file appears whole, and the first of several stays.
void make_id(const fs::path& path) {
    const std::string id = make_uuid();
    const fs::path mine = path.string() + "." + id;
    const File file = File::lock(mine, true);
    const std::string line = id + "\n";
    try {
        file.write(0, std::as_bytes(std::span(line)));
        file.seal();
    } catch (const Error&) {
        ::unlink(mine.c_str());
        throw;
    }
    const bool linked = ::link(mine.c_str(), path.c_str()) == 0 || errno == EEXIST;
    const int cause = errno;
    ::unlink(mine.c_str());
    if (!linked) {
        errno = cause;
        throw_errno("create", path);
    }
    try {
        sync_folder(path.parent_path());
    } catch (const Error&) {
        ::unlink(path.c_str());
        throw;
    }
}

}  // namespace

std::string store_id_of(const fs::path& root) {
    const fs::path path = root / "store_id";
    make_folder(root);
    if (read_id(path).empty()) {
        make_id(path);
    }
    return read_id(path);
}

}  // namespace kaname::artifacts
