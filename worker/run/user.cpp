// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/user.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "solvers/base/error.hpp"

namespace kaname::run {
namespace {

User from_entry(const passwd& entry) {
    User user{entry.pw_name, entry.pw_uid, entry.pw_gid, {}};
    int n_groups = 64;
    user.groups.resize(static_cast<std::size_t>(n_groups));
    if (::getgrouplist(entry.pw_name, entry.pw_gid, user.groups.data(), &n_groups) < 0) {
        user.groups.resize(static_cast<std::size_t>(n_groups));
        ::getgrouplist(entry.pw_name, entry.pw_gid, user.groups.data(), &n_groups);
    }
    user.groups.resize(static_cast<std::size_t>(n_groups));
    return user;
}

}  // namespace

User find_user(const std::string& name) {
    const passwd* entry = ::getpwnam(name.c_str());
    if (entry == nullptr) {
        throw Error(ErrorCode::NotFound, "user " + name + ": this system has none");
    }
    return from_entry(*entry);
}

User find_user(uid_t uid) {
    const passwd* entry = ::getpwuid(uid);
    if (entry == nullptr) {
        throw Error(ErrorCode::NotFound,
                    "user number " + std::to_string(uid) + ": no entry in the user database");
    }
    return from_entry(*entry);
}

bool become_user(const User& user) {
    // Plain system calls: glibc's functions also signal the other threads, which fork left behind.
    return ::syscall(SYS_setgroups, user.groups.size(), user.groups.data()) == 0 &&
           ::syscall(SYS_setresgid, user.gid, user.gid, user.gid) == 0 &&
           ::syscall(SYS_setresuid, user.uid, user.uid, user.uid) == 0;
}

// Group first and last: changing it needs the rights that leaving user 0 takes away.
FileAccessAs::FileAccessAs(const User& user) : uid_before_(::geteuid()), gid_before_(::getegid()) {
    ::setfsgid(user.gid);
    ::setfsuid(user.uid);
}

FileAccessAs::~FileAccessAs() {
    ::setfsuid(uid_before_);
    ::setfsgid(gid_before_);
}

}  // namespace kaname::run
