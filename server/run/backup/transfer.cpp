// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/backup/transfer.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <limits>
#include <optional>
#include <vector>

#include "server/run/backup/backup.hpp"
#include "server/store/postgres/migrations.hpp"
#include "server/store/postgres/postgres_operations.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "worker/run/process.hpp"

namespace kaname::backup {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

artifacts::FilesystemStore open_files(const fs::path& folder) {
    artifacts::StoreOptions options;
    options.max_upload_bytes = std::numeric_limits<std::int64_t>::max();
    options.min_free_bytes = 0;
    return artifacts::FilesystemStore(folder, options);
}

bool copy_file(const artifacts::FilesystemStore& from, artifacts::FilesystemStore& to,
               const std::string& sha256) {
    const auto source = from.open(sha256);
    const auto target = to.begin_put(sha256, source->size());
    std::vector<std::byte> piece(kPiece);
    try {
        while (target->offset() < source->size()) {
            const std::size_t n = source->read(target->offset(), piece);
            target->write(target->offset(), std::span(piece).first(n));
        }
        target->commit();
    } catch (const Error& error) {
        if (error.code() == ErrorCode::InvalidArgument || error.code() == ErrorCode::DataLoss) {
            return false;
        }
        throw;
    }
    return true;
}

void link_file(const artifacts::FilesystemStore& from, const artifacts::FilesystemStore& to,
               const std::string& sha256) {
    const fs::path source = from.object_path(sha256), target = to.object_path(sha256);
    fs::create_directories(target.parent_path());
    std::error_code error;
    fs::create_hard_link(source, target, error);
    if (error == std::errc::cross_device_link) {
        throw Error(ErrorCode::InvalidArgument, "artifacts: links must stay on one file system, " +
                                                    source.string() +
                                                    " is on another than the backup; copy them");
    }
    if (error) {
        throw Error(ErrorCode::Unavailable,
                    "cannot link " + source.string() + ": " + error.message());
    }
}

std::string bytes_text(std::int64_t bytes) {
    constexpr std::array kUnits = {"B", "kB", "MB", "GB", "TB", "PB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < kUnits.size(); ++unit) {
        value /= 1000;
    }
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
    return text;
}

void Progress::tell() const {
    if (say_) {
        say_(what_ + ": " + std::to_string(n_) + " of " + std::to_string(files_) + " files, " +
             bytes_text(sum_) + " of " + bytes_text(bytes_));
    }
}

void Progress::done(std::int64_t bytes) {
    ++n_;
    sum_ += bytes;
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ >= std::chrono::seconds(1)) {
        told_ = now;
        tell();
    }
}

void Progress::end() {
    tell();
}

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

namespace {

constexpr std::chrono::milliseconds kLook{200};
constexpr std::size_t kMostWords = 4000;

/// Runs a program and returns the beginning of what it printed on standard output and standard
/// error. Throws Unavailable, with that text, when it fails.
std::string said_by(const std::vector<std::string>& argv,
                    std::map<std::string, std::optional<std::string>> variables) {
    variables["LC_ALL"] = "C";
    run::Process child({.argv = argv, .env = std::move(variables)});
    std::string said;
    while (child.read_lines(kLook, [&](run::Source, std::string_view line) {
        if (said.size() < kMostWords) {
            said += std::string(line) + '\n';
        }
    })) {
    }
    const run::ExitStatus status = child.wait();
    if (!status.ok()) {
        throw Error(ErrorCode::Unavailable,
                    argv.front() + " ended with " + status.text() + ":\n" + said);
    }
    return said;
}

}  // namespace

void PgProgram::run(const std::vector<std::string>& arguments) const {
    std::vector<std::string> argv = {program.string()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    (void)said_by(argv, store::environment_of(conninfo));
}

std::string PgProgram::version() const {
    const std::string said = said_by({program.string(), "--version"}, {});
    return said.substr(0, said.find('\n'));
}

}  // namespace kaname::backup
