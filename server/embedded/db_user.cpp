// SPDX-License-Identifier: BSD-3-Clause
#include "server/embedded/db_user.hpp"

#include <optional>

#include <sys/stat.h>
#include <unistd.h>

#include "solvers/base/error.hpp"
#include "worker/run/process.hpp"

namespace kaname::embedded {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_invalid(const std::string& message) {
    throw Error(ErrorCode::InvalidArgument, message);
}

std::optional<uid_t> owner_of(const fs::path& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 ? std::optional(info.st_uid) : std::nullopt;
}

run::User choose_for_root(const std::string& wanted, std::optional<uid_t> owner) {
    try {
        return !wanted.empty() ? run::find_user(wanted)
               : owner         ? run::find_user(*owner)
                               : run::find_user("postgres");
    } catch (const Error& error) {
        throw Error(ErrorCode::NotFound,
                    std::string(error.what()) +
                        "; PostgreSQL refuses to run as root, so make a user for it (useradd "
                        "--system kaname) and name it with --db-user");
    }
}

bool can_enter(const run::User& user, const fs::path& folder) {
    // A process of that user knows about groups and access lists, too.
    run::Process test(
        {.argv = {"test", "-x", folder.string()}, .env = {}, .work_dir = "/", .user = user});
    return test.wait().ok();
}

}  // namespace

run::User choose_db_user(const std::string& wanted, const fs::path& data) {
    const std::optional<uid_t> owner = owner_of(data);
    const bool is_root = ::geteuid() == 0;
    const run::User user = is_root ? choose_for_root(wanted, owner) : run::find_user(::geteuid());
    if (!wanted.empty() && wanted != user.name) {
        throw_invalid("db_user must be " + user.name + " unless root starts the server, got " +
                      wanted);
    }
    // Whatever else runs as nobody could read and change the database.
    if (user.uid == 0 || user.name == "nobody") {
        throw_invalid("db_user must be a user of its own, neither root nor nobody, got " +
                      user.name);
    }
    if (owner && *owner != user.uid) {
        throw_invalid("database folder " + data.string() + " belongs to user number " +
                      std::to_string(*owner) + ", so db_user must be that one, got " + user.name);
    }
    return user;
}

void require_reachable(const fs::path& folder, const run::User& user) {
    if (user.uid == ::geteuid() || can_enter(user, folder)) {
        return;
    }
    fs::path parent;
    for (const fs::path& part : folder) {
        parent /= part;
        if (!can_enter(user, parent)) {
            throw_invalid("folder " + parent.string() + " must be open (chmod o+x) to user " +
                          user.name + ", who runs the database, to reach " + folder.string() +
                          "; or choose another state folder, such as /var/lib/kaname");
        }
    }
}

}  // namespace kaname::embedded
