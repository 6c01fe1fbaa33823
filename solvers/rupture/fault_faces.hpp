// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/parallel/aligned.hpp"
#include "solvers/rupture/fault_setup.hpp"

namespace kaname::rupture {

/// Points of a triangle by barycentric coordinates, weights for an area of 1, and the times within
/// a step where friction is solved, 0 < x < 1, with weights.
struct FaultRule {
    std::vector<std::array<double, 3>> points;
    std::vector<double> weights, times, time_weights;
    [[nodiscard]] int n_points() const { return static_cast<int>(points.size()); }
    [[nodiscard]] int n_times() const { return static_cast<int>(times.size()); }
    /// Points rounded up so that arrays are whole registers and aligned, on every machine alike.
    [[nodiscard]] int padded() const { return (n_points() + 7) / 8 * 8; }
};

/// A face of a fault as an engine has it.
struct FaultFaceShape {
    std::int64_t face = 0;  ///< index into TetMesh::fault_faces
    int fault = 0;
    std::array<Vec3, 3> corners_m;  ///< in the order of the rule's barycentric coordinates
    Vec3 normal;                    ///< of length 1, to the plus side
    /// eta = Zs+ Zs-/(Zs+ + Zs-), what a slip rate takes from the shear traction [Pa s/m].
    double shear_impedance = 0.0;
    double rigidity_pa = 0.0;  ///< for the moment
};

/// Friction on a rank's faces: tractions that waves would make of a locked fault go in, slip rates
/// come out. Padding points are computed like the last real one and count nowhere.
class FaultFaces {
public:
    /// Throws ValidationError (`fault.`...) naming value, rule and place for parameters that are
    /// none: friction or Dc negative, a, L, V0 not above 0, tractions that are not finite, or have
    /// no compression or no shear where friction is rate-and-state. InvalidArgument for a rule
    /// that is none. Borrows the setup.
    FaultFaces(const FaultSetup& setup, FaultRule rule, std::vector<FaultFaceShape> faces);

    [[nodiscard]] const FaultRule& rule() const { return rule_; }
    [[nodiscard]] std::span<const FaultFaceShape> faces() const { return faces_; }

    /// One step of a face from t_s on. locked [times][3][padded]: the traction's change since the
    /// beginning at the rule's points if the fault held, normal, along strike, down dip [Pa].
    /// Writes the mean slip rate over the step [2][padded] (strike, dip). True where a point slips
    /// at all. May be called for different faces by several threads.
    bool step(std::int64_t face, double t_s, double dt_s, const double* locked, double* mean_rate);

    /// [faces][fields][padded].
    [[nodiscard]] const AlignedVector<double>& given() const { return given_; }
    [[nodiscard]] const AlignedVector<double>& kept() const { return kept_; }
    /// [fields][padded] of a face.
    [[nodiscard]] std::span<const double> given(std::int64_t face) const;
    [[nodiscard]] std::span<const double> kept(std::int64_t face) const;
    [[nodiscard]] std::span<double> kept(std::int64_t face);

private:
    const FaultSetup& setup_;
    FaultRule rule_;
    std::vector<FaultFaceShape> faces_;
    AlignedVector<double> given_, kept_;
};

}  // namespace kaname::rupture
