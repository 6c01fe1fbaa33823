// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/io/greens_dataset.hpp"
#include "solvers/registry/setup.hpp"
#include "solvers/registry/table_sources.hpp"
#include "solvers/registry/unit_slip.hpp"
#include "solvers/sources/fault_slip.hpp"

namespace kaname::registry {

/// The dataset's row of each source: of a patch, of what tables say about a mesh's faults, or of
/// sides. Its sums are those of the slip that the mesh's fault takes.
class SourceRows {
public:
    /// All is borrowed.
    SourceRows(const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh,
               const fem::DofMap& dofs);

    /// Without neighbours. Throws as UnitSlip::of and TableSources::slip_of.
    [[nodiscard]] io::GreensDataset::Source row(const std::string& source_id);
    /// Of the rows that row() has made, in that order: of a grid's patches those beside them with
    /// the same component, {against strike, along strike, up dip, down dip}, -1 where there is
    /// none; of tables FaultSlip::neighbours.
    void find_neighbours(std::vector<io::GreensDataset::Source>& rows) const;

private:
    [[nodiscard]] io::GreensDataset::Source of_patch(const sources::UnitSource& source);

    const GreensJob& job_;
    const Setup& setup_;
    const fem::DofMap& dofs_;
    sources::SplitNodes split_;
    sources::FaultSlip fault_slip_;
    UnitSlip unit_slip_;
    std::optional<TableSources> tables_;
    std::vector<sources::FaultSlip::Support> supports_;  ///< of rows without a grid
    io::GreensDataset::Source last_;  ///< components of a patch follow each other
};

}  // namespace kaname::registry
