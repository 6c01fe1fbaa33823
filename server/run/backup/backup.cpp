// SPDX-License-Identifier: BSD-3-Clause
#include "server/run/backup/backup.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "server/run/backup/transfer.hpp"
#include "server/store/postgres/postgres_operations.hpp"
#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/files.hpp"
#include "solvers/base/log_line.hpp"
#include "solvers/base/text.hpp"

namespace kaname::backup {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kFormat = "kaname.backup.v1";
constexpr std::array kSummed = {kManifest, kFiles, kDump};
constexpr std::array kModes = {std::pair(Artifacts::Copy, "copy"),
                               std::pair(Artifacts::Link, "link"),
                               std::pair(Artifacts::Manifest, "manifest")};
constexpr std::array kStates = {
    std::pair(File::State::Kept, "kept"), std::pair(File::State::Unreferenced, "unreferenced"),
    std::pair(File::State::Missing, "missing"), std::pair(File::State::Damaged, "damaged")};

[[noreturn]] void throw_damaged(const fs::path& file, const std::string& why) {
    throw Error(ErrorCode::DataLoss, "backup: " + file.string() + ' ' + why);
}

template <class Names>
auto named(const Names& names, const std::string& word, const fs::path& file) {
    for (const auto& [value, name] : names) {
        if (word == name) {
            return value;
        }
    }
    throw_damaged(file, "has the unknown word \"" + word + '"');
}

std::vector<File> read_files(const fs::path& path) {
    std::istringstream text(read_file_if_any(path));
    std::vector<File> files;
    for (std::string line; std::getline(text, line);) {
        std::istringstream fields(line);
        File file;
        std::string state;
        if (!(fields >> file.sha256 >> file.bytes >> state)) {
            throw_damaged(path, "has the line \"" + line + '"');
        }
        file.state = named(kStates, state, path);
        files.push_back(std::move(file));
    }
    return files;
}

void check_sums(const fs::path& folder) {
    std::istringstream sums(read_file_if_any(folder / kSums));
    std::size_t n = 0;
    for (std::string sha256, name; sums >> sha256 >> name; ++n) {
        const fs::path file = folder / fs::path(name).filename();
        if (!fs::exists(file)) {
            throw_damaged(file, "is missing");
        }
        if (sha256_file(file.string()) != sha256) {
            throw_damaged(file, "is not the file whose SHA-256 " + std::string(kSums) + " has");
        }
    }
    if (n != kSummed.size()) {
        throw_damaged(folder / kSums, "must have " + std::to_string(kSummed.size()) +
                                          " lines, has " + std::to_string(n));
    }
}

}  // namespace

std::string_view to_string(Artifacts artifacts) {
    for (const auto& [mode, name] : kModes) {
        if (mode == artifacts) {
            return name;
        }
    }
    return "";
}

void write_manifest(const fs::path& folder, const Manifest& manifest) {
    std::string files;
    std::int64_t n = 0, bytes = 0;
    for (const File& file : manifest.files) {
        std::string_view state;
        for (const auto& [value, name] : kStates) {
            state = value == file.state ? std::string_view(name) : state;
        }
        files += file.sha256 + '\t' + std::to_string(file.bytes) + '\t' + std::string(state) + '\n';
        n += file.state == File::State::Kept ? 1 : 0;
        bytes += file.state == File::State::Kept ? file.bytes : 0;
    }
    write_file(folder / kFiles, files);
    const json told = {{"format", kFormat},
                       {"id", manifest.backup_id},
                       {"made", manifest.made},
                       {"kaname", manifest.version},
                       {"pg_dump", manifest.postgres},
                       {"migrations", manifest.migrations},
                       {"store_id", manifest.store_id},
                       {"artifacts", to_string(manifest.artifacts)},
                       {"files", n},
                       {"bytes", bytes}};
    write_file(folder / kManifest, told.dump(2) + '\n');
    std::string sums;
    for (const char* name : kSummed) {
        sums += sha256_file((folder / name).string()) + "  " + name + '\n';
    }
    write_file(folder / kSums, sums);
}

Manifest read_manifest(const fs::path& folder) {
    if (!fs::exists(folder / kSums)) {
        throw Error(ErrorCode::NotFound, folder.string() + " is no backup: it has no " + kSums);
    }
    check_sums(folder);
    const fs::path file = folder / kManifest;
    try {
        const json told = json::parse(read_file_if_any(file));
        if (told.at("format") != kFormat) {
            throw Error(ErrorCode::InvalidArgument,
                        file.string() + ": format must be " + kFormat + ", got " +
                            told.at("format").dump() +
                            "; restore it with the version that made it");
        }
        Manifest manifest;
        manifest.backup_id = told.at("id");
        manifest.made = told.at("made");
        manifest.version = told.at("kaname");
        manifest.postgres = told.at("pg_dump");
        manifest.migrations = told.at("migrations").get<std::vector<std::string>>();
        manifest.store_id = told.at("store_id");
        manifest.artifacts = named(kModes, told.at("artifacts").get<std::string>(), file);
        manifest.files = read_files(folder / kFiles);
        return manifest;
    } catch (const json::exception& error) {
        throw_damaged(file, std::string("cannot be read: ") + error.what());
    }
}

namespace {

namespace fs = std::filesystem;

const std::string kListedSince = "020_operating";

/// Removed unless the backup got its name.
struct Unfinished {
    fs::path path;
    bool named = false;
    ~Unfinished() {
        std::error_code ignored;
        if (!named) {
            fs::remove_all(path, ignored);
        }
    }
};

void flush_folder(const fs::path& folder) {
    const Fd file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file.get() < 0 || ::fsync(file.get()) != 0) {
        throw Error(ErrorCode::Unavailable, "cannot flush " + folder.string());
    }
}

void dump_database(const BackupOptions& options, const fs::path& folder,
                   const std::string& snapshot) {
    const PgProgram pg_dump{options.pg_dump, options.conninfo};
    pg_dump.run({"--format=custom", "--no-owner", "--no-privileges", "--no-password",
                 "--snapshot=" + snapshot, "--exclude-table-data=backup",
                 "--file=" + (folder / kDump).string()});
}

/// The kept files, copied or linked; those whose bytes are wrong are marked.
void keep_files(const BackupOptions& options, const artifacts::FilesystemStore& store,
                const fs::path& folder, std::vector<File>& files) {
    std::int64_t n = 0, bytes = 0;
    for (const File& file : files) {
        n += file.state == File::State::Kept ? 1 : 0;
        bytes += file.state == File::State::Kept ? file.bytes : 0;
    }
    artifacts::FilesystemStore target = open_files(folder / kArtifacts);
    Progress progress(options.say, "artifacts", n, bytes);
    for (File& file : files) {
        if (file.state != File::State::Kept) {
            continue;
        }
        if (options.artifacts == Artifacts::Link) {
            link_file(store, target, file.sha256);
        } else if (!copy_file(store, target, file.sha256)) {
            file.state = File::State::Damaged;
        }
        progress.done(file.bytes);
    }
    progress.end();
}

/// All files of the store and what the database refers to besides, by hash.
std::vector<File> look_at_files(const artifacts::FilesystemStore& store,
                                const std::vector<std::string>& in_use) {
    std::set<std::string> wanted(in_use.begin(), in_use.end());
    std::vector<File> files;
    for (const artifacts::ArtifactInfo& info : store.list()) {
        const bool used = wanted.erase(info.sha256) > 0;
        files.push_back({info.sha256, static_cast<std::int64_t>(info.bytes),
                         used ? File::State::Kept : File::State::Unreferenced});
    }
    for (const std::string& sha256 : wanted) {
        files.push_back({sha256, 0, File::State::Missing});
    }
    std::ranges::sort(files, {}, &File::sha256);
    return files;
}

/// Where the database does not answer any more the next backup marks it.
void note_failure(const std::string& conninfo, const store::Backup& row) {
    try {
        store::BackupSession(conninfo).end(row);
    } catch (const Error&) {
    }
}

void warn_of(const BackupOptions& options, const Manifest& manifest) {
    for (const File& file : manifest.files) {
        const bool lost = file.state == File::State::Missing || file.state == File::State::Damaged;
        if (lost && options.say) {
            options.say("warning: file " + file.sha256 + " of the artifacts is " +
                        (file.state == File::State::Missing ? "missing" : "damaged") +
                        "; what needs it is computed again");
        }
    }
}

}  // namespace

Manifest make_backup(const BackupOptions& options) {
    const fs::path folder = fs::absolute(options.folder).lexically_normal();
    if (fs::exists(folder)) {
        throw Error(ErrorCode::Conflict, "folder must not exist yet, " + folder.string() + " does");
    }
    if (!fs::is_directory(options.artifacts_folder)) {
        throw Error(ErrorCode::NotFound, "no artifacts in " + options.artifacts_folder.string() +
                                             ": has a server run there?");
    }
    Manifest manifest;
    manifest.backup_id = make_uuid();
    manifest.made = utc_now();
    manifest.version = options.version;
    manifest.artifacts = options.artifacts;
    manifest.postgres = PgProgram{options.pg_dump, options.conninfo}.version();
    const auto say = [&](const std::string& line) {
        if (options.say) {
            options.say(line);
        }
    };
    Unfinished unfinished{folder.parent_path() /
                          ("." + folder.filename().string() + ".partial-" + manifest.backup_id)};
    fs::create_directories(unfinished.path);
    fs::permissions(unfinished.path, fs::perms::owner_all);  // tokens' hashes, people's names

    std::optional<store::BackupSession> session(std::in_place, options.conninfo);
    manifest.migrations = session->migrations();
    // Before an upgrade there may be no list of backups yet.
    const bool listed = std::ranges::count(manifest.migrations, kListedSince) > 0;
    store::Backup row;
    row.backup_id = manifest.backup_id;
    row.folder = folder.string();
    row.host = options.host;
    row.artifacts = to_string(options.artifacts);
    if (listed) {
        session->begin(row);
    }
    try {
        const std::string snapshot = session->begin_snapshot();
        manifest.migrations = session->migrations();
        if (const auto id = session->artifact_store()) {
            manifest.store_id = id->store_id;
        }
        const std::vector<std::string> in_use = session->files_in_use();
        say("database: being dumped");
        dump_database(options, unfinished.path, snapshot);
        session->end_snapshot();
        row.database_bytes = static_cast<std::int64_t>(fs::file_size(unfinished.path / kDump));
        say("database: " + bytes_text(row.database_bytes));

        const artifacts::FilesystemStore store = open_files(options.artifacts_folder);
        manifest.files = look_at_files(store, in_use);
        if (options.artifacts != Artifacts::Manifest) {
            keep_files(options, store, unfinished.path, manifest.files);
        }
        write_manifest(unfinished.path, manifest);
        flush_folder(unfinished.path);
        fs::rename(unfinished.path, folder);
        unfinished.path = folder;  // goes too when its name cannot be made durable
        flush_folder(folder.parent_path());
        unfinished.named = true;
        for (const File& file : manifest.files) {
            row.files += file.state == File::State::Kept ? 1 : 0;
            row.bytes += file.state == File::State::Kept ? file.bytes : 0;
        }
        row.state = "done";
        if (listed) {
            session->end(row);
        }
    } catch (const std::exception& error) {
        row.state = "failed";
        row.error = error.what();
        session.reset();  // its transaction may be broken
        if (listed) {
            note_failure(options.conninfo, row);
        }
        throw;
    }
    warn_of(options, manifest);
    return manifest;
}

}  // namespace kaname::backup
