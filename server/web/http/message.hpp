// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/auth/tokens.hpp"
#include "solvers/base/files.hpp"

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

inline constexpr std::size_t kMaxShownPath = 100;  ///< bytes of a request's path in a message

struct Request {
    std::string method, path;
    /// By lower-case name; what came several times is joined by ", ", as lists are.
    std::map<std::string, std::string> headers = {};
    std::map<std::string, std::string> query = {};  ///< behind '?'; the last of a name
    std::string rest = {};                          ///< of the path, behind that of its page
    std::string body = {};                          ///< empty for pages that take none
    auth::Principal caller = {};
    std::string authorization = {};   ///< "Bearer TOKEN" of the caller, however it was said
    std::string connection = {};      ///< ADDRESS:PORT of the caller
    std::function<bool()> gone = {};  ///< whether the caller has left; empty: it stays

    /// The value of a header; nothing when there is none.
    [[nodiscard]] std::optional<std::string> header(const std::string& lower_case_name) const;
    /// Returns true if a body follows.
    [[nodiscard]] bool has_body() const;
    /// A word of the query: true or false, false where it is not said. Throws ValidationError.
    [[nodiscard]] bool flag(const std::string& name) const;
    /// Throws ValidationError that names each word of the query that is none of `known`.
    void check_query(const std::vector<std::string>& known) const;
};

/// Bytes of an open file, sent as they are.
struct Region {
    Fd file;
    std::uint64_t offset = 0, bytes = 0;
};

struct Answer {
    int status = 200;
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string text = {};
    std::optional<Region> region = {};             ///< in place of `text`
    std::shared_ptr<Feed> feed = {};               ///< likewise: text that comes by and by
    std::optional<std::uint64_t> feed_bytes = {};  ///< all of it, where that is known
    std::shared_ptr<const void> held = {};  ///< until all of it is sent, or the caller has left
};

/// Takes the answer of a page that makes it later: once, from any thread.
using Done = std::function<void(Answer)>;

/// text/plain of one line.
[[nodiscard]] Answer plain(int status, const std::string& line);

}  // namespace kaname::http
