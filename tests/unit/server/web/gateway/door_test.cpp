// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "server/web/gateway/login.hpp"
#include "server/web/http/answers.hpp"
#include "solvers/base/error.hpp"
#include "tests/support/by_tokens.hpp"
#include "tests/support/token_list.hpp"

namespace kaname::gateway::door_test {
namespace {

using http::Answer;
using http::Request;

class DoorTest : public testing::Test {
protected:
    DoorTest() : login_(make(false)) {}

    Login make(bool tls) {
        const auto by_token = http::by_tokens(tokens_);
        return Login(
            [by_token](const std::optional<std::string>& authorization, auth::Role needed,
                       const std::string& method) {
                Request request{.method = "GET", .path = "/"};
                if (authorization) {
                    request.headers["authorization"] = *authorization;
                }
                return by_token(request, needed, method);
            },
            {.tls = tls, .version = "1.2.3", .abilities = [](auth::Role role) {
                 return AllowedCalls{{std::string(to_string(role)) + "/Call"}, {}};
             }});
    }
    static Request post(const std::string& path, const std::string& body) {
        return {.method = "POST",
                .path = path,
                .headers = {{"x-kaname-page", "1"}, {"host", "k:80"}},
                .body = body,
                .connection = "127.0.0.1:4000"};
    }
    static Answer ask(Login& login, Request request) {
        const auto pages = login.pages();
        const http::Page* page = http::find_page(pages, request.path);
        if (!page->open) {
            request.caller = login.authenticate(request, page->needed, request.path);
        }
        return page->answer(request);
    }
    Answer ask(Request request) { return ask(login_, std::move(request)); }
    Answer log_in(const std::string& token) {
        return ask(post("/v1/login", "{\"token\": \"" + token + "\"}"));
    }
    /// The body of a login by a new code of a token.
    std::string code_body(const std::string& token) {
        Request request = post("/v1/login-codes", "");
        request.headers["authorization"] = "Bearer " + token;
        const std::string made = ask(request).text;
        return "{\"code\": \"" + made.substr(made.find("\"code\":\"") + 8, 64) + "\"}";
    }
    static std::string header(const Answer& answer, const std::string& wanted) {
        for (const auto& [name, value] : answer.headers) {
            if (name == wanted) {
                return value;
            }
        }
        return "";
    }
    static std::string cookie_of(const Answer& answer) {
        const std::string cookie = header(answer, "Set-Cookie");
        return cookie.substr(0, cookie.find(';'));
    }
    static Request with_cookie(const std::string& method, const std::string& cookie) {
        return {.method = method,
                .path = "/v1/session",
                .headers = {{"cookie", "a=b; " + cookie + "; c=d"}, {"host", "k:80"}}};
    }
    template <class Call>
    static std::optional<ErrorCode> code_of(Call&& call) {
        try {
            (void)call();
        } catch (const Error& error) {
            return error.code();
        }
        return std::nullopt;
    }
    std::optional<ErrorCode> code_of_asking(Request request) {
        return code_of([&] { return login_.authenticate(request, auth::Role::Viewer, "GET /"); });
    }

    auth::TokenList tokens_;
    const std::string token_ = tokens_.issue("ada", auth::Role::Operator);
    Login login_;
};

TEST_F(DoorTest, ACookieIsForThePathWhereAProxyHasThePage) {
    const auto path_of = [&](Login& login, const std::string& path) {
        Request request = post("/v1/login", "{\"token\": \"" + token_ + "\"}");
        request.headers["x-kaname-path"] = path;
        const std::string cookie = header(ask(login, std::move(request)), "Set-Cookie");
        const std::size_t at = cookie.find("Path=") + 5;
        return cookie.substr(at, cookie.find(';', at) - at);
    };

    EXPECT_EQ(path_of(login_, "/node/n7/8180/"), "/node/n7/8180/");
    EXPECT_EQ(path_of(login_, "/a; Domain=b"), "/");
    EXPECT_EQ(path_of(login_, "b"), "/");
    Login with_tls = make(true);
    EXPECT_EQ(path_of(with_tls, "/node/n7/8180/"), "/") << "__Host- wants the root";
}

TEST_F(DoorTest, ATokenBuysASession) {
    const Answer answer = log_in(token_);

    EXPECT_NE(answer.text.find("\"name\":\"ada\""), std::string::npos) << answer.text;
    EXPECT_NE(answer.text.find("\"methods\":[\"operator/Call\"]"), std::string::npos);
    const std::string cookie = header(answer, "Set-Cookie");
    EXPECT_NE(cookie.find("; HttpOnly"), std::string::npos);
    EXPECT_NE(cookie.find("; SameSite=Strict"), std::string::npos);
    EXPECT_NE(cookie.find("; Path=/;"), std::string::npos);
    EXPECT_EQ(cookie.find("Secure"), std::string::npos);
    EXPECT_EQ(cookie.find(token_), std::string::npos);
    Request request = with_cookie("GET", cookie_of(answer));
    EXPECT_EQ(login_.authenticate(request, auth::Role::Viewer, "GET /").name, "ada");
    EXPECT_EQ(request.authorization, "Bearer " + token_);
}

TEST_F(DoorTest, OverTlsACookieIsForTlsAlone) {
    Login login = make(true);

    const std::string cookie =
        header(ask(login, post("/v1/login", "{\"token\": \"" + token_ + "\"}")), "Set-Cookie");

    EXPECT_TRUE(cookie.starts_with("__Host-kaname_session="));
    EXPECT_TRUE(cookie.ends_with("; Secure"));
}

TEST_F(DoorTest, ASessionEndsWithItsTokenAndWithALogout) {
    const std::string cookie = cookie_of(log_in(token_)), other = cookie_of(log_in(token_));
    Request request = with_cookie("GET", cookie);
    (void)login_.authenticate(request, auth::Role::Viewer, "GET /");
    Request out = post("/v1/logout", "");
    out.headers["cookie"] = cookie;
    (void)ask(out);

    EXPECT_EQ(code_of_asking(with_cookie("GET", cookie)), ErrorCode::Unauthenticated);
    EXPECT_EQ(code_of([&] {
                  login_.look_again(request);
                  return 0;
              }),
              ErrorCode::Unauthenticated);
    EXPECT_EQ(code_of_asking(with_cookie("GET", other)), std::nullopt);
    (void)tokens_.issue("ada", auth::Role::Operator);  // in place of the old one
    EXPECT_EQ(code_of_asking(with_cookie("GET", other)), ErrorCode::Unauthenticated);
}

TEST_F(DoorTest, ACodeIsGoodOnce) {
    const std::string body = code_body(token_);

    EXPECT_NE(ask(post("/v1/login", body)).text.find("\"name\":\"ada\""), std::string::npos);
    EXPECT_EQ(code_of([&] { return ask(post("/v1/login", body)); }), ErrorCode::Unauthenticated);
}

TEST_F(DoorTest, WhatIsNoLoginIsRefused) {
    for (const char* body :
         {"", "{}", "[]", "x", R"({"token": 5})", R"({"token": "a", "code": "b"})",
          R"({"name": "ada"})", R"({"instead": true})", R"({"code": "a", "instead": 1})",
          "{\"token\":"}) {
        EXPECT_EQ(code_of([&] { return ask(post("/v1/login", body)); }), ErrorCode::InvalidArgument)
            << body;
    }
    EXPECT_EQ(code_of([&] { return log_in("a\\nb"); }), ErrorCode::Unauthenticated);
    EXPECT_EQ(code_of([&] { return log_in("\xc3\xa9"); }), ErrorCode::Unauthenticated);
}

TEST_F(DoorTest, WhoGuessesWaitsAndNobodyElse) {
    for (int k = 0; k < 10; ++k) {
        EXPECT_EQ(code_of([&] { return log_in("guess"); }), ErrorCode::Unauthenticated);
    }
    EXPECT_EQ(code_of([&] { return log_in("guess"); }), ErrorCode::Exhausted);
    try {
        (void)log_in("guess");
    } catch (const Error& error) {
        const Answer refused = http::error_answer(post("/v1/login", ""), error);
        EXPECT_EQ(refused.status, 429);
        const int after_s = std::atoi(header(refused, "Retry-After").c_str());
        EXPECT_GT(after_s, 50) << "the rest of the minute";
        EXPECT_LE(after_s, 60);
    }
    Request elsewhere = post("/v1/login", "{\"token\": \"guess\"}");
    elsewhere.connection = "127.0.0.2:4000";
    EXPECT_EQ(code_of([&] { return ask(elsewhere); }), ErrorCode::Unauthenticated);

    // A good token is accepted, also from an address from which somebody guesses.
    EXPECT_EQ(code_of([&] { return log_in(token_); }), std::nullopt);
    EXPECT_EQ(code_of([&] { return ask(post("/v1/login", code_body(token_))); }), std::nullopt);
}

TEST_F(DoorTest, ALinkOfSomebodyElseAsksFirst) {
    const std::string other = tokens_.issue("mallory", auth::Role::User);
    Request follow = post("/v1/login", code_body(other));
    follow.headers["cookie"] = cookie_of(log_in(token_));

    EXPECT_EQ(code_of([&] { return ask(follow); }), ErrorCode::Conflict);
    Request mine = post("/v1/login", code_body(token_));
    mine.headers["cookie"] = follow.headers["cookie"];
    EXPECT_NE(ask(mine).text.find("\"name\":\"ada\""), std::string::npos);
    // The code is still good, for who is asked and wants it.
    follow.body.insert(1, "\"instead\": true, ");
    EXPECT_NE(ask(follow).text.find("\"name\":\"mallory\""), std::string::npos);
    EXPECT_EQ(code_of([&] { return ask(follow); }), ErrorCode::Unauthenticated);
}

TEST_F(DoorTest, ASessionThatHasEndedIsReplacedUnasked) {
    const std::string other = tokens_.issue("mallory", auth::Role::User);
    Request follow = post("/v1/login", code_body(other));
    follow.headers["cookie"] = cookie_of(log_in(token_));
    (void)tokens_.issue("ada", auth::Role::Operator);  // in place of the old one

    EXPECT_NE(ask(follow).text.find("\"name\":\"mallory\""), std::string::npos);
}

TEST_F(DoorTest, SessionsAndCodesOfOneEndNoneOfOthers) {
    const std::string other = tokens_.issue("eve", auth::Role::Viewer);
    const std::string cookie = cookie_of(log_in(token_)), code = code_body(token_);
    const std::string early = cookie_of(log_in(other));
    for (int k = 0; k < 32; ++k) {
        (void)log_in(other);
        (void)code_body(other);
    }

    EXPECT_EQ(code_of_asking(with_cookie("GET", cookie)), std::nullopt);
    EXPECT_EQ(code_of_asking(with_cookie("GET", early)), ErrorCode::Unauthenticated);
    EXPECT_EQ(code_of([&] { return ask(post("/v1/login", code)); }), std::nullopt);
}

TEST_F(DoorTest, WithACookieThePageAloneMayAsk) {
    const std::string cookie = cookie_of(log_in(token_));
    const auto with = [&](const std::string& method, std::map<std::string, std::string> headers) {
        Request request = with_cookie(method, cookie);
        request.headers.merge(headers);
        return code_of_asking(request);
    };

    EXPECT_EQ(with("POST", {}), ErrorCode::PermissionDenied);
    EXPECT_EQ(with("POST", {{"x-kaname-page", "0"}}), ErrorCode::PermissionDenied);
    EXPECT_EQ(with("POST", {{"x-kaname-page", "1"}}), std::nullopt);
    EXPECT_EQ(with("POST", {{"x-kaname-page", "1"}, {"origin", "http://k:80"}}), std::nullopt);
    EXPECT_EQ(with("POST", {{"x-kaname-page", "1"}, {"origin", "http://k:81"}}),
              ErrorCode::PermissionDenied);
    EXPECT_EQ(with("POST", {{"x-kaname-page", "1"}, {"origin", "null"}}),
              ErrorCode::PermissionDenied);
    EXPECT_EQ(with("GET", {}), std::nullopt);
    EXPECT_EQ(with("GET", {{"sec-fetch-site", "same-origin"}}), std::nullopt);
    EXPECT_EQ(with("GET", {{"sec-fetch-site", "none"}}), std::nullopt);
    EXPECT_EQ(with("GET", {{"sec-fetch-site", "same-site"}}), ErrorCode::PermissionDenied);
    EXPECT_EQ(with("GET", {{"sec-fetch-site", "cross-site"}}), ErrorCode::PermissionDenied);
    EXPECT_EQ(with("POST", {{"x-kaname-page", "1"}, {"sec-fetch-site", "none"}}),
              ErrorCode::PermissionDenied);
    Request login = post("/v1/login", "{\"token\": \"" + token_ + "\"}");
    login.headers.erase("x-kaname-page");
    EXPECT_EQ(code_of([&] { return ask(login); }), ErrorCode::PermissionDenied);
}

TEST_F(DoorTest, ATokenNeedsNoPage) {
    Request request{
        .method = "POST",
        .path = "/v1/session",
        .headers = {{"authorization", "Bearer " + token_}, {"origin", "http://elsewhere"}}};

    EXPECT_EQ(code_of_asking(request), std::nullopt);
    request.headers["authorization"] = "Bearer \xff\n" + token_;
    EXPECT_EQ(code_of_asking(request), ErrorCode::Unauthenticated);
    request.headers["authorization"] = "Basic YTpi";
    EXPECT_EQ(code_of_asking(request), ErrorCode::Unauthenticated);
}

}  // namespace
}  // namespace kaname::gateway::door_test
