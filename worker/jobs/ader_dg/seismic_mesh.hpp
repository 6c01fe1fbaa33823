// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "solvers/aderdg/wave_setup.hpp"
#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/earth/structure.hpp"
#include "solvers/earth/volume_layout.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "worker/jobs/ader_dg/wave_resolution.hpp"

namespace kaname::jobs {

/// Returns the updates of tets per second of signal.
[[nodiscard]] double updates_per_s(const aderdg::Clusters& clusters);
/// Returns the gain of local time steps: the updates with one step for all tets over those of the
/// clusters.
[[nodiscard]] double gain_of(const aderdg::Clusters& clusters);

/// Returns the clusters of elements of which only the largest steps are known, `count` of each. The
/// smallest step is chosen as find_clusters() does, but neighbours may be more than one cluster
/// apart.
[[nodiscard]] aderdg::Clusters clusters_of_steps(std::span<const double> largest_s,
                                                 std::span<const double> count,
                                                 double least_wiggle);

/// Level layers in a box: x east, y north, z up, the origin in the middle of the top.
struct LayeredBox {
    double size_x_m = 0.0, size_y_m = 0.0, depth_m = 0.0;
    earth::LayeredStructure layers;  ///< `layers` alone, the last without a bottom
    /// Materials of `layers` on the plus side of the first fault, a vertical plane whose
    /// continuation then parts the whole box; empty: those of the other side.
    std::vector<int> plus_materials = {};
};

/// Part of the Earth: x east and y north of the projection about its centre, z = 0 sea level. The
/// box is turned by azimuth_rad from there.
struct EarthBox {
    earth::LonLat centre;
    double size_east_m = 0.0, size_north_m = 0.0, depth_m = 0.0, azimuth_rad = 0.0;
    earth::VolumeLayout volumes;  ///< but for its size as it stands
};

/// A mesh of one's own; its physical volumes have the materials' names.
struct MeshOfOnesOwn {
    std::string path;
    std::string length_unit;  ///< m, km; empty: metres, where they can be
    std::string top;          ///< physical surface of the ground
    std::vector<earth::Material> materials;
    /// `boundaries` gives the conditions on physical surfaces other than the top; surfaces without
    /// one absorb.
    std::map<std::string, aderdg::Boundary> boundaries;
};

class VolumeMeshOfWaves;

struct SeismicMeshRequest {
    std::variant<LayeredBox, EarthBox, MeshOfOnesOwn> model;
    double max_frequency_hz = 0.0;
    int order = 5;                         ///< of convergence: polynomials of degree order - 1
    double elements_per_wavelength = 0.0;  ///< 0: wanted_elements_per_wavelength(order)
    double growth = 0.3;                   ///< of sizes with the distance from fine points
    /// Elements have this size there, and grow from there on; 0: no such points.
    double fine_size_m = 0.0;
    std::vector<Vec3> fine_at;
    /// `faults` become TetMesh::faults in this order, with faces of their own each: a face that two
    /// have in common belongs to the first one. Boxes take planes, parts of the Earth surfaces too,
    /// meshes of one's own their physical surfaces.
    std::vector<SeismicFault> faults;
    /// Layers thinner than this part of an element's size join a neighbour, in [0, 1). Between
    /// level surfaces those of a third of it and more have smaller elements instead.
    double thinnest_layer = 0.3;
    /// `sides` gives the conditions on the sides of boxes; west and east, south and north are
    /// periodic together.
    std::array<aderdg::Boundary, mesh::kSideCount> sides = absorbing_but_the_top();
    std::int64_t max_elements =
        0;  ///< more is refused before anything is made; 0: what memory allows

    [[nodiscard]] double wanted_per_wavelength() const {
        return elements_per_wavelength > 0.0 ? elements_per_wavelength
                                             : wanted_elements_per_wavelength(order);
    }
    [[nodiscard]] static std::array<aderdg::Boundary, mesh::kSideCount> absorbing_but_the_top() {
        std::array<aderdg::Boundary, mesh::kSideCount> sides{};
        sides.fill(aderdg::Boundary::Absorbing);
        sides[static_cast<std::size_t>(mesh::Side::Top)] = aderdg::Boundary::Free;
        return sides;
    }
};

struct SeismicMesh {
    aderdg::WaveModel model;             ///< solids without mechanisms, in the materials' order
    std::vector<std::string> materials;  ///< names of the solids
    WaveResolution resolution;           ///< at the highest frequency
    std::vector<std::string> notes;      ///< what a user should know
};

/// Returns the boundary condition that the request gives for each surface of its mesh.
[[nodiscard]] std::vector<aderdg::Boundary> surfaces_of(const SeismicMeshRequest& request,
                                                        const mesh::TetMesh& mesh);

/// The mesh of a request and what can be said of it before it is made. Reads the files of a part of
/// the Earth and lays its surfaces over the box; a mesh of one's own is read when it is built.
///
/// In each volume edges are asked for of
///   1.2 v / (max_frequency_hz elements_per_wavelength)  [m] at most,
/// v the speed of its slowest S waves, P waves in a liquid. Only some edges of the lattice are that
/// long: half of them where sizes are even, the others 0.87 of it, so that edges have the wanted
/// length in the mean. Where sheets cut the lattice or move its vertices some are longer.
/// Sizes change where volumes do; octants next to each other differ by a factor of two at most.
class SeismicMeshPlan {
public:
    /// Throws ValidationError with everything that is wrong with the request, by field.
    explicit SeismicMeshPlan(SeismicMeshRequest request);
    SeismicMeshPlan(SeismicMeshPlan&& other) noexcept;
    ~SeismicMeshPlan();

    struct Estimate {
        meshing::MeshSource::Count count;
        aderdg::Clusters clusters;
    };
    /// Estimates the mesh that build() will make, with the parameters that find_clusters() takes.
    /// Elements and updates are within a third of the truth; within a factor of two where volumes
    /// end in wedges, whose few small elements decide the smallest step. A mesh of one's own is
    /// read. Throws ValidationError (max_elements) for more elements than allowed, or than fit into
    /// memory.
    [[nodiscard]] Estimate estimate(const aderdg::WaveParams& params) const;
    /// Builds a sound mesh (check_mesh). Throws ValidationError as estimate(), for files as
    /// meshing::import_gmsh, and where a mesh of one's own does not resolve the highest frequency.
    [[nodiscard]] SeismicMesh build(const meshing::Progress& progress = {}) const;
    /// Returns the material that the model has at a place; null above the ground, and for a mesh of
    /// one's own.
    [[nodiscard]] const earth::Material* material_at(const Vec3& x) const;
    /// Returns the solids of the mesh, by TetMesh::material.
    [[nodiscard]] const std::vector<earth::Material>& materials() const { return materials_; }

private:
    [[nodiscard]] SeismicMesh read() const;

    SeismicMeshRequest request_;
    std::vector<earth::Material> materials_;
    std::vector<std::string> notes_;
    std::unique_ptr<VolumeMeshOfWaves> volumes_;  ///< null: a mesh of one's own
};

}  // namespace kaname::jobs
