// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "solvers/jobs/geometry/patch_sources.hpp"

namespace kaname::jobs {

/// Sources of unit slip on the patches of several faults, fault by fault.
class SeveralPatches final : public SourceSet {
public:
    explicit SeveralPatches(std::vector<std::unique_ptr<PatchSources>> faults)
        : faults_(std::move(faults)) {}

    [[nodiscard]] std::vector<std::string> ids() const override;
    [[nodiscard]] bool unit_slip() const override { return true; }
    [[nodiscard]] std::vector<Vec3> centres() const override;
    [[nodiscard]] bool any_place(const PlaceTest& test) const override;
    void check(std::vector<Violation>& violations) const override;
    [[nodiscard]] std::vector<std::string> warnings() const override;
    [[nodiscard]] std::unique_ptr<SlipOnMesh> on(const MeshedFault& fault) const override;

private:
    std::vector<std::unique_ptr<PatchSources>> faults_;
};

}  // namespace kaname::jobs
