// SPDX-License-Identifier: BSD-3-Clause
#include "worker/agent/lease/held_tasks.hpp"

#include <algorithm>

#include "solvers/base/checksums.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"
#include "worker/agent/lease/workers_client.hpp"

namespace kaname::agent {
namespace {

/// The server may take the same call later: it is away, or does not know the token yet.
bool is_worth_waiting(ErrorCode code) {
    return is_retryable(code) || code == ErrorCode::Unauthenticated ||
           code == ErrorCode::PermissionDenied;
}

}  // namespace

CallEnd PersistentCalls::insist(const std::function<void()>& call,
                                const std::function<bool()>& wanted,
                                const std::function<void(const std::string&)>& waiting) {
    using Clock = std::chrono::steady_clock;
    Backoff backoff;
    std::optional<Clock::time_point> full_since;
    while (wanted() && !stop_) {
        try {
            call();
            return {CallEnd::Outcome::Done};
        } catch (const Error& error) {
            ++n_failed_;
            if (error.code() == ErrorCode::Exhausted && waiting) {
                const auto now = Clock::now();
                if (now - full_since.value_or(now) >= full_store_) {
                    return {CallEnd::Outcome::Refused, error};
                }
                if (!full_since) {
                    full_since = now;
                    waiting(error.what());
                }
            } else if (!is_worth_waiting(error.code())) {
                return {CallEnd::Outcome::Refused, error};
            }
        }
        std::unique_lock lock(mutex_);
        stopped_.wait_for(lock, backoff.next(), [&] { return stop_.load(); });
    }
    return {CallEnd::Outcome::Unwanted};
}

void PersistentCalls::stop() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    stopped_.notify_all();
}

void HeldTasks::add(const v1::ClaimResponse& pack) {
    const std::lock_guard lock(mutex_);
    for (const v1::Task& task : pack.tasks()) {
        Entry entry;
        *entry.progress.mutable_ref() = task.ref();
        entry.progress.set_content_key(task.content_key());
        entry.progress.set_eta_s(-1.0);
        entry.progress.set_text("starting");
        tasks_[task.ref().task_id()] = std::move(entry);
    }
}

void HeldTasks::remove(std::int64_t task_id) {
    const std::lock_guard lock(mutex_);
    tasks_.erase(task_id);
}

void HeldTasks::set_progress(const std::vector<v1::Task>& pack, double fraction, double eta_s,
                             const std::string& text) {
    const std::lock_guard lock(mutex_);
    for (const v1::Task& task : pack) {
        const auto found = tasks_.find(task.ref().task_id());
        if (found != tasks_.end()) {
            found->second.progress.set_fraction(fraction);
            found->second.progress.set_eta_s(eta_s);
            found->second.progress.set_text(to_utf8(text, kMaxHeartbeatText));
        }
    }
}

void HeldTasks::set_text(std::int64_t task_id, const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (const auto found = tasks_.find(task_id); found != tasks_.end()) {
        found->second.progress.set_text(to_utf8(text, kMaxHeartbeatText));
    }
}

void HeldTasks::drop(std::int64_t task_id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = tasks_.find(task_id); found != tasks_.end()) {
        found->second.dropped = true;
    }
}

void HeldTasks::drop_all() {
    const std::lock_guard lock(mutex_);
    for (auto& [id, entry] : tasks_) {
        entry.dropped = true;
    }
}

bool HeldTasks::dropped(std::int64_t task_id) const {
    const std::lock_guard lock(mutex_);
    const auto found = tasks_.find(task_id);
    return found == tasks_.end() || found->second.dropped;
}

bool HeldTasks::all_dropped(const std::vector<v1::Task>& pack) const {
    return std::ranges::all_of(pack,
                               [&](const v1::Task& task) { return dropped(task.ref().task_id()); });
}

bool HeldTasks::empty() const {
    const std::lock_guard lock(mutex_);
    return tasks_.empty();
}

void HeldTasks::describe(v1::HeartbeatRequest& request) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, entry] : tasks_) {
        if (entry.dropped) {
            continue;
        }
        *request.add_held() = entry.progress.ref();
        *request.add_progress() = entry.progress;
    }
}

std::vector<v1::TaskRef> HeldTasks::refs() const {
    const std::lock_guard lock(mutex_);
    std::vector<v1::TaskRef> refs;
    for (const auto& [id, entry] : tasks_) {
        if (!entry.dropped) {
            refs.push_back(entry.progress.ref());
        }
    }
    return refs;
}

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
