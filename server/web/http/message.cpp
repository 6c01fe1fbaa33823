// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/http/message.hpp"

#include <algorithm>
#include <utility>

#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

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

namespace {

constexpr std::size_t kMaxShownQuery = 64;  ///< of what somebody sent, in a message

}  // namespace

std::optional<std::string> Request::header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? std::nullopt : std::optional(found->second);
}

bool Request::has_body() const {
    const std::string length = header("content-length").value_or("0");
    return header("transfer-encoding").has_value() || length != "0";
}

bool Request::flag(const std::string& name) const {
    const auto found = query.find(name);
    if (found == query.end() || found->second == "false") {
        return false;
    }
    if (found->second != "true") {
        throw ValidationError({{name, "must be true or false, got \"" +
                                          to_utf8(found->second, kMaxShownQuery) + '"'}});
    }
    return true;
}

void Request::check_query(const std::vector<std::string>& known) const {
    std::vector<Violation> broken;
    std::string names;
    for (const std::string& name : known) {
        names += (names.empty() ? "" : ", ") + name;
    }
    for (const auto& [name, value] : query) {
        if (std::ranges::find(known, name) == known.end()) {
            broken.push_back({to_utf8(name, kMaxShownQuery),
                              names.empty() ? "must be left out: this page takes nothing behind ?"
                                            : "must be one of " + names});
        }
    }
    if (!broken.empty()) {
        throw ValidationError(std::move(broken));
    }
}

Answer plain(int status, const std::string& line) {
    return {.status = status,
            .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
            .text = line + "\n"};
}

}  // namespace kaname::http
