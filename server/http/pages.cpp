// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/pages.hpp"

#include "server/http/error_answer.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/utf8.hpp"

namespace kaname::http {
namespace {

constexpr std::size_t kMaxShown = 200;

std::string shown(const std::string& text) {
    return '"' + to_utf8(text, kMaxShown) + '"';
}

}  // namespace

Authenticate by_tokens(const auth::Tokens& tokens) {
    return [&tokens](const std::optional<std::string>& authorization, auth::Role needed,
                     const std::string&) {
        constexpr std::string_view kScheme = "Bearer ";
        const auto principal =
            authorization && authorization->starts_with(kScheme)
                ? tokens.find(std::string_view(*authorization).substr(kScheme.size()))
                : std::nullopt;
        if (!principal) {
            throw Error(ErrorCode::Unauthenticated,
                        "header Authorization must be \"Bearer <token>\" with one of this "
                        "server's tokens");
        }
        if (!auth::allows(principal->role, needed)) {
            throw Error(ErrorCode::PermissionDenied,
                        "a token of role " + std::string(to_string(needed)) + " is needed");
        }
        return *principal;
    };
}

const Page* find_page(const std::vector<Page>& pages, const std::string& path) {
    const Page* found = nullptr;
    for (const Page& page : pages) {
        const bool fits =
            page.path.ends_with('/') ? path.starts_with(page.path) : path == page.path;
        if (fits && (found == nullptr || page.path.size() > found->path.size())) {
            found = &page;
        }
    }
    return found;
}

Answer answer_to(Request& request, const Page* page, const Authenticate& authenticate) {
    try {
        request.caller = authenticate(request.header("authorization"),
                                      page != nullptr ? page->needed : auth::Role::Viewer,
                                      "GET " + (page != nullptr ? page->path : "?"));
        if (page == nullptr) {
            throw Error(ErrorCode::NotFound, "there is no page " + shown(request.path));
        }
        if (request.method != "GET" && request.method != "HEAD") {
            Answer answer =
                error_answer(request,
                             Error(ErrorCode::InvalidArgument,
                                   "method must be GET or HEAD, got " + shown(request.method)),
                             405);
            answer.headers.emplace_back("Allow", "GET, HEAD");
            return answer;
        }
        if (request.has_body()) {
            return error_answer(
                request, Error(ErrorCode::InvalidArgument, "a request must have no body"), 413);
        }
        request.rest = request.path.substr(page->path.size());
        return page->answer(request);
    } catch (const std::exception& error) {
        return error_answer(request, error);
    }
}

}  // namespace kaname::http
