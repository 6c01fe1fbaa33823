// SPDX-License-Identifier: BSD-3-Clause
#include "server/pages/site.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "server/pages/pages.hpp"

namespace kaname::pages {
namespace {

gateway::GatewayOptions gateway_options(const SiteOptions& options, rpc::ApiServer& api) {
    return {.channel = api.local_channel(),
            .by_token =
                [&api](const std::optional<std::string>& authorization, auth::Role needed,
                       const std::string& method) {
                    return api.authenticate(authorization, needed, method);
                },
            .take_stream =
                [&api](const http::Request& request) {
                    return api.take_stream(request.caller, request.connection);
                },
            .door = {.tls = !options.http.certificate.empty(),
                     .sessions = options.sessions,
                     .version = options.version}};
}

}  // namespace

Site::Site(const SiteOptions& options, rpc::ApiServer& api, const service::Backends& backends,
           helpers::Describer& describer)
    : api_(api),
      gateway_(gateway_options(options, api)),
      descriptions_(backends.store, backends.artifacts, api.downloads(), describer),
      folder_(options.page) {
    std::vector<http::Page> rows =
        all_pages([&api] { return api.metrics(); }, api.downloads(), &descriptions_);
    std::ranges::move(health_pages([&api] { return api.is_serving(); }), std::back_inserter(rows));
    std::ranges::move(gateway_.pages(), std::back_inserter(rows));
    rows.push_back(folder_.page());
    server_ =
        std::make_unique<http::Server>(options.http, std::move(rows), gateway_.authenticate());
    api_.make_login_codes_by([this](const auth::Principal& caller, const std::string& token) {
        const auto code = gateway_.make_login_code(token, caller.name);
        return service::LoginCode{code.key, code.until_s};
    });
}

Site::~Site() {
    stop();
}

void Site::stop() {
    api_.make_login_codes_by({});
    gateway_.drain();
    server_.reset();
}

}  // namespace kaname::pages
