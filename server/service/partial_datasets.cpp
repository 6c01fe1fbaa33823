// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/partial_datasets.hpp"

#include <algorithm>
#include <vector>

#include "solvers/base/error.hpp"

namespace kaname::service {
namespace {

constexpr std::chrono::milliseconds kLook{100};

}  // namespace

std::string PartialDatasets::get(const std::string& job_id, std::int64_t n_done,
                                 const std::function<std::string()>& make,
                                 const helpers::Caller& gone) {
    std::shared_ptr<One> one;
    {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<One>& known = all_[{job_id, n_done}];
        if (!known) {
            known = std::make_shared<One>();
        }
        known->asked_at = limits_.now();
        one = known;
    }
    std::unique_lock making(one->making, std::defer_lock);
    while (!making.try_lock_for(kLook)) {
        if (gone.gone()) {
            throw Error(ErrorCode::Unavailable, "the caller has left");
        }
    }
    auto size = one->sha256.empty() ? std::nullopt : context_.artifacts.size(one->sha256);
    if (size) {
        (void)context_.artifacts.look_up(one->sha256, *size);  // asked for just now
        return one->sha256;
    }
    check_room(context_, 0);
    const std::string sha256 = make();
    size = context_.artifacts.size(sha256);
    {
        const std::lock_guard lock(mutex_);
        one->sha256 = sha256;
        one->bytes = static_cast<std::int64_t>(size.value_or(0));
        one->asked_at = limits_.now();
    }
    making.unlock();
    trim();
    return sha256;
}

// The longest unasked first.
void PartialDatasets::trim() {
    std::vector<std::string> dropped;
    {
        const std::lock_guard lock(mutex_);
        const auto now = limits_.now();
        std::vector<std::pair<std::chrono::steady_clock::time_point, Key>> by_age;
        std::int64_t bytes = 0;
        for (const auto& [key, one] : all_) {
            bytes += one->bytes;
            if (one.use_count() == 1) {  // nobody makes it or waits for it
                by_age.emplace_back(one->asked_at, key);
            }
        }
        std::ranges::sort(by_age);
        for (const auto& [asked_at, key] : by_age) {
            const bool too_many = bytes > limits_.bytes && now - asked_at >= limits_.least;
            if (now - asked_at < limits_.unused && !too_many) {
                continue;
            }
            const auto found = all_.find(key);
            bytes -= found->second->bytes;
            dropped.push_back(found->second->sha256);
            all_.erase(found);
        }
        // Two jobs may have the same.
        for (const auto& [key, one] : all_) {
            std::erase(dropped, one->sha256);
        }
    }
    for (const std::string& sha256 : dropped) {
        if (!sha256.empty() && context_.options.collector != nullptr) {
            (void)context_.options.collector->discard(sha256);
        }
    }
}

}  // namespace kaname::service
