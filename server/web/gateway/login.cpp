// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/gateway/login.hpp"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include "proto/reason/reasoned_error.hpp"
#include "server/web/http/answers.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gateway {

constexpr std::chrono::minutes kMinute{1};

void Throttle::forget_old(Clock::time_point now) {
    std::erase_if(minutes_,
                  [&](const auto& minute) { return minute.second.began + kMinute <= now; });
    while (minutes_.size() >= kMost) {
        minutes_.erase(std::ranges::min_element(
            minutes_, {}, [](const auto& minute) { return minute.second.began; }));
    }
}

void Throttle::check(const std::string& address, const std::string& what, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    const auto found = minutes_.find(address);
    if (found != minutes_.end() && found->second.began + kMinute > now &&
        found->second.n >= most_) {
        const int after_s = 1 + static_cast<int>(std::chrono::duration_cast<std::chrono::seconds>(
                                                     found->second.began + kMinute - now)
                                                     .count());
        throw http::RetryLater("at most " + std::to_string(most_) + ' ' + what +
                                   " a minute from one address; try again in " +
                                   std::to_string(after_s) + " s",
                               after_s);
    }
}

void Throttle::count(const std::string& address, Clock::time_point now) {
    const std::lock_guard lock(mutex_);
    if (const auto found = minutes_.find(address);
        found != minutes_.end() && found->second.began + kMinute > now) {
        ++found->second.n;
        return;
    }
    forget_old(now);
    minutes_[address] = {now, 1};
}

namespace {

using nlohmann::json;

constexpr std::string_view kScheme = "Bearer ";
constexpr std::size_t kLongestPath = 1000;
constexpr std::size_t kLoginBytes = 4U << 10U;
constexpr std::size_t kSessions = 10000, kSessionsOfOwner = 32, kCodes = 1000, kCodesOfOwner = 16;

/// The value of a cookie, by its name.
std::string cookie_of(const std::string& cookies, const std::string& name) {
    std::size_t at = 0;
    while (at < cookies.size()) {
        std::size_t end = std::min(cookies.find(';', at), cookies.size());
        std::size_t begin = cookies.find_first_not_of(" \t,", at);
        if (begin < end && cookies.compare(begin, name.size() + 1, name + '=') == 0) {
            begin += name.size() + 1;
            return cookies.substr(begin, end - begin);
        }
        at = end + 1;
    }
    return "";
}

std::string name_of_cookie(bool tls) {
    // The prefix has browsers refuse one that another host, or a page without TLS, sets.
    return tls ? "__Host-kaname_session" : "kaname_session";
}

/// Where the browser has the page: other applications of its host, behind the same proxy, are sent
/// no cookie of this one.
std::string path_of_page(const http::Request& request) {
    const std::string path = request.header("x-kaname-path").value_or("/");
    const bool plain = path.starts_with('/') && path.size() <= kLongestPath &&
                       std::ranges::all_of(path, [](char letter) {
                           return letter > ' ' && letter < '\x7f' && letter != ';' && letter != ',';
                       });
    return plain ? path : "/";
}

/// Without its port, which changes with each connection.
std::string address_of(const http::Request& request) {
    return request.connection.substr(0, request.connection.rfind(':'));
}

struct Proof {
    std::string kind, text;  ///< "token" or "code", and its value
    bool instead = false;    ///< in place of whoever is logged in
};

Proof proof_of(const std::string& body) {
    const json said = json::parse(body, nullptr, false);
    if (said.is_object()) {
        const auto instead = said.find("instead");
        const bool any = instead != said.end();
        for (const char* name : {"token", "code"}) {
            if (said.contains(name) && said[name].is_string() && said.size() == (any ? 2 : 1) &&
                (!any || instead->is_boolean())) {
                return {name, said[name].get<std::string>(), any && instead->get<bool>()};
            }
        }
    }
    throw ValidationError(std::vector<Violation>{
        {"body", R"(must be {"token": "..."} or {"code": "..."} in JSON, with "instead": true )"
                 "in place of whoever is logged in"}});
}

/// A token as it may stand in a header; gRPC ends a program that sends others.
bool is_plain(const std::string& token) {
    return !token.empty() &&
           std::ranges::all_of(token, [](char letter) { return letter > ' ' && letter < '\x7f'; });
}

http::Answer json_answer(const json& content) {
    return {.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
            .text = content.dump() + "\n"};
}

}  // namespace

void check_page(const http::Request& request) {
    const bool reads = request.method == "GET" || request.method == "HEAD";
    const auto refuse = [](const std::string& why) {
        throw Error(ErrorCode::PermissionDenied,
                    "with a session's cookie only the page of this server may ask: " + why);
    };
    if (!reads && request.header("x-kaname-page") != "1") {
        refuse("header X-Kaname-Page must be 1");
    }
    const auto site = request.header("sec-fetch-site");
    if (site && *site != "same-origin" && !(reads && *site == "none")) {
        refuse("Sec-Fetch-Site must be same-origin");
    }
    const auto origin = request.header("origin");
    const std::string host = request.header("host").value_or("");
    if (origin && *origin != "http://" + host && *origin != "https://" + host) {
        refuse("Origin must be that of " + host + ", got " + *origin +
               " (a proxy in between must keep the header Host)");
    }
}

Login::Login(ByToken by_token, LoginOptions options)
    : by_token_(std::move(by_token)),
      options_(std::move(options)),
      sessions_({.lifetime_s = options_.session_s,
                 .most = kSessions,
                 .most_of_owner = kSessionsOfOwner,
                 .file = options_.sessions}),
      codes_({.lifetime_s = options_.code_s, .most = kCodes, .most_of_owner = kCodesOfOwner}),
      failures_(options_.failures_a_minute) {}

std::optional<SessionStore::Found> Login::session_of(const http::Request& request) {
    const auto cookies = request.header("cookie");
    const std::string key = cookies ? cookie_of(*cookies, name_of_cookie(options_.tls)) : "";
    return key.empty() ? std::nullopt : sessions_.find(key);
}

auth::Principal Login::authenticate(http::Request& request, auth::Role needed,
                                    const std::string& method) {
    auto authorization = request.header("authorization");
    if (!authorization) {
        if (const auto session = session_of(request)) {
            check_page(request);
            authorization = std::string(kScheme) + session->text;
        }
    } else if (authorization->starts_with(kScheme) &&
               !is_plain(authorization->substr(kScheme.size()))) {
        throw rpc::UnknownToken();
    }
    auth::Principal caller = by_token_(authorization, needed, method);
    request.authorization = *authorization;
    return caller;
}

void Login::look_again(const http::Request& request) {
    if (!request.header("authorization") && !session_of(request)) {
        throw rpc::ReasonedError(ErrorCode::Unauthenticated, rpc::kSessionEnded,
                                 "the session has ended");
    }
    (void)by_token_(request.authorization, auth::Role::Viewer, "GET " + request.path);
}

std::string Login::cookie(const http::Request& request, const std::string& value,
                          long age_s) const {
    return name_of_cookie(options_.tls) + '=' + value +
           "; Path=" + (options_.tls ? "/" : path_of_page(request)) +
           "; HttpOnly; SameSite=Strict; Max-Age=" + std::to_string(age_s) +
           (options_.tls ? "; Secure" : "");
}

http::Answer Login::who(const auth::Principal& caller, double until_s) const {
    const AllowedCalls may = options_.abilities ? options_.abilities(caller.role) : AllowedCalls{};
    return json_answer({{"name", caller.name},
                        {"role", std::string(to_string(caller.role))},
                        {"token_id", caller.token_id},
                        {"expires_s", until_s},
                        {"version", options_.version},
                        {"methods", may.methods},
                        {"streams", may.streams}});
}

std::optional<auth::Principal> Login::logged_in(const http::Request& request) {
    try {
        if (const auto session = session_of(request)) {
            return by_token_(std::string(kScheme) + session->text, auth::Role::Viewer,
                             "POST /v1/login");
        }
    } catch (const Error& error) {
        if (error.code() != ErrorCode::Unauthenticated) {
            throw;
        }
    }
    return std::nullopt;
}

auth::Principal Login::who_proves(const http::Request& request, std::string& proof, bool is_code,
                                  bool instead) {
    const std::string code = proof;
    if (is_code) {
        const auto found = codes_.find(code);
        if (!found) {
            throw Error(ErrorCode::Unauthenticated,
                        "the code is none of this server's, was used, or is older than a "
                        "minute; `kaname page` makes another");
        }
        proof = found->text;
    }
    if (!is_plain(proof)) {
        throw rpc::UnknownToken();
    }
    auth::Principal caller =
        by_token_(std::string(kScheme) + proof, auth::Role::Viewer, "POST /v1/login");
    if (is_code && !instead) {
        // Anybody can make somebody follow a link; a token is typed by who knows it.
        const auto before = logged_in(request);
        if (before && before->name != caller.name) {
            throw Error(ErrorCode::Conflict, "this browser is logged in as \"" + before->name +
                                                 "\"; the link logs in as \"" + caller.name + '"');
        }
    }
    if (is_code && !codes_.drop(code)) {
        throw Error(ErrorCode::Unauthenticated, "the code was used");
    }
    return caller;
}

http::Answer Login::log_in(const http::Request& request) {
    check_page(request);
    auto [kind, proof, instead] = proof_of(request.body);
    try {
        const auth::Principal caller = who_proves(request, proof, kind == "code", instead);
        const SessionStore::Kept session = sessions_.keep(proof, caller.name);
        http::Answer answer = who(caller, session.until_s);
        answer.headers.emplace_back(
            "Set-Cookie", cookie(request, session.key, static_cast<long>(options_.session_s)));
        return answer;
    } catch (const Error& error) {
        // A good proof is accepted whatever failures the address has had: nobody guesses 256 bits.
        if (error.code() == ErrorCode::Unauthenticated) {
            failures_.check(address_of(request), "logins may fail");
            failures_.count(address_of(request));
        }
        throw;
    }
}

http::Answer Login::log_out(const http::Request& request) {
    check_page(request);
    if (const auto cookies = request.header("cookie")) {
        sessions_.drop(cookie_of(*cookies, name_of_cookie(options_.tls)));
    }
    http::Answer answer = json_answer(json::object());
    answer.headers.emplace_back("Set-Cookie", cookie(request, "", 0));
    return answer;
}

http::Answer Login::answer_with_code(const http::Request& request) {
    const SessionStore::Kept code =
        make_code(request.authorization.substr(kScheme.size()), request.caller.name);
    return json_answer({{"code", code.key}, {"expires_s", code.until_s}});
}

std::vector<http::Page> Login::pages() {
    return {{.path = "/v1/login",
             .answer = [this](const http::Request& request) { return log_in(request); },
             .methods = "POST",
             .open = true,
             .body_bytes = kLoginBytes},
            {.path = "/v1/logout",
             .answer = [this](const http::Request& request) { return log_out(request); },
             .methods = "POST",
             .open = true,
             .body_bytes = kLoginBytes},
            {.path = "/v1/login-codes",
             .answer = [this](const http::Request& request) { return answer_with_code(request); },
             .methods = "POST",
             .body_bytes = kLoginBytes},
            {.path = "/v1/session", .answer = [this](const http::Request& request) {
                 const auto session =
                     request.header("authorization") ? std::nullopt : session_of(request);
                 return who(request.caller, session ? session->until_s : 0);
             }}};
}

}  // namespace kaname::gateway
