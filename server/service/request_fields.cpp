// SPDX-License-Identifier: BSD-3-Clause
#include "server/service/request_fields.hpp"

#include <string_view>

#include "solvers/base/error.hpp"

namespace kaname::service {
namespace {

bool is_uuid(const std::string& text) {
    if (text.size() != 36) {
        return false;
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
        const bool digit = std::string_view("0123456789abcdef").find(text[at]) != std::string::npos;
        if (dash ? text[at] != '-' : !digit) {
            return false;
        }
    }
    return true;
}

}  // namespace

void refuse(const std::string& field, const std::string& message) {
    throw ValidationError(std::vector<Violation>{{field, message}});
}

std::string id_of(const std::string& name, const std::string& collection,
                  const std::string& field) {
    const std::string prefix = collection + "/";
    const std::string id = name.starts_with(prefix) ? name.substr(prefix.size()) : name;
    if (!is_uuid(id)) {
        refuse(field, "must be \"" + prefix + "<uuid>\", got \"" + name.substr(0, 100) + '"');
    }
    return id;
}

}  // namespace kaname::service
