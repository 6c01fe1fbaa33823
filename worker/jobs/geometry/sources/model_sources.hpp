// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/fault/fault_slip.hpp"
#include "worker/jobs/geometry/domain.hpp"
#include "worker/jobs/geometry/fault_model.hpp"
#include "worker/jobs/geometry/sources/scenario_models.hpp"
#include "worker/jobs/geometry/sources/segment_faults.hpp"
#include "worker/jobs/geometry/sources/source_set.hpp"

namespace kaname::jobs {

/// A scenario's slip models.
class ModelSources final : public SourceSet {
public:
    /// Borrows all; `models` of the job's scenario, in its order.
    ModelSources(const GreensJob& job, const Domain& domain, std::span<const ScenarioModel> models,
                 const FaultModel& fault)
        : job_(job), domain_(domain), models_(models), fault_(fault) {}

    [[nodiscard]] std::vector<std::string> ids() const override;
    [[nodiscard]] std::string content_key(const std::string& id) const override;
    [[nodiscard]] std::vector<Vec3> centres() const override;
    [[nodiscard]] std::vector<Vec3> edges(double spacing_m) const override;
    [[nodiscard]] bool any_place(const PlaceTest& test) const override;
    void check(std::vector<Violation>& violations) const override;
    [[nodiscard]] std::vector<std::string> warnings() const override;
    /// Notes on the scenario's events.
    [[nodiscard]] std::vector<std::string> notes() const override;
    [[nodiscard]] std::unique_ptr<SlipOnMesh> on(const MeshedFault& fault) const override;

private:
    const GreensJob& job_;
    const Domain& domain_;
    std::span<const ScenarioModel> models_;
    const FaultModel& fault_;
};

/// Slip models at the nodes of the meshed faults.
class ModelsOnMesh final : public SlipOnMesh {
public:
    /// All is borrowed but `segments`: which fault of the mesh takes which segment, by model.
    ModelsOnMesh(const GreensJob& job, const Domain& domain, std::span<const ScenarioModel> models,
                 std::vector<std::vector<SegmentFault>> segments, const MeshedFault& fault);

    [[nodiscard]] std::vector<Vec3> slip_of(const std::string& id) const override;
    [[nodiscard]] std::optional<fault::PointMoment> moment_of(const std::string& id) const override;
    [[nodiscard]] io::GreensDataset::Source row(const std::string& id) override;
    /// Finds none: models are no grid.
    void find_neighbours(std::span<io::GreensDataset::Source> /*rows*/) const override {}
    [[nodiscard]] Taken taken(const std::string& id) const override;

private:
    /// Part holds the slip of a model on one fault, or on several faults that continue each other.
    struct Part {
        std::optional<slip_model::SlipSampler> sampler;  ///< absent: no slip
        /// Mean normal of its patches: on a vertical fault the mesh's plus side may be the other.
        Vec3 hanging_wall;
    };
    [[nodiscard]] std::size_t model_of(const std::string& id) const;
    /// Rigidity of the element that holds a place.
    [[nodiscard]] double mu_pa(const Vec3& at) const;
    void find_groups();
    [[nodiscard]] std::vector<Part> parts_of(std::size_t model) const;
    /// Slip that the patches have at a place of a fault, relative to its minus side.
    [[nodiscard]] Vec3 of_patches(std::size_t model, int fault, const Vec3& x,
                                  const Vec3& normal) const;
    /// Returns that slip at the nodes of the faults. Throws as nodal_slip.
    [[nodiscard]] std::vector<Vec3> asked(std::size_t model) const;
    [[nodiscard]] std::vector<Vec3> projected(std::size_t model, std::span<const Vec3> asked) const;
    [[nodiscard]] std::vector<Vec3> from_points(std::size_t model) const;
    /// Amounts [m] of a model's slip at the nodes, with the sign of what was asked for.
    [[nodiscard]] std::vector<double> amounts(std::size_t model, std::span<const Vec3> slip) const;
    /// Returns why the fault did not take all of the potency.
    [[nodiscard]] std::string lost_to(std::size_t model, const Taken& taken) const;

    const GreensJob& job_;
    const Domain& domain_;
    std::span<const ScenarioModel> models_;
    std::vector<std::vector<SegmentFault>> segments_;  ///< [models][segments]
    MeshedFault fault_;
    fault::FaultSlip fault_slip_;
    std::vector<fault::FaultTriangle> triangles_;
    fault::SlipProjection projection_;
    std::vector<int> group_;  ///< [faults] the first of those that go on as each other
    std::vector<std::vector<Part>> parts_;  ///< [models][faults]
};

}  // namespace kaname::jobs
