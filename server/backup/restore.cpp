// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <optional>

#include "server/backup/backup.hpp"
#include "server/backup/pg_program.hpp"
#include "server/backup/transfer.hpp"
#include "server/store/postgres/migrations.hpp"
#include "server/store/postgres/postgres_backup.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"

namespace kaname::backup {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamed = 20;  ///< of bad files in an error

/// Files that a restore needs and does not get.
class Bad {
public:
    void add(const std::string& sha256, const char* what) {
        if (++n_ <= kNamed) {
            names_ += "\n  " + sha256 + ' ' + what;
        }
    }
    void throw_if_any(const fs::path& place) const {
        if (n_ > 0) {
            throw Error(
                ErrorCode::DataLoss,
                std::to_string(n_) + " files in " + place.string() +
                    " are not what the backup had:" + names_ +
                    (n_ > kNamed ? "\n  and " + std::to_string(n_ - kNamed) + " more" : ""));
        }
    }

private:
    std::size_t n_ = 0;
    std::string names_;
};

/// Checks the files of a backup that holds no files itself: they are in the artifact folder and
/// stay there. Throws DataLoss when files are missing or damaged.
void check_files(const RestoreOptions& options, const Manifest& manifest, Progress& progress) {
    const artifacts::FilesystemStore store = open_files(options.artifacts_folder);
    Bad bad;
    for (const File& file : manifest.files) {
        if (file.state != File::State::Kept) {
            continue;
        }
        const auto bytes = store.size(file.sha256);
        if (!bytes) {
            bad.add(file.sha256, "is missing");
        } else {
            try {
                store.verify(file.sha256);
            } catch (const Error& error) {
                if (error.code() != ErrorCode::DataLoss) {
                    throw;
                }
                bad.add(file.sha256, "is damaged");
            }
        }
        progress.done(file.bytes);
    }
    bad.throw_if_any(options.artifacts_folder);
}

void copy_files(const RestoreOptions& options, const Manifest& manifest, Progress& progress) {
    const artifacts::FilesystemStore source = open_files(options.folder / kArtifacts);
    artifacts::FilesystemStore target = open_files(options.artifacts_folder);
    Bad bad;
    for (const File& file : manifest.files) {
        if (file.state != File::State::Kept) {
            continue;
        }
        if (!source.exists(file.sha256)) {
            bad.add(file.sha256, "is missing");
        } else if (!copy_file(source, target, file.sha256)) {
            bad.add(file.sha256, "is damaged");
        }
        progress.done(file.bytes);
    }
    bad.throw_if_any(options.folder / kArtifacts);
}

}  // namespace

void check_schema(const Manifest& manifest) {
    for (const std::string& name : manifest.migrations) {
        const auto& known = store::built_in_migrations();
        if (std::ranges::find(known, name, &store::Migration::name) == known.end()) {
            throw Error(ErrorCode::Conflict, "the backup has migration " + name +
                                                 ", which this version does not know; restore it "
                                                 "with version " +
                                                 manifest.version + " or a newer one");
        }
    }
}

void restore_backup(const RestoreOptions& options, const Manifest& manifest) {
    const bool listed = manifest.artifacts == Artifacts::Manifest;
    const fs::path& folder = options.artifacts_folder;
    if (!listed && fs::exists(folder) && !fs::is_empty(folder)) {
        throw Error(ErrorCode::Conflict,
                    "the folder of artifacts must be empty, " + folder.string() + " is not");
    }
    if (!store::is_empty_database(options.conninfo)) {
        throw Error(ErrorCode::Conflict, "the database must be empty, it has tables");
    }
    std::int64_t n = 0, bytes = 0;
    for (const File& file : manifest.files) {
        n += file.state == File::State::Kept ? 1 : 0;
        bytes += file.state == File::State::Kept ? file.bytes : 0;
    }
    fs::create_directories(folder);
    Progress progress(options.say, listed ? "artifacts (checked where they are)" : "artifacts", n,
                      bytes);
    if (listed) {
        check_files(options, manifest, progress);
    } else {
        copy_files(options, manifest, progress);
    }
    progress.end();
    // By it the database knows the folder.
    if (!manifest.store_id.empty()) {
        write_file(folder / "store_id", manifest.store_id + '\n');
    }
    if (options.say) {
        options.say("database: being restored");
    }
    PgProgram{options.pg_restore, options.conninfo}.run(
        {"--no-owner", "--no-privileges", "--no-password", "--exit-on-error",
         "--single-transaction", "--dbname=" + store::database_name(options.conninfo),
         (options.folder / kDump).string()});
    store::settle_restored(options.conninfo);
}

}  // namespace kaname::backup
