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
    std::string reason = {};
    double since_s = 0;  ///< set by the store, as `by` is: the actor
    std::string by = {};
};

enum class CordonKind { Host, Gpu, Worker };

/// What claims give nothing, until it is lifted: all workers of a host or that have a GPU, whoever
/// starts them, or one worker while it lives. They finish what they hold, and stay.
struct Cordon {
    CordonKind kind = CordonKind::Gpu;
    std::string value;  ///< name of the host, UUID of the GPU, id of the worker
    std::string host;   ///< as in Drain; empty of a worker
    std::string reason = {};
    /// Set by the store, as `by` is: the actor; empty: the GPU's faults, or tasks of the worker
    /// that failed and that others did.
    double since_s = 0;
    std::string by = {};
    /// By faults that were told with a token which no server made for its agents: it holds for
    /// workers of that token alone.
    bool of_one_token = false;
};

/// Throws Unavailable as Store does.
class DrainStore {
public:
    virtual ~DrainStore() = default;

    /// Begins or lifts one; `host` is filled in by the store. Repeating it is harmless and may
    /// change the reason, but lifting one that is not there throws NotFound.
    virtual void set_drain(const Drain& drain, bool on, const Actor& actor = {}) = 0;
    [[nodiscard]] virtual std::vector<Drain> list_drains() = 0;

    /// Likewise; a GPU that its faults cordoned stays cordoned by them. Lifting that of a GPU
    /// forgets its faults. Throws NotFound also for a worker that is unknown or lost.
    virtual void set_cordon(const Cordon& cordon, bool on, const Actor& actor = {}) = 0;
    /// By kind and value.
    [[nodiscard]] virtual std::vector<Cordon> list_cordons() = 0;
};

/// What workers are told of a cordon, for people.
[[nodiscard]] std::string cordon_text(const Cordon& cordon);

}  // namespace kaname::store
