// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "server/store/types.hpp"

namespace kaname::store {

enum class DrainKind { Host, Gpu };

/// What an operator wants no work on: all workers of a host, or all that have a GPU, whoever starts
/// them, until it is lifted. They finish what they hold and leave.
struct Drain {
    DrainKind kind = DrainKind::Host;
    std::string value;  ///< name of the host, UUID of the GPU
    std::string host;   ///< where that is; of a GPU: where it was seen last, empty: nowhere yet
};

/// Throws Unavailable as Store does.
class DrainStore {
public:
    virtual ~DrainStore() = default;

    /// Begins or lifts one; `host` is filled in by the store. Repeating it is harmless, but lifting
    /// one that is not there throws NotFound.
    virtual void set_drain(const Drain& drain, bool on, const Actor& actor = {}) = 0;
    [[nodiscard]] virtual std::vector<Drain> list_drains() = 0;
};

}  // namespace kaname::store
