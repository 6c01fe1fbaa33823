// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/postgres/private_postgres.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

namespace kaname::support {
namespace {

namespace fs = std::filesystem;

/// Where packages put the programs, the newest version first, else the search path.
fs::path find_binaries() {
    const fs::path packages = "/usr/lib/postgresql";
    fs::path found;
    if (fs::exists(packages)) {
        for (const fs::directory_entry& version : fs::directory_iterator(packages)) {
            if (fs::exists(version.path() / "bin/initdb")) {
                found = std::max(found, version.path() / "bin");
            }
        }
    }
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; found.empty() && std::getline(folders, folder, ':');) {
        if (fs::exists(fs::path(folder) / "initdb")) {
            found = folder;
        }
    }
    return found;
}

}  // namespace

PrivatePostgres& PrivatePostgres::instance() {
    static PrivatePostgres only;
    return only;
}

PrivatePostgres::PrivatePostgres() : binaries_(find_binaries()) {
    if (binaries_.empty()) {
        absent_ = "no PostgreSQL in /usr/lib/postgresql or on PATH";
        return;
    }
    std::string folder = "/tmp/kaname-store-XXXXXX";  // short: socket paths are limited
    if (::mkdtemp(folder.data()) == nullptr) {
        throw std::runtime_error("no temporary folder " + folder);
    }
    folder_ = folder;
    if (::geteuid() == 0) {
        // The server refuses to run as root.
        std::system(("chown postgres " + folder).c_str());
    }
    if (run("initdb", "-D " + folder + "/data -U kaname --auth=trust --locale=C --encoding=UTF8") !=
            0 ||
        run("pg_ctl", "-D " + folder + "/data -w -l " + folder + "/log -o \"-k " + folder +
                          " -c listen_addresses='' -c max_connections=60\" start") != 0) {
        throw std::runtime_error("PostgreSQL does not start in " + folder);
    }
}

PrivatePostgres::~PrivatePostgres() {
    if (!folder_.empty()) {
        run("pg_ctl", "-D " + folder_.string() + "/data -m immediate stop");
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
}

int PrivatePostgres::run(const std::string& program, const std::string& arguments) const {
    const std::string as_postgres =
        ::geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups " : "";
    return std::system(("cd / && " + as_postgres + (binaries_ / program).string() + " " +
                        arguments + " > /dev/null 2>&1")
                           .c_str());
}

std::string PrivatePostgres::new_database() {
    const std::string name = "db" + std::to_string(++n_databases_);
    const std::string server = "host=" + folder_.string() + " user=kaname";
    if (run("createdb", "-h " + folder_.string() + " -U kaname " + name) != 0) {
        throw std::runtime_error("createdb failed");
    }
    return server + " dbname=" + name;
}

void PrivatePostgres::crash_and_restart() {
    if (run("pg_ctl", "-D " + folder_.string() + "/data -m immediate -w restart") != 0) {
        throw std::runtime_error("PostgreSQL does not start again in " + folder_.string());
    }
}

}  // namespace kaname::support
