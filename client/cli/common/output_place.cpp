// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/common/output_place.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/common/text.hpp"
#include "solvers/base/error.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;

std::string file_type_text(fs::file_type type) {
    switch (type) {
        case fs::file_type::directory:
            return "a folder";
        case fs::file_type::block:
        case fs::file_type::character:
            return "a device";
        case fs::file_type::fifo:
            return "a pipe";
        case fs::file_type::socket:
            return "a socket";
        case fs::file_type::symlink:
            return "a link that is no way to a regular file";
        default:
            return "no regular file";
    }
}

[[noreturn]] void throw_unwritable(const std::string& field, const fs::path& folder,
                                   const std::string& cause) {
    throw Error(ErrorCode::Unavailable, field + ": must be a place that can be written, got '" +
                                            folder.string() + "': " + cause);
}

fs::path nearest_existing(const fs::path& path) {
    fs::path existing = fs::absolute(path).lexically_normal();
    std::error_code failed;
    while (!fs::exists(existing, failed) && existing != existing.parent_path()) {
        existing = existing.parent_path();
    }
    return existing;
}

/// Moves `from` where nothing is: false when something is. File systems that cannot do this in one
/// step (EINVAL, ENOSYS) get a second name, and the first is removed.
bool move_to_nothing(const fs::path& from, const fs::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) {
        return true;
    }
    if (errno == EINVAL || errno == ENOSYS) {
        if (::link(from.c_str(), to.c_str()) == 0) {
            ::unlink(from.c_str());
            return true;
        }
    }
    if (errno == EEXIST) {
        return false;
    }
    throw Error(ErrorCode::Unavailable,
                to.string() + ": cannot be written: " + std::strerror(errno));
}

}  // namespace

void check_can_write(const std::string& field, const fs::path& folder) {
    const fs::path existing = nearest_existing(folder);
    std::error_code failed;
    if (!fs::is_directory(existing, failed)) {
        throw_unwritable(field, folder, existing.string() + " is not a folder");
    }
    if (::access(existing.c_str(), W_OK | X_OK) != 0) {
        throw_unwritable(field, folder,
                         existing.string() + " is not writable: " + std::strerror(errno));
    }
}

OutputPlace::OutputPlace(std::string field, const fs::path& path, bool force, const Judge& judge)
    : field_(std::move(field)), path_(path), force_(force) {
    std::error_code failed;
    const bool link = fs::symlink_status(path_, failed).type() == fs::file_type::symlink;
    const fs::file_type type = fs::status(path_, failed).type();
    if (type == fs::file_type::regular && link) {
        path_ = fs::canonical(path_);
    }
    if (link && type != fs::file_type::regular) {
        refuse(file_type_text(fs::file_type::symlink));
    }
    if (type != fs::file_type::regular && type != fs::file_type::not_found &&
        type != fs::file_type::none) {
        refuse(file_type_text(type));
    }
    check_can_write(field_, path_.has_parent_path() ? path_.parent_path() : ".");
    const fs::file_type part_type = fs::symlink_status(part(), failed).type();
    if (part_type != fs::file_type::regular && part_type != fs::file_type::not_found) {
        throw Error(ErrorCode::InvalidArgument, field_ + ": must leave its file '" +
                                                    part().string() + "' free, there is " +
                                                    file_type_text(part_type));
    }
    found_ = look();
    if (!found_ || force_) {
        return;
    }
    const std::string what = judge ? judge(path_) : "is there already";
    if (!what.empty()) {
        throw Error(ErrorCode::Conflict, field_ + ": must not replace '" + path_.string() +
                                             "', which " + what +
                                             "; name another place, or give --force");
    }
}

void OutputPlace::refuse(const std::string& what) const {
    throw Error(ErrorCode::InvalidArgument, field_ + ": must name a new or a regular file, '" +
                                                path_.string() + "' is " + what);
}

void OutputPlace::throw_appeared() const {
    throw Error(ErrorCode::Conflict, field_ + ": must not replace '" + path_.string() +
                                         "', which came there meanwhile; name another place, or "
                                         "give --force");
}

std::optional<OutputPlace::Found> OutputPlace::look() const {
    struct stat is {};
    if (::lstat(path_.c_str(), &is) != 0) {
        return std::nullopt;
    }
    if (!S_ISREG(is.st_mode)) {
        refuse("no regular file any more");
    }
    return Found{is.st_dev, is.st_ino, is.st_size, is.st_mtim.tv_sec, is.st_mtim.tv_nsec};
}

void OutputPlace::make_folder() const {
    std::error_code failed;
    if (path_.has_parent_path()) {
        fs::create_directories(path_.parent_path(), failed);
    }
    if (failed) {
        throw_unwritable(field_, path_.parent_path(), "cannot be made: " + failed.message());
    }
}

double OutputPlace::lacks_bytes(double bytes) const {
    std::error_code unknown;
    const fs::space_info space =
        fs::space(nearest_existing(fs::absolute(path_).parent_path()), unknown);
    if (unknown || space.capacity == 0 || static_cast<std::intmax_t>(space.available) < 0) {
        return 0.0;
    }
    return std::max(0.0, bytes - static_cast<double>(space.available));
}

void OutputPlace::check_space(double bytes) const {
    if (const double lacking = lacks_bytes(bytes); lacking > 0.0) {
        throw Error(ErrorCode::Exhausted, field_ + ": must have room for " + format_bytes(bytes) +
                                              ", the file system of '" + path_.string() +
                                              "' lacks " + format_bytes(lacking));
    }
}

void OutputPlace::put(const fs::path& finished) const {
    const std::optional<Found> now = look();
    if (!now && !force_) {
        if (!move_to_nothing(finished, path_)) {
            throw_appeared();
        }
        return;
    }
    if (!force_ && now != found_) {
        throw_appeared();
    }
    if (::rename(finished.c_str(), path_.c_str()) != 0) {
        throw Error(ErrorCode::Unavailable,
                    path_.string() + ": cannot be written: " + std::strerror(errno));
    }
}

namespace {

namespace fs = std::filesystem;

void move(const fs::path& from, const fs::path& to) {
    if (std::rename(from.c_str(), to.c_str()) != 0) {
        throw Error(ErrorCode::Unavailable,
                    to.string() + ": cannot be written: " + std::strerror(errno));
    }
}

bool has_files(const fs::path& folder) {
    std::error_code failed;
    return fs::is_directory(folder, failed) && !fs::is_empty(folder, failed) && !failed;
}

}  // namespace

OutputFolder::OutputFolder(std::string field, const fs::path& path, bool force)
    : field_(std::move(field)), path_(fs::absolute(path).lexically_normal()), force_(force) {
    if (!path_.has_filename()) {
        path_ = path_.parent_path();
    }
    std::error_code failed;
    if (fs::symlink_status(path_, failed).type() == fs::file_type::symlink &&
        fs::is_directory(path_, failed)) {
        path_ = fs::canonical(path_);
    }
    const fs::file_type type = fs::symlink_status(path_, failed).type();
    if (type != fs::file_type::directory && type != fs::file_type::not_found) {
        throw Error(ErrorCode::InvalidArgument,
                    field_ + ": must name a new folder or one that is there, '" + path_.string() +
                        "' is none");
    }
    check_can_write(field_, path_.parent_path());
    check_can_write(field_, path_);
    if (has_files(path_) && !force_) {
        throw_in_use("which has files");
    }
}

fs::path OutputFolder::make_parent() const {
    std::error_code failed;
    fs::create_directories(path_.parent_path(), failed);
    if (failed) {
        throw Error(ErrorCode::Unavailable, field_ + ": " + path_.parent_path().string() +
                                                " cannot be made: " + failed.message());
    }
    return path_.parent_path();
}

void OutputFolder::put(const fs::path& finished, const std::string& last) const {
    if (!has_files(path_)) {
        move(finished, path_);  // takes the place of an empty folder
        return;
    }
    if (!force_) {
        throw_in_use("where files came meanwhile");
    }
    std::vector<fs::path> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(finished)) {
        names.push_back(entry.path().filename());
        if (fs::is_directory(path_ / names.back())) {
            throw Error(ErrorCode::InvalidArgument,
                        field_ + ": must have no folder where a file goes, '" +
                            (path_ / names.back()).string() + "' is one");
        }
    }
    std::ranges::sort(names, {},
                      [&](const fs::path& name) { return std::pair(name == last, name.string()); });
    for (const fs::path& name : names) {
        move(finished / name, path_ / name);
    }
}

void OutputFolder::throw_in_use(const std::string& what) const {
    throw Error(ErrorCode::Conflict, field_ + ": must not write into '" + path_.string() + "', " +
                                         what + "; name another place, or give --force");
}

}  // namespace kaname::cli
