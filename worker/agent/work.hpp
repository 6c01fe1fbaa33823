// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>

#include "worker/agent/lease/reporter.hpp"

namespace kaname::agent {

/// StageFailure describes, for the server, why a stage failed.
struct StageFailure {
    std::string error_class, message;
    FailureKind kind = FailureKind::Retryable;
};

[[nodiscard]] StageFailure describe_failure(const std::exception_ptr& thrown);

}  // namespace kaname::agent
