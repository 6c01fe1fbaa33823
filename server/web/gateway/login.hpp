// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "server/web/gateway/session_store.hpp"
#include "server/web/http/pages.hpp"

namespace kaname::gateway {

/// Counts what somebody does wrong, by address and minute. Safe from any thread.
class Throttle {
public:
    using Clock = std::chrono::steady_clock;

    explicit Throttle(int most_a_minute) : most_(most_a_minute) {}

    /// Throws Exhausted when `address` has reached the limit of this minute, saying of `what`.
    void check(const std::string& address, const std::string& what,
               Clock::time_point now = Clock::now());
    void count(const std::string& address, Clock::time_point now = Clock::now());

private:
    static constexpr std::size_t kMost = 4096;  ///< addresses; with more the oldest are forgotten
    struct Minute {
        Clock::time_point began;
        int n = 0;
    };
    void forget_old(Clock::time_point now);

    const int most_;
    std::mutex mutex_;
    std::map<std::string, Minute> minutes_;
};

/// Who has the token of "Bearer TOKEN"; see service::authenticate.
using ByToken = std::function<auth::Principal(const std::optional<std::string>& authorization,
                                              auth::Role needed, const std::string& method)>;

/// Holds the names of the methods and streams that a role may call.
struct AllowedCalls {
    std::vector<std::string> methods, streams;
};

struct LoginOptions {
    bool tls = false;
    std::filesystem::path sessions = {};  ///< file in which sessions outlive the server
    std::string version = {};
    std::function<AllowedCalls(auth::Role)> abilities = {};
    double session_s = 12 * 3600, code_s = 60;
    int failures_a_minute = 10;
};

/// Lets requests in by a token or by a session, which a browser gets for a token or for a code that
/// is good once. A session is a cookie that scripts cannot read; what is kept of it is useless
/// without the cookie, and its token is looked at with every request. Safe from any thread.
class Login {
public:
    Login(ByToken by_token, LoginOptions options);

    /// http::Authenticate. Of who comes with a cookie it also asks that the page itself asks.
    [[nodiscard]] auth::Principal authenticate(http::Request& request, auth::Role needed,
                                               const std::string& method);
    /// Throws Unauthenticated where who was let in would not be now.
    void look_again(const http::Request& request);

    /// Makes a code that is good once, for who has the token.
    [[nodiscard]] SessionStore::Kept make_code(const std::string& token, const std::string& owner) {
        return codes_.keep(token, owner);
    }
    /// /v1/login, /v1/logout, /v1/login-codes, /v1/session. The login outlives them.
    [[nodiscard]] std::vector<http::Page> pages();

private:
    [[nodiscard]] std::optional<SessionStore::Found> session_of(const http::Request& request);
    /// Whose session the browser has; nothing: nobody's.
    [[nodiscard]] std::optional<auth::Principal> logged_in(const http::Request& request);
    /// Who logs in; `proof` becomes the token. A code is used up, unless somebody else is logged in
    /// and not to be replaced: throws Conflict then.
    [[nodiscard]] auth::Principal who_proves(const http::Request& request, std::string& proof,
                                             bool is_code, bool instead);
    [[nodiscard]] std::string cookie(const http::Request& request, const std::string& value,
                                     long age_s) const;
    [[nodiscard]] http::Answer log_in(const http::Request& request);
    [[nodiscard]] http::Answer log_out(const http::Request& request);
    [[nodiscard]] http::Answer answer_with_code(const http::Request& request);
    [[nodiscard]] http::Answer who(const auth::Principal& caller, double until_s) const;

    ByToken by_token_;
    LoginOptions options_;
    SessionStore sessions_, codes_;
    Throttle failures_;
};

/// Throws PermissionDenied unless a request comes from the page that this server serves itself: a
/// header that no form of another page can send, and what the browser says of its origin.
void check_page(const http::Request& request);

}  // namespace kaname::gateway
