// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/descriptor.h>

/// The calls of the gRPC server for who speaks HTTP and JSON: each is handed to the handler that
/// gRPC's callers reach, so that there is one rule for roles, owners, limits and the audit
/// (docs/decisions/0087-json-by-the-same-handlers.md).
namespace kaname::gateway {

/// One call of kaname.v1.
struct Method {
    const google::protobuf::MethodDescriptor* descriptor = nullptr;
    std::string name;     ///< "Jobs/ListJobs"
    std::string why_not;  ///< it is not served over HTTP; empty: it is
    /// As gRPC names it: "/kaname.v1.Jobs/ListJobs".
    [[nodiscard]] std::string path() const;
    [[nodiscard]] bool streams() const { return descriptor->server_streaming(); }
};

/// All calls of these services of package kaname.v1, from their descriptors. A new one is served
/// without a word here.
[[nodiscard]] std::vector<Method> methods_of(const std::vector<std::string>& services);

/// Null: none of that name is served.
[[nodiscard]] const Method* find(const std::vector<Method>& methods, std::string_view name);

}  // namespace kaname::gateway
