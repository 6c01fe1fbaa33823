// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/feed.hpp"

#include <algorithm>
#include <utility>

namespace kaname::http {

/// With the lock held.
void Feed::go_on() {
    if (std::exchange(paused_, false)) {
        resume_();
    }
}

void Feed::write(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (!left_ && !ended_) {
        text_ += text;
        go_on();
    }
}

void Feed::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    go_on();
}

void Feed::fail() {
    const std::lock_guard lock(mutex_);
    ended_ = broken_ = true;
    go_on();
}

void Feed::when_drained(std::function<void()> then) {
    {
        const std::lock_guard lock(mutex_);
        if (!left_ && taken_ < text_.size()) {
            then_ = std::move(then);
            return;
        }
    }
    then();
}

bool Feed::drained() {
    const std::lock_guard lock(mutex_);
    return taken_ == text_.size();
}

bool Feed::left() {
    const std::lock_guard lock(mutex_);
    return left_ || (paused_ && gone_ && gone_());
}

void Feed::attach(std::function<void()> resume, std::function<bool()> gone) {
    const std::lock_guard lock(mutex_);
    resume_ = std::move(resume);
    gone_ = std::move(gone);
}

long Feed::take(char* into, std::size_t most, const std::function<void()>& pause) {
    std::function<void()> drained;
    std::size_t got = 0;
    {
        const std::lock_guard lock(mutex_);
        got = std::min(most, text_.size() - taken_);
        if (broken_) {
            return kBroken;
        }
        if (got == 0 && ended_) {
            return kEnd;
        }
        if (got == 0) {
            paused_ = true;
            pause();
            return 0;
        }
        std::copy_n(text_.data() + taken_, got, into);
        taken_ += got;
        if (taken_ == text_.size()) {
            text_.clear();
            taken_ = 0;
            drained = std::exchange(then_, {});
        }
    }
    if (drained) {
        drained();
    }
    return static_cast<long>(got);
}

void Feed::detach() {
    std::function<void()> drained;
    {
        const std::lock_guard lock(mutex_);
        left_ = true;
        paused_ = false;
        text_.clear();
        taken_ = 0;
        drained = std::exchange(then_, {});
    }
    if (drained) {
        drained();
    }
}

}  // namespace kaname::http
