// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/postgres/cluster_template.hpp"

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "server/run/embedded/binaries.hpp"
#include "server/run/embedded/cluster.hpp"
#include "server/store/postgres/connection.hpp"
#include "server/store/postgres/migrations.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/process.hpp"

namespace kaname::support {
namespace {

namespace fs = std::filesystem;

/// Returns what distinguishes one template from another, as a name.
std::string name_of(const embedded::Binaries& binaries, const run::User& user) {
    std::string text = binaries.folder.string() + " " + std::to_string(user.uid);
    for (const store::Migration& migration : store::built_in_migrations()) {
        text += "\n" + migration.name + " " + sha256_hex(migration.sql);
    }
    return sha256_hex(text).substr(0, 16);
}

/// Copies with owners and modes, which std::filesystem::copy does not.
void copy_folder(const fs::path& from, const fs::path& to) {
    run::Process cp(
        {.argv = {"cp", "-a", "--reflink=auto", from.string(), to.string()}, .env = {}});
    std::string words;
    while (cp.read_lines(std::chrono::seconds(1), [&](run::Source, std::string_view line) {
        words += " " + std::string(line);
    })) {
    }
    if (!cp.wait().ok()) {
        throw Error(ErrorCode::Unavailable, "copy of " + from.string() + ":" + words);
    }
}

/// Makes the template where the database's user may go, as a server would at its first start.
void make_template(const fs::path& result) {
    const TemporaryFolder folder;
    fs::permissions(folder.path(), fs::perms(0755));
    embedded::Cluster cluster(
        {.state = folder.path(), .db_user = {}, .binaries = {}, .runtime = {}, .log = {}});
    cluster.start();
    {
        store::Pool pool(cluster.conninfo(), 1);
        (void)store::migrate(pool, false);
    }
    cluster.stop();
    const fs::path data = folder.path() / "postgres";
    // After the settings that each start of a server writes: the last one counts.
    std::ofstream(data / "postgresql.conf", std::ios::app) << "fsync = off\n";
    const fs::path part = result.string() + ".part";
    fs::remove_all(part);
    copy_folder(data, part);
    fs::rename(part, result);
}

}  // namespace

void copy_cluster_template(const fs::path& kept, const fs::path& data) {
    const embedded::Binaries binaries = embedded::find_binaries({}, {});
    const fs::path made = kept / name_of(binaries, embedded::choose_db_user({}, {}));
    if (!fs::exists(made)) {
        fs::create_directories(kept);
        const Fd lock(::open((kept / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
        if (!lock.open() || ::flock(lock.get(), LOCK_EX) != 0) {
            throw Error(ErrorCode::Unavailable, "no lock in " + kept.string());
        }
        if (!fs::exists(made)) {
            make_template(made);
        }
    }
    copy_folder(made, data);
}

}  // namespace kaname::support
