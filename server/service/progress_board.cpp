// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/progress_board.hpp"

namespace kaname::service {

void ProgressBoard::begin(const std::string& worker_id, const std::string& content_key) {
    const std::lock_guard lock(mutex_);
    entries_.insert_or_assign(content_key, Entry{0.0, -1.0, "starting", worker_id,
                                                 std::chrono::steady_clock::now(), false});
}

void ProgressBoard::set(const std::string& worker_id, const v1::HeartbeatRequest& heartbeat) {
    const auto now = std::chrono::steady_clock::now();
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [&](const auto& entry) {
        return entry.second.worker_id == worker_id && entry.second.told;
    });
    for (const v1::TaskProgress& progress : heartbeat.progress()) {
        entries_[progress.content_key()] = {
            progress.fraction(), progress.eta_s(), progress.text(), worker_id, now, true};
    }
}

bool ProgressBoard::has(const std::string& worker_id, const std::string& content_key) const {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(content_key);
    return found != entries_.end() && found->second.worker_id == worker_id;
}

void ProgressBoard::forget(const std::string& content_key) {
    const std::lock_guard lock(mutex_);
    entries_.erase(content_key);
}

std::map<std::string, ProgressBoard::Entry> ProgressBoard::recent() const {
    const auto limit = std::chrono::steady_clock::now() - kHeartbeatShown;
    const std::lock_guard lock(mutex_);
    std::map<std::string, Entry> found = entries_;
    std::erase_if(found, [&](const auto& entry) { return entry.second.at < limit; });
    return found;
}

std::string ProgressBoard::text_of(const std::string& worker_id) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, entry] : entries_) {
        if (entry.worker_id == worker_id) {
            return entry.text;
        }
    }
    return "";
}

}  // namespace kaname::service
