// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "solvers/device/buffer.hpp"
#include "solvers/p2/predictors/predictor.hpp"

namespace kaname::viscoelastic {

/// StateArchive stores the state that a pack must keep between two steps. Solvers name their arrays
/// once, and the same calls write or read them, so that the two cannot disagree. Every call is
/// collective, in the same order on all ranks; throws InvalidArgument on all of them when what is
/// read does not fit.
class StateArchive {
public:
    virtual ~StateArchive() = default;
    [[nodiscard]] virtual bool reading() const = 0;
    /// A number that is the same on every rank.
    virtual void number(const std::string& name, std::int64_t& value) = 0;
    /// One number per source, the same on every rank.
    virtual void lanes(const std::string& name, std::span<std::int64_t> values) = 0;
    /// values [ids.size()][width][4] in the queue's memory. An id >= 0 names an item of the whole
    /// mesh, whoever holds it; ranks that share one have equal numbers.
    virtual void items(const std::string& name, std::span<const std::int64_t> ids, int width,
                       device::View<double> values, device::Queue& queue) = 0;
    /// Every rank's own bytes. Only where they are wanted (`checkpoint: full`): false, and nothing
    /// happens, where they are not, or were written for other ranks or other places of the sources.
    virtual bool own(const std::string& name, predictors::StateBytes& bytes) = 0;
    /// False: own() will do nothing.
    [[nodiscard]] virtual bool keeps_own() const = 0;
};

}  // namespace kaname::viscoelastic
