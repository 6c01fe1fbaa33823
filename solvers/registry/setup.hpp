// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/cleaving/volume_mesh.hpp"
#include "solvers/earth/interface_surface.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/meshing/gmsh_import.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "solvers/registry/fault_request.hpp"
#include "solvers/registry/greens_job.hpp"
#include "solvers/registry/model_planes.hpp"
#include "solvers/registry/scenario_models.hpp"
#include "solvers/registry/segment_faults.hpp"
#include "solvers/registry/volume_geometry.hpp"
#include "solvers/sources/unit_source.hpp"

namespace kaname::registry {

/// The geometry of a job in the model frame: projection, fault, sources, stations, mesh request.
/// Built by every stage from the same job, so that all of them agree.
class Setup {
public:
    /// Throws ValidationError / InvalidArgument when the geometry cannot be built at all; rules
    /// that only need checking are in check_geometry().
    explicit Setup(const GreensJob& job);

    /// Every broken rule that needs geometry: stations and fault inside the region, patches on the
    /// interface's data.
    [[nodiscard]] std::vector<Violation> check_geometry() const;
    [[nodiscard]] std::vector<std::string> warnings() const;

    /// False where x and y have no place on the globe: then there is no projection.
    [[nodiscard]] bool projected() const { return projection_.has_value(); }
    [[nodiscard]] const earth::Projection& projection() const { return *projection_; }
    [[nodiscard]] const std::optional<earth::Projection>& optional_projection() const {
        return projection_;
    }
    /// Of a job with a mesh of its own, else null. Such a job has neither fault() nor sources():
    /// they are TableSources, made from the mesh.
    [[nodiscard]] const MeshFileSpec* mesh_file() const {
        return std::get_if<MeshFileSpec>(&job_.fault);
    }
    [[nodiscard]] const meshing::GmshSource& gmsh() const { return *gmsh_; }
    /// Of a job with a structure of volumes, else null.
    [[nodiscard]] const VolumeGeometry* volumes() const { return volumes_ ? &*volumes_ : nullptr; }
    /// The model's top need not be z = 0: it is where the mesh has it.
    [[nodiscard]] bool has_relief() const { return mesh_file() != nullptr || volumes_.has_value(); }
    /// Height of the top of a model that is no mesh file's.
    [[nodiscard]] double ground_m(double x, double y) const {
        return volumes_ ? volumes_->ground_m(x, y) : 0.0;
    }
    /// Of a scenario, in the order of Scenario::models; else none. Its sources are ScenarioSources.
    [[nodiscard]] const std::vector<ScenarioModel>& models() const { return models_; }
    /// Of unit sources, tables or slip models, in the order of the dataset.
    [[nodiscard]] std::vector<std::string> slip_source_ids() const;
    /// The same and after them the sources of moved or loaded sides.
    [[nodiscard]] std::vector<std::string> source_ids() const;
    /// Index of a source without slip in the job's boundary_sources, -1 of all others.
    [[nodiscard]] int boundary_source(const std::string& id) const;
    /// Of unit sources.
    [[nodiscard]] const sources::FaultSurface& fault() const { return *fault_; }
    /// Which fault takes which segment of the slip models, in the order of models(); nothing of a
    /// mesh file, whose faults are known with the mesh.
    [[nodiscard]] const std::vector<std::vector<SegmentFault>>& segment_faults() const {
        return segment_faults_;
    }
    /// Names of a scenario's faults that no mesh file holds.
    [[nodiscard]] std::vector<std::string> fault_names() const;
    [[nodiscard]] const std::vector<sources::UnitSource>& sources() const { return sources_; }
    [[nodiscard]] const meshing::MeshSource& mesh_source() const {
        return gmsh_ ? static_cast<const meshing::MeshSource&>(*gmsh_) : *mesh_source_;
    }
    /// The same, with one ValidationError that has the numbers where a mesh of volumes would take
    /// more memory than there is, or more elements than mesh.max_elements.
    [[nodiscard]] meshing::MeshSource::Count estimate_mesh() const;
    [[nodiscard]] mesh::TetMesh build_mesh(const meshing::Progress& progress) const;
    /// What the mesh of volumes is made from; null for other jobs.
    [[nodiscard]] const cleaving::VolumeMeshParams* volume_request() const {
        return request_ ? &*request_ : nullptr;
    }
    /// Requested station positions in the model frame [m]; z = -depth, that of the ground without.
    [[nodiscard]] const std::vector<Vec3>& stations() const { return stations_; }
    [[nodiscard]] const meshing::Box& box() const { return box_; }
    /// Grid axis (0 east, 1 north, 2 up) normal to a side of the box; -1 where the box is turned so
    /// that the side follows no axis.
    [[nodiscard]] int normal_axis(mesh::Side side) const;
    /// False of a job with a mesh file, which has no fault() before its mesh is read.
    [[nodiscard]] bool slips_in_viscous_rock() const;
    /// True when slip is 1 everywhere on the meshed fault (a rectangle with uniform slip): the
    /// fault's edge is then moved outward by a sixth of a cell, since rim nodes cannot slip.
    [[nodiscard]] bool uniform_slip() const { return uniform_slip_; }

private:
    void build_interface(const InterfaceSpec& spec);
    void build_plane(const PlaneSpec& spec);
    void build_planes_of_models();
    void build_several(const SeveralFaultsSpec& spec);
    /// Of a scenario: a fault beside others, part of a mesh of volumes.
    struct OneOfSeveral {
        std::string name, field;
        std::unique_ptr<sources::FaultSurface> surface;
        std::optional<PlaneOutline> plane;  ///< of a plane, or:
        const InterfaceSpec* interface = nullptr;
    };
    void mesh_several(std::vector<OneOfSeveral> faults);
    [[nodiscard]] std::unique_ptr<sources::InterfaceFault> interface_fault(
        const InterfaceSpec& spec, const SectionFrame& section);
    [[nodiscard]] PlaneOutline outline_of(const PlaneSpec& spec, const std::string& field) const;
    /// The segments that each fault takes, and how far from it they lie.
    void find_segment_faults(const std::vector<const sources::FaultSurface*>& faults,
                             const std::vector<std::optional<PlaneOutline>>& planes);
    void lay_plane(const PlaneOutline& plane, int n_strike, int n_dip);
    void lay_plane_in_volumes(const PlaneOutline& plane, int n_strike, int n_dip);
    /// Of a plane that breaks the surface: up to the ground, wherever that is.
    [[nodiscard]] meshing::FaultWindow window_to_ground(const PlaneOutline& plane) const;
    /// Of a plane around a window of what slips on it.
    [[nodiscard]] RequestedFault request_plane(const sources::PlaneFault& surface,
                                               const meshing::FaultWindow& window);
    void add_tapered(const PlaneOutline& plane, int n_strike, int n_dip);
    void place_stations();
    /// The mesh of a structure of volumes around faults.
    void mesh_volumes(std::vector<RequestedFault> faults);
    /// Where an interface's fault frame and window come from: its patches, or slip models.
    [[nodiscard]] meshing::FaultWindow lay_patches(const InterfaceSpec& spec);
    [[nodiscard]] meshing::FaultWindow window_of_models(const ModelFilter& of) const;
    void build_mesh_file(const MeshFileSpec& spec);
    void add_sources(std::vector<sources::Patch> patches);
    [[nodiscard]] bool inside_box(const Vec3& x) const;
    void check_models(std::vector<Violation>& violations) const;
    void check_patches(std::vector<Violation>& violations) const;
    /// What is meshed as fault around a window that slips. Throws ValidationError where that alone
    /// comes to more elements than there is memory for.
    [[nodiscard]] FaultPart fault_part(const meshing::FaultWindow& slipping);
    /// The least thickness of the wedge between the ground and the upper edge of what slips, where
    /// the angle between them is small; infinity where it is not.
    [[nodiscard]] double least_wedge_m(const meshing::FaultWindow& slipping) const;
    /// Along a window's upper edge: how far under the ground it is [m], and the fault's dip there.
    void for_upper_edge(const meshing::FaultWindow& window,
                        const std::function<void(double under_m, double dip_rad)>& visit) const;
    void check_ground(std::vector<Violation>& violations) const;
    /// Volumes of which the mesh has much less near the fault than the model has.
    [[nodiscard]] std::vector<std::string> thin_volume_warnings() const;
    struct SmallPatch {
        std::string id;
        double side_m;  ///< the shorter side of where it slips
    };
    /// Of unit sources.
    [[nodiscard]] std::optional<SmallPatch> smallest_patch() const;
    /// Of patches, or of the patches of slip models.
    [[nodiscard]] std::vector<Vec3> slip_centres() const;
    [[nodiscard]] const earth::Material& rock(const Vec3& x) const;
    /// Depth of the first viscous rock in the column of a place; that of the box where there is
    /// none.
    [[nodiscard]] double lid_m(const Vec3& at) const;
    /// Distance to the nearest side, or the bottom, that is not free.
    [[nodiscard]] double gap_to_held_sides_m(const Vec3& x) const;
    /// Where the box changes what is seen at the stations (box_error.hpp).
    [[nodiscard]] std::vector<std::string> box_warnings() const;

    const GreensJob& job_;
    std::optional<earth::Projection> projection_;
    meshing::Box box_;
    std::optional<VolumeGeometry> volumes_;
    std::unique_ptr<earth::InterfaceSurface> interface_;
    std::unique_ptr<sources::FaultSurface> fault_;
    std::vector<sources::UnitSource> sources_;
    std::vector<ScenarioModel> models_;
    std::vector<std::vector<SegmentFault>> segment_faults_;
    std::unique_ptr<meshing::MeshSource> mesh_source_;
    std::unique_ptr<meshing::GmshSource> gmsh_;
    std::optional<cleaving::VolumeMeshParams> request_;
    std::optional<FaultPart> part_;  ///< of volumes
    std::vector<Vec3> stations_;
    bool uniform_slip_ = false;
};

[[nodiscard]] Violation beyond_max_elements(std::int64_t needed, std::int64_t most);

/// "s03d01" for column 3 along strike, row 1 down dip.
[[nodiscard]] std::string patch_name(int along_strike, int down_dip);

}  // namespace kaname::registry
