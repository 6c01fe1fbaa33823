// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "solvers/aderdg/wave_setup.hpp"
#include "solvers/base/vec3.hpp"
#include "worker/jobs/ader_dg/seismic_mesh.hpp"
#include "worker/jobs/rupture/fault_table.hpp"
#include "worker/jobs/rupture/rupture_job.hpp"

namespace kaname::jobs {

/// Coordinates on a fault: along strike and down dip of its origin [m]. Of curved faults they are
/// those of the projection on the fault's mean plane.
struct FaultAxes {
    Vec3 origin_m, strike, dip;
    double length_m = 0.0, width_m = 0.0;  ///< the rectangle around the fault

    /// Returns the axes of a plane; their origin is the middle of its upper edge.
    [[nodiscard]] static FaultAxes of(const FaultPlane& plane);
    /// Returns axes of a fault's faces in the plane that has their area-weighted mean normal and
    /// goes through their centroid. The origin is the middle of the upper edge of the rectangle
    /// around the faces. Throws InvalidArgument for faces without a mean normal.
    [[nodiscard]] static FaultAxes around(const mesh::TetMesh& mesh, int fault);

    [[nodiscard]] std::array<double, 2> place(const Vec3& at_m) const {
        return {dot(at_m - origin_m, strike), dot(at_m - origin_m, dip)};
    }
    [[nodiscard]] Vec3 at(double along_m, double down_m) const {
        return origin_m + along_m * strike + down_m * dip;
    }
    [[nodiscard]] Vec3 normal() const { return cross(dip, strike); }
};

/// Returns the axes of each fault of a request. Faults that are not planes need their mesh; without
/// one they have no axes.
[[nodiscard]] std::vector<std::optional<FaultAxes>> fault_axes(const SeismicMeshRequest& request,
                                                               const mesh::TetMesh* mesh);

/// A face of TetMesh::fault_faces as jobs look at it.
struct FaultTriangle {
    int fault = 0;
    std::array<Vec3, 3> corners_m;                ///< in the order of the face's vertices
    Vec3 normal;                                  ///< of length 1, to the plus side
    double area_m2 = 0.0, edge_m = 0.0;           ///< edge: mean of the three
    std::array<std::int64_t, 2> tets = {-1, -1};  ///< minus, plus
    double rigidity_pa = 0.0;                     ///< mean of both sides
    double poisson = 0.0;                         ///< of the softer side

    [[nodiscard]] Vec3 at(const std::array<double, 3>& lambda) const {
        return lambda[0] * corners_m[0] + lambda[1] * corners_m[1] + lambda[2] * corners_m[2];
    }
    [[nodiscard]] Vec3 middle() const { return at({1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0}); }
};

/// In the order of TetMesh::fault_faces. Throws InvalidArgument for a face without two tets.
[[nodiscard]] std::vector<FaultTriangle> fault_triangles(const aderdg::WaveModel& model);

/// A place on a fault in its coordinates.
struct OnFault {
    std::size_t fault = 0;
    double along_m = 0.0, down_m = 0.0, depth_m = 0.0;
    Vec3 normal;
};

/// FaultParameters gives the parameters at every point of the faults: the job's numbers, changed by
/// stress, table, tapers, patches and nucleation in this order. Copies share nothing; the job must
/// live as long.
class FaultParameters {
public:
    /// Reads the tables. Faults without axes have no parameters. Throws ValidationError
    /// (`faults[0].table`) for files that are no tables.
    FaultParameters(const RuptureJob& job, std::vector<std::optional<FaultAxes>> axes);

    [[nodiscard]] bool knows(std::size_t fault) const { return axes_[fault].has_value(); }
    [[nodiscard]] const FaultAxes& axes(std::size_t fault) const { return *axes_[fault]; }
    [[nodiscard]] OnFault place(const rupture::FaultPlace& place) const;

    [[nodiscard]] FaultNumbers numbers(const OnFault& at) const;
    /// Returns the shear that nucleation adds in the end, along strike and down dip [Pa].
    [[nodiscard]] std::array<double, 2> nucleation(const OnFault& at) const;
    /// Returns true if the rupture is made to begin there: by a patch with other tractions or
    /// strength, by forced rupture, or by added shear.
    [[nodiscard]] bool nucleates(const OnFault& at) const;
    [[nodiscard]] rupture::FaultPoint point(const rupture::FaultPlace& place) const;
    /// Returns the fault's table; null where it has none.
    [[nodiscard]] const FaultTable* table(std::size_t fault) const {
        return tables_[fault] ? &*tables_[fault] : nullptr;
    }

private:
    const RuptureJob& job_;
    std::vector<std::optional<FaultAxes>> axes_;
    std::vector<std::optional<FaultTable>> tables_;
};

/// Returns the solver's description of the faults, without receivers.
[[nodiscard]] rupture::FaultSetup fault_setup(const RuptureJob& job,
                                              std::shared_ptr<const FaultParameters> parameters);

/// Returns B of RuptureTaper, `beyond_m` outside the edge of its rectangle.
[[nodiscard]] double smooth_boxcar(double beyond_m, double transition_m);
/// Returns F of SmoothNucleation.
[[nodiscard]] double nucleation_shape(double distance_m, double radius_m);

}  // namespace kaname::jobs
