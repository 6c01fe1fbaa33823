// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string>
#include <vector>

#include "solvers/io/dataset/greens_dataset.hpp"
#include "solvers/jobs/spec/greens_job.hpp"

namespace kaname::jobs {

/// The sources without slip: sides of the model that are moved or loaded.
class SideSources {
public:
    /// Borrows the job's.
    explicit SideSources(std::span<const BoundarySourceSpec> sources) : sources_(sources) {}

    [[nodiscard]] std::vector<std::string> ids() const;
    /// Index in the job's boundary_sources, -1 for a source that slips.
    [[nodiscard]] int index(const std::string& id) const;
    /// The dataset's row of one of these sources. It has no place on a fault: its patch names the
    /// sides.
    [[nodiscard]] io::GreensDataset::Source row(const std::string& id) const;
    [[nodiscard]] const BoundarySourceSpec& at(int index) const { return sources_[index]; }

private:
    std::span<const BoundarySourceSpec> sources_;
};

}  // namespace kaname::jobs
