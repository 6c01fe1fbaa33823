// SPDX-License-Identifier: BSD-3-Clause
#include "server/web/http/pages.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>

#include "server/web/http/answers.hpp"
#include "solvers/base/error.hpp"
#include "solvers/base/text.hpp"

namespace kaname::http {
namespace {

constexpr std::size_t kMaxShownRequest = 200;

std::string shown(const std::string& text) {
    return '"' + to_utf8(text, kMaxShownRequest) + '"';
}

/// Returns true if `method` is one of the words of `methods`, "GET, HEAD".
bool names(const std::string& methods, const std::string& method) {
    return (", " + methods + ',').find(", " + method + ',') != std::string::npos;
}

/// As promised; 0 for a body that comes in pieces. What is no number promises too much.
std::uint64_t length_of(const Request& request) {
    const std::string text = request.header("content-length").value_or("0");
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    return error == std::errc() && end == text.data() + text.size()
               ? bytes
               : std::numeric_limits<std::uint64_t>::max();
}

bool is_json(const Request& request) {
    constexpr std::string_view kJson = "application/json";
    std::string type = request.header("content-type").value_or("");
    type.erase(std::min(type.find(';'), type.size()));
    type.erase(type.find_last_not_of(" \t") + 1);
    std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::tolower(c); });
    return type == kJson;
}

}  // namespace

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

Answer too_large(const Request& request, std::size_t most) {
    return error_answer(
        request,
        Error(ErrorCode::InvalidArgument,
              most == 0 ? "a request must have no body"
                        : "a body must have at most " + std::to_string(most) + " bytes"),
        413);
}

std::optional<Answer> refusal_of(Request& request, const Page* page,
                                 const Authenticate& authenticate) {
    try {
        if (page == nullptr || !page->open) {
            request.caller =
                authenticate(request, page != nullptr ? page->needed : auth::Role::Viewer,
                             request.method + ' ' + (page != nullptr ? page->path : "?"));
        }
        if (page == nullptr) {
            throw Error(ErrorCode::NotFound, "there is no page " + shown(request.path));
        }
        if (!names(page->methods, request.method)) {
            Answer answer = error_answer(
                request,
                Error(ErrorCode::InvalidArgument,
                      "method must be " + page->methods + ", got " + shown(request.method)),
                405);
            answer.headers.emplace_back("Allow", page->methods);
            return answer;
        }
        const bool takes_body = page->body_bytes > 0 && request.method == "POST";
        // A body of up to twice the limit is read and dropped first: an answer before its end ends
        // the connection, and a sender that still writes may not hear it.
        if (request.has_body() && (!takes_body || length_of(request) > 2 * page->body_bytes)) {
            return too_large(request, takes_body ? page->body_bytes : 0);
        }
        if (takes_body && !is_json(request)) {
            return error_answer(request,
                                Error(ErrorCode::InvalidArgument,
                                      "Content-Type must be application/json, got " +
                                          shown(request.header("content-type").value_or(""))),
                                415);
        }
        request.rest = request.path.substr(page->path.size());
        return std::nullopt;
    } catch (const std::exception& error) {
        return error_answer(request, error);
    }
}

void answer_to(Request& request, const Page& page, Done done) {
    Answer answer;
    try {
        if (page.later) {
            page.later(request, done);
            return;
        }
        answer = page.answer(request);
    } catch (const std::exception& error) {
        answer = error_answer(request, error);
    }
    done(std::move(answer));
}

}  // namespace kaname::http
