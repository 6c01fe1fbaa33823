// SPDX-License-Identifier: BSD-3-Clause
#include "server/gateway/gateway.hpp"

#include <utility>

#include "server/gateway/events.hpp"
#include "server/gateway/slices.hpp"
#include "server/gateway/unary.hpp"
#include "solvers/base/error.hpp"

namespace kaname::gateway {
namespace {

/// Returns the methods that each role may call; the handlers are asked for them once.
std::function<Abilities(auth::Role)> abilities_of(const std::vector<Method>& methods, Line& line) {
    std::vector<std::pair<const Method*, auth::Role>> needs;
    for (const Method& method : methods) {
        if (method.why_not.empty()) {
            const auto role = auth::role_named(line.role_of(method));
            if (!role) {
                throw Error(ErrorCode::Internal, method.name + " needs a role that is none");
            }
            needs.emplace_back(&method, *role);
        }
    }
    return [needs = std::move(needs)](auth::Role role) {
        Abilities may;
        for (const auto& [method, needed] : needs) {
            if (auth::allows(role, needed)) {
                (method->streams() ? may.streams : may.methods).push_back(method->name);
            }
        }
        return may;
    };
}

}  // namespace

const std::vector<std::string>& served_services() {
    static const std::vector<std::string> names = {"Jobs",     "Greens",    "Artifacts",
                                                   "Datasets", "Campaigns", "Admin"};
    return names;
}

Gateway::Gateway(GatewayOptions options)
    : methods_(methods_of(served_services())),
      door_(std::move(options.by_token),
            [&] {
                options.door.abilities = [this](auth::Role role) { return abilities_(role); };
                return std::move(options.door);
            }()),
      line_(std::move(options.channel)),
      overview_(methods_, line_, rounds_, std::move(options.take_stream),
                [this](const http::Request& request) { door_.look_again(request); }) {
    abilities_ = abilities_of(methods_, line_);
}

http::Authenticate Gateway::authenticate() {
    return [this](http::Request& request, auth::Role needed, const std::string& method) {
        return door_.authenticate(request, needed, method);
    };
}

std::vector<http::Page> Gateway::pages() {
    const auto look_again = [this](const http::Request& request) { door_.look_again(request); };
    std::vector<http::Page> pages = door_.pages();
    pages.push_back(rpc_page(methods_, line_, rounds_));
    pages.push_back(events_page(methods_, line_, rounds_, look_again));
    pages.push_back(overview_.page());
    pages.push_back(slices_page(methods_, line_, rounds_, look_again));
    return pages;
}

}  // namespace kaname::gateway
