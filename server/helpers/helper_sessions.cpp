// SPDX-License-Identifier: BSD-3-Clause
#include "server/helpers/helper_sessions.hpp"

#include <algorithm>

#include "solvers/base/error.hpp"
#include "worker/run/compute_session.hpp"

namespace kaname::helpers {

HelperSessions::HelperSessions(HelperSessionsOptions options)
    : options_(std::move(options)), keeper_([this] { keep(); }) {}

HelperSessions::~HelperSessions() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    asked_.notify_all();
    keeper_.join();
}

void HelperSessions::with(const std::string& key, const Start& start,
                          const std::function<void(HelperSession&)>& use) {
    for (bool again = false;; again = true) {
        std::unique_ptr<HelperSession> session = take(key);
        bool proven = false;
        try {
            if (!session) {
                session = begin(start);
            }
            proven = session->proven();
            use(*session);
            give(key, std::move(session));
            return;
        } catch (const run::SessionEnded&) {
            give(key, nullptr);
            if (!proven || again) {
                throw;
            }
        } catch (...) {
            give(key, session && session->usable() ? std::move(session) : nullptr);
            throw;
        }
    }
}

std::unique_ptr<HelperSession> HelperSessions::take(const std::string& key) {
    const auto deadline = Clock::now() + options_.limit;
    std::vector<std::unique_ptr<HelperSession>> closed;  // ended when the lock is released
    std::unique_lock lock(mutex_);
    for (;;) {
        const auto found = slots_.find(key);
        if (found != slots_.end() && !found->second.busy) {
            found->second.busy = true;
            return std::move(found->second.session);
        }
        if (found == slots_.end()) {
            if (slots_.size() >= static_cast<std::size_t>(options_.most)) {
                closed = take_idle(std::chrono::milliseconds(0), 1);
            }
            if (slots_.size() < static_cast<std::size_t>(options_.most)) {
                slots_[key];
                lock.unlock();
                return nullptr;
            }
        }
        if (changed_.wait_until(lock, deadline) == std::cv_status::timeout) {
            throw Error(ErrorCode::Unavailable, "all " + options_.what + " were busy for " +
                                                    std::to_string(options_.limit.count()) +
                                                    " s; call again");
        }
    }
}

void HelperSessions::give(const std::string& key, std::unique_ptr<HelperSession> session) {
    {
        const std::lock_guard lock(mutex_);
        if (session) {
            slots_[key] = {std::move(session), false, Clock::now()};
        } else {
            slots_.erase(key);
        }
    }
    changed_.notify_all();
}

std::unique_ptr<HelperSession> HelperSessions::begin(const Start& start) {
    std::future<std::unique_ptr<HelperSession>> started;
    {
        const std::lock_guard lock(mutex_);
        const auto folder = options_.scratch / std::to_string(++n_started_);
        started = starts_.emplace_back([&start, folder] { return start(folder); }).get_future();
    }
    asked_.notify_all();
    return started.get();
}

std::vector<std::unique_ptr<HelperSession>> HelperSessions::take_idle(
    std::chrono::milliseconds idle, std::size_t most) {
    std::vector<std::unique_ptr<HelperSession>> taken;
    while (taken.size() < most) {
        auto oldest = slots_.end();
        for (auto slot = slots_.begin(); slot != slots_.end(); ++slot) {
            if (!slot->second.busy &&
                (oldest == slots_.end() || slot->second.used < oldest->second.used)) {
                oldest = slot;
            }
        }
        if (oldest == slots_.end() || Clock::now() - oldest->second.used < idle) {
            break;
        }
        taken.push_back(std::move(oldest->second.session));
        slots_.erase(oldest);
    }
    return taken;
}

void HelperSessions::keep() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
        while (!starts_.empty()) {
            auto start = std::move(starts_.front());
            starts_.pop_front();
            lock.unlock();
            start();
            lock.lock();
        }
        auto closed = take_idle(options_.idle, slots_.size());
        if (!closed.empty()) {
            lock.unlock();
            closed.clear();
            changed_.notify_all();
            lock.lock();
            continue;
        }
        asked_.wait_for(lock, options_.idle / 4, [&] { return ends_ || !starts_.empty(); });
    }
    auto closed = take_idle(std::chrono::milliseconds(0), slots_.size());
    lock.unlock();
}

}  // namespace kaname::helpers
