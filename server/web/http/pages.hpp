// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/web/http/message.hpp"

namespace kaname::http {

/// One row of what a server has.
struct Page {
    std::string path;  ///< with everything below it when it ends with '/', else alone
    auth::Role needed = auth::Role::Viewer;
    /// Makes the answer; an error that it throws becomes an error_answer. Called from several
    /// threads.
    std::function<Answer(const Request&)> answer = {};
    /// It may take longer than some queries: made beside others, which do not wait for it.
    bool slow = false;
    std::string methods = "GET, HEAD";
    bool open = false;           ///< needs no token
    std::size_t body_bytes = 0;  ///< of a POST's body, at most; it must be JSON
    /// In place of `answer`: it returns soon, and what it throws is the answer. The request is
    /// there until Done is called.
    std::function<void(const Request&, Done)> later = {};
};

/// Who calls, by a token of the Authorization header or however else it says; notes it in
/// `authorization`. Throws Unauthenticated, and PermissionDenied when its role may not do what
/// `needed` may; `method` is for the audit.
using Authenticate =
    std::function<auth::Principal(Request& request, auth::Role needed, const std::string& method)>;

/// The page of a path, by its longest row; null: none.
[[nodiscard]] const Page* find_page(const std::vector<Page>& pages, const std::string& path);

/// Why a request is refused by its head, before any of its body is read; nothing: it is not. In
/// this order: 401 without a known token, 403 for a role that may not, 404 where there is no page
/// (null), 405 for a method that it has not, 413 for a body that it does not take or that is too
/// large, 415 for one that is not JSON. Never throws.
[[nodiscard]] std::optional<Answer> refusal_of(Request& request, const Page* page,
                                               const Authenticate& authenticate);

/// 413, for a body of more than `most` bytes.
[[nodiscard]] Answer too_large(const Request& request, std::size_t most);

/// Hands what the page says to `done`. Never throws.
void answer_to(Request& request, const Page& page, Done done);

}  // namespace kaname::http
