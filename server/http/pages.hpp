// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "server/http/message.hpp"

namespace kaname::http {

/// One row of what a server has.
struct Page {
    std::string path;  ///< with everything below it when it ends with '/', else alone
    auth::Role needed = auth::Role::Viewer;
    /// What it throws becomes an error_answer. Called from several threads.
    std::function<Answer(const Request&)> answer;
    /// It may take longer than some queries: made beside others, which do not wait for it.
    bool slow = false;
};

/// Who has the token of an Authorization header, if there is one. Throws Unauthenticated, and
/// PermissionDenied when its role may not do what `needed` may; `method` is for the audit.
using Authenticate = std::function<auth::Principal(const std::optional<std::string>& authorization,
                                                   auth::Role needed, const std::string& method)>;

/// Of these tokens alone, without an audit; `tokens` outlives it.
[[nodiscard]] Authenticate by_tokens(const auth::Tokens& tokens);

/// The page of a path, by its longest row; null: none.
[[nodiscard]] const Page* find_page(const std::vector<Page>& pages, const std::string& path);

/// The answer to a request for `page` (null: there is none). Refusals, in this order: 401 without a
/// known token, 403 for a role that may not, 404 for no page, 405 for another method than GET and
/// HEAD, 413 for a body; then what the page says. Never throws.
[[nodiscard]] Answer answer_to(Request& request, const Page* page,
                               const Authenticate& authenticate);

}  // namespace kaname::http
