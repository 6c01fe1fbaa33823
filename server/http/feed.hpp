// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace kaname::http {

/// An answer that comes by and by: its writer adds text from any thread, its sender takes it, and
/// holds no thread while there is none. A writer that waits for `when_drained` before it adds the
/// next piece has one piece in memory.
class Feed {
public:
    // For the writer. All of it is passed over when the reader has left.
    void write(std::string_view text);
    void end();   ///< all is told
    void fail();  ///< it is cut short, which its reader sees; for the sender too
    /// `then` is called once, when all that was written is taken or the reader has left: at once,
    /// or by whoever takes it; short, and it may write.
    void when_drained(std::function<void()> then);
    /// Returns true if all that was written is taken.
    [[nodiscard]] bool drained();
    /// Returns true if the reader has left, as far as is known now.
    [[nodiscard]] bool left();

    // For the sender.
    static constexpr long kEnd = -1, kBroken = -2;
    /// `resume` goes on with a sending that was paused; `gone` says whether the reader of a paused
    /// one has left. Both are called with the feed's lock held.
    void attach(std::function<void()> resume, std::function<bool()> gone);
    /// The next bytes and how many; 0 when there are none now: `pause` was called then, before any
    /// `resume` of it.
    [[nodiscard]] long take(char* into, std::size_t most, const std::function<void()>& pause);
    /// The connection has ended.
    void detach();

private:
    void go_on();

    std::mutex mutex_;
    std::string text_;
    std::size_t taken_ = 0;
    bool ended_ = false, broken_ = false, paused_ = false, left_ = false;
    std::function<void()> resume_, then_;
    std::function<bool()> gone_;
};

}  // namespace kaname::http
