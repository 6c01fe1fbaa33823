// SPDX-License-Identifier: BSD-3-Clause
#include "server/scheduler/fair_share.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/base/error.hpp"

namespace kaname::scheduler {
namespace {

/// Weight of the newest task in the running mean of durations.
constexpr double kNewest = 0.1;

}  // namespace

FairShare::FairShare(FairShareOptions options, Clock clock)
    : options_(options), clock_(std::move(clock)), mean_s_(options.first_guess_s) {}

FairShare::Account& FairShare::account(const std::string& owner) {
    const double now_s = clock_();
    const auto [entry, is_new] = accounts_.try_emplace(owner);
    Account& account = entry->second;
    // u(t) = u(t0) 2^(-(t - t0) / half life)
    account.use_s *= is_new ? 0 : std::exp2(-(now_s - account.at_s) / options_.half_life_s);
    account.at_s = now_s;
    return account;
}

void FairShare::set_weight(const std::string& owner, double weight) {
    if (!(weight > 0)) {
        throw Error(ErrorCode::InvalidArgument,
                    "weight of " + owner + " must be > 0, got " + std::to_string(weight));
    }
    const std::lock_guard lock(mutex_);
    account(owner).weight = weight;
}

std::optional<std::string> FairShare::next(std::span<const std::string> ready) {
    const std::lock_guard lock(mutex_);
    std::optional<std::string> chosen;
    double least = std::numeric_limits<double>::infinity();
    for (const std::string& owner : ready) {
        const Account& its = account(owner);
        const double share = its.use_s / its.weight;
        if (!chosen || share < least || (share == least && owner < *chosen)) {
            chosen = owner;
            least = share;
        }
    }
    return chosen;
}

void FairShare::assigned(const std::string& owner, std::int64_t n_tasks) {
    const std::lock_guard lock(mutex_);
    account(owner).use_s += static_cast<double>(n_tasks) * mean_s_;
}

void FairShare::ended(const std::string& owner, std::int64_t n_tasks, double seconds) {
    if (n_tasks < 1) {
        return;
    }
    const std::lock_guard lock(mutex_);
    const auto n = static_cast<double>(n_tasks);
    Account& its = account(owner);
    // The mean has moved since the charge and part of it has decayed: use never falls below 0.
    its.use_s = std::max(0.0, its.use_s + seconds - n * mean_s_);
    mean_s_ += kNewest * (std::max(0.0, seconds) / n - mean_s_);
}

double FairShare::use_s(const std::string& owner) {
    const std::lock_guard lock(mutex_);
    return account(owner).use_s;
}

}  // namespace kaname::scheduler
