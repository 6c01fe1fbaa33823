// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "solvers/fem/dof_map.hpp"
#include "solvers/io/greens_dataset.hpp"
#include "solvers/registry/segment_faults.hpp"
#include "solvers/registry/setup.hpp"
#include "solvers/sources/fault_slip.hpp"
#include "solvers/sources/split_nodes.hpp"

namespace kaname::registry {

/// The sources of a scenario: its slip models, sampled at the nodes of the meshed faults.
class ScenarioSources {
public:
    /// All but the job is borrowed.
    ScenarioSources(const GreensJob& job, const Setup& setup, const mesh::TetMesh& mesh,
                    const fem::DofMap& dofs, const sources::SplitNodes& split);

    /// Slip of a source (plus side relative to the other) at every split node
    /// [split.split.size()]. Throws ValidationError naming the event's field and coordinates where
    /// a buried rim would slip, and where no node of the fault slips at all.
    [[nodiscard]] std::vector<Vec3> slip_of(const std::string& source_id) const;
    /// What a dataset says of a source: its slip's centre, extent, mean orientation and sums.
    [[nodiscard]] io::GreensDataset::Source describe(const std::string& source_id) const;

    /// The same of the sum of all models, without area, potency and rigidity: events may repeat.
    [[nodiscard]] io::GreensDataset::Source describe_all(const std::string& name) const;

    /// What the meshed fault took of a model.
    struct Taken {
        double moment_nm = 0.0;         ///< sum mu A |slip| over the fault's faces
        double potency_m3 = 0.0;        ///< sum A |slip|
        double given_potency_m3 = 0.0;  ///< of the model's patches; 0 of slip at points
        double max_slip_m = 0.0;
    };
    /// mu: the smaller of the two sides' where they differ.
    [[nodiscard]] Taken taken(const std::string& source_id) const;

    /// Which fault of the mesh takes which segment, in the order of Setup::models().
    [[nodiscard]] const std::vector<std::vector<SegmentFault>>& segments() const {
        return segments_;
    }

private:
    /// What of a model slips on one fault, or on several that go on as each other.
    struct Part {
        std::optional<slip_model::SlipSampler> sampler;  ///< absent: nothing
        /// Mean normal of its patches: on a vertical fault the mesh's plus side may be the other.
        Vec3 hanging_wall;
    };
    [[nodiscard]] std::size_t model_of(const std::string& source_id) const;
    void find_groups();
    [[nodiscard]] std::vector<Part> parts_of(std::size_t model) const;
    /// Slip that the patches have at a place of a fault, relative to its minus side.
    [[nodiscard]] Vec3 of_patches(std::size_t model, int fault, const Vec3& x,
                                  const Vec3& normal) const;
    /// The same at the nodes of the faults. Throws as nodal_slip.
    [[nodiscard]] std::vector<Vec3> asked(std::size_t model) const;
    [[nodiscard]] std::vector<Vec3> projected(std::size_t model, std::span<const Vec3> asked) const;
    [[nodiscard]] std::vector<Vec3> from_points(std::size_t model) const;
    /// Of a model's slip at the nodes, with the sign of what was asked for.
    [[nodiscard]] std::vector<double> amounts(std::size_t model, std::span<const Vec3> slip) const;

    const Setup& setup_;
    const mesh::TetMesh& mesh_;
    const fem::DofMap& dofs_;
    const sources::SplitNodes& split_;
    sources::FaultSlip fault_slip_;
    std::vector<sources::FaultTriangle> triangles_;
    sources::SlipProjection projection_;
    std::vector<int> group_;  ///< [faults] the first of those that go on as each other
    std::vector<std::vector<SegmentFault>> segments_;  ///< [models][segments]
    std::vector<std::vector<Part>> parts_;             ///< [models][faults]
};

}  // namespace kaname::registry
