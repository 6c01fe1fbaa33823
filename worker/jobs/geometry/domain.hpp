// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solvers/base/error.hpp"
#include "solvers/base/vec3.hpp"
#include "solvers/earth/projection.hpp"
#include "solvers/earth/volume_model.hpp"
#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/meshing/mesh_source.hpp"
#include "worker/jobs/stage/greens_job.hpp"

namespace kaname::jobs {

/// A volume model seen from the map frame, in which faults, stations and meshes are.
class VolumeGeometry {
public:
    VolumeGeometry(std::shared_ptr<const earth::VolumeModel> model, double azimuth_rad)
        : model_(std::move(model)), frame_(azimuth_rad) {}

    [[nodiscard]] const std::shared_ptr<const earth::VolumeModel>& model() const { return model_; }
    /// Index of a surface. Throws InvalidArgument where there is none of that name.
    [[nodiscard]] int surface(const std::string& name) const;
    [[nodiscard]] double height_m(int surface, double x, double y) const {
        return field(surface).z(frame_.b(x, y), frame_.a(x, y));
    }
    /// The surface rests on its file's data there, neither extended nor limited.
    [[nodiscard]] bool has_data(int surface, double x, double y) const {
        const auto& data = model_->surfaces[static_cast<std::size_t>(surface)].data;
        return data == nullptr || data->at(frame_.b(x, y), frame_.a(x, y));
    }
    /// Rise of a surface per metre along a horizontal unit vector.
    [[nodiscard]] double slope_along(int surface, const Vec3& x, const Vec3& direction) const;
    [[nodiscard]] double ground_m(double x, double y) const { return height_m(0, x, y); }
    [[nodiscard]] double highest_ground_m() const { return field(0).highest(); }
    [[nodiscard]] bool flat_ground() const { return field(0).constant(); }
    /// Material of the volume at a point; above the ground, that of the volume at the ground.
    [[nodiscard]] const earth::Material& material(const Vec3& x) const;
    [[nodiscard]] double mu_pa(const Vec3& x) const { return material(x).mu_pa; }

private:
    [[nodiscard]] const earth::HeightField& field(int surface) const {
        return model_->surfaces[static_cast<std::size_t>(surface)].height;
    }

    std::shared_ptr<const earth::VolumeModel> model_;  // shared with the job and the mesh source
    meshing::BoxFrame frame_;
};

/// Where a job takes place, in the model frame (x east, y north of the projection, z up, metres):
/// map, box, structure of volumes, stations.
class Domain {
public:
    /// Borrows the job. Throws InvalidArgument where its region has no projection.
    explicit Domain(const GreensJob& job);

    /// False where x and y have no place on the globe: then there is no projection.
    [[nodiscard]] bool projected() const { return projection_.has_value(); }
    [[nodiscard]] const earth::Projection& projection() const { return *projection_; }
    [[nodiscard]] const std::optional<earth::Projection>& optional_projection() const {
        return projection_;
    }
    /// Grid azimuth [rad] of a true azimuth at a place.
    [[nodiscard]] double grid_azimuth_rad(const earth::LonLat& at, double true_azimuth_deg) const;
    /// "141.0000E 38.0000N".
    [[nodiscard]] std::string lonlat_text(const Vec3& x) const;

    [[nodiscard]] const meshing::Box& box() const { return box_; }
    /// Box axes: "north" points along the box's azimuth.
    [[nodiscard]] double box_north_m(const Vec3& x) const;
    [[nodiscard]] double box_east_m(const Vec3& x) const;
    [[nodiscard]] bool inside_box(const Vec3& x) const;
    /// Grid axis (0 east, 1 north, 2 up) normal to a side of the box; -1 where the box is turned so
    /// that the side follows no axis.
    [[nodiscard]] int normal_axis(mesh::Side side) const;
    /// Distance to the nearest side, or the bottom, that is not free; infinity without any.
    [[nodiscard]] double gap_to_held_sides_m(const Vec3& x) const;

    [[nodiscard]] bool has_volumes() const { return volumes_.has_value(); }
    /// The job's volumes; only with has_volumes(): without a mesh file.
    [[nodiscard]] const VolumeGeometry& volumes() const { return *volumes_; }
    /// Height of the top of a model that is no mesh file's.
    [[nodiscard]] double ground_m(double x, double y) const {
        return volumes_ ? volumes_->ground_m(x, y) : 0.0;
    }

    /// Requested station positions; z = -depth, or that of the ground without a depth.
    [[nodiscard]] const std::vector<Vec3>& stations() const { return stations_; }

    /// Rollers face grid axes and lie on flat sides; stations lie inside and not in the air.
    void check(std::vector<Violation>& violations) const;
    /// Names stations so far from slip at `slips` [m, model frame] that the Earth's curvature,
    /// which the model leaves out, counts; empty where there are none, or no place on the globe.
    [[nodiscard]] std::vector<std::string> curvature_warnings(const std::vector<Vec3>& slips) const;

private:
    void check_sides(std::vector<Violation>& violations) const;
    void check_stations(std::vector<Violation>& violations) const;
    /// Asks for the mistake without which a station would lie in the box: longitude and latitude
    /// exchanged, or a wrong sign. Empty where neither helps.
    [[nodiscard]] std::string mistake_of(const Station& station) const;

    const GreensJob& job_;
    std::optional<earth::Projection> projection_;
    meshing::Box box_;
    std::optional<VolumeGeometry> volumes_;
    std::vector<Vec3> stations_;
};

/// Height of a mesh's top over the map. Borrows the mesh.
class TopHeight {
public:
    explicit TopHeight(const mesh::TetMesh& mesh);
    /// Nothing beside the top. Of several faces over a place the first one's.
    [[nodiscard]] std::optional<double> at(double x, double y) const;

private:
    [[nodiscard]] int column(double x) const;
    [[nodiscard]] int row(double y) const;

    const mesh::TetMesh& mesh_;
    // The faces over each cell of a grid of the top's extent, [n][n] as ranges of `faces_`.
    double x0_ = 0.0, y0_ = 0.0, cell_x_ = 1.0, cell_y_ = 1.0;
    int n_ = 1;
    std::vector<std::int32_t> first_;  // [n * n + 1]
    std::vector<std::int32_t> faces_;  // boundary faces
};

}  // namespace kaname::jobs
