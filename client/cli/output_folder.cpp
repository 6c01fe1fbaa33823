// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/output_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "client/cli/output_place.hpp"
#include "solvers/base/error.hpp"

namespace kaname::cli {
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
