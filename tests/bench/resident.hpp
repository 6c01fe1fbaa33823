// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

namespace kaname::bench {

/// Peak of resident memory from its construction on, above what was resident then. Needs Linux's
/// /proc/self/clear_refs, which resets the peak of the process.
class ResidentGrowth {
public:
    ResidentGrowth();
    /// Bytes; nullopt where the system does not tell.
    [[nodiscard]] std::optional<double> peak_bytes() const;

private:
    std::optional<double> start_bytes_;
};

}  // namespace kaname::bench
