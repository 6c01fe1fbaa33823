// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "server/store/types.hpp"

namespace kaname::store {

enum class DrainKind { Host, Gpu };

/// Drain names a host or GPU that an operator wants no work on, until it is lifted. It concerns all
/// workers of the host or with the GPU, whoever starts them: they finish the tasks that they hold
/// and leave.
struct Drain {
    DrainKind kind = DrainKind::Host;
    std::string value;  ///< name of the host, UUID of the GPU
    std::string host;   ///< where that is; of a GPU: where it was seen last, empty: nowhere yet
    std::string reason = {};
    double since_s = 0;  ///< set by the store, as `by` is: the actor
    std::string by = {};
};

enum class CordonKind { Host, Gpu, Worker };

/// Cordon names workers that claims give nothing, until it is lifted: all workers of a host or with
/// a GPU, whoever starts them, or one worker while it lives. They finish the tasks that they hold,
/// and stay.
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

    /// Sets or lifts a drain; `host` is filled in by the store. Repeating it is harmless and may
    /// change the reason, but lifting one that does not exist throws NotFound.
    virtual void set_drain(const Drain& drain, bool on, const Actor& actor = {}) = 0;
    [[nodiscard]] virtual std::vector<Drain> list_drains() = 0;

    /// Sets or lifts a cordon as set_drain does; a GPU that its faults cordoned stays cordoned by
    /// them. Lifting that of a GPU forgets its faults. Throws NotFound also for a worker that is
    /// unknown or lost.
    virtual void set_cordon(const Cordon& cordon, bool on, const Actor& actor = {}) = 0;
    /// By kind and value.
    [[nodiscard]] virtual std::vector<Cordon> list_cordons() = 0;
};

/// Returns the text about a cordon that workers receive; it is for people.
[[nodiscard]] std::string cordon_text(const Cordon& cordon);

}  // namespace kaname::store
