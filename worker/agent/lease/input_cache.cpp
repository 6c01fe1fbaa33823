// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/lease/input_cache.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "solvers/base/sha256.hpp"

namespace kaname::agent {
namespace fs = std::filesystem;

InputCache::InputCache(fs::path folder, std::uint64_t cap_bytes, WorkersClient& client)
    : folder_(std::move(folder)), cap_bytes_(cap_bytes), client_(client) {
    fs::create_directories(folder_);
}

fs::path InputCache::get(const std::string& sha256) {
    const std::lock_guard lock(mutex_);
    const fs::path file = path_of(sha256);
    if (fs::exists(file)) {
        fs::last_write_time(file, fs::file_time_type::clock::now());
        return file;
    }
    const fs::path part = file.string() + ".part";
    // A part left by an earlier, killed agent may be damaged, and so may the server's file. The
    // second attempt therefore begins anew, and the server checks its file.
    for (const bool verify : {false, true}) {
        client_.get_input(sha256, part, verify);
        if (sha256_file(part.string()) == sha256) {
            fs::rename(part, file);
            return file;
        }
        fs::remove(part);
    }
    throw Error(ErrorCode::DataLoss, "input " + sha256 + ": the bytes have another hash");
}

StoredFile InputCache::adopt(const fs::path& file) {
    StoredFile stored{sha256_file(file.string()), static_cast<std::int64_t>(fs::file_size(file))};
    const std::lock_guard lock(mutex_);
    fs::rename(file, path_of(stored.sha256));
    return stored;
}

void InputCache::trim() {
    struct Entry {
        fs::file_time_type used;
        std::uint64_t bytes;
        fs::path path;
    };
    const std::lock_guard lock(mutex_);
    std::vector<Entry> entries;
    std::uint64_t total = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_)) {
        entries.push_back({entry.last_write_time(), entry.file_size(), entry.path()});
        total += entries.back().bytes;
    }
    std::ranges::sort(entries, {}, &Entry::used);
    for (const Entry& entry : entries) {
        if (total <= cap_bytes_) {
            return;
        }
        fs::remove(entry.path);
        total -= entry.bytes;
    }
}

}  // namespace kaname::agent
