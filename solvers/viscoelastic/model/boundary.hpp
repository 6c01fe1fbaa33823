// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/mesh/tet_mesh.hpp"
#include "solvers/p2/local_mesh.hpp"

namespace kaname::viscoelastic {

/// Condition on one component of the displacement on one side of the model; sides and components
/// without a condition are traction-free.
struct BoundaryCondition {
    enum class Kind {
        Fixed,       ///< u = 0
        Prescribed,  ///< u = value(x, t, lane) [m]
        Traction,    ///< sigma n = value(x, t, lane) [Pa]
    };
    mesh::SurfaceId side;  ///< side of a box, or another surface of the mesh
    int component;         ///< 0 east, 1 north, 2 up
    Kind kind = Kind::Fixed;
    std::function<double(const Vec3& x, double t_s, int lane)> value = nullptr;
};

/// The conditions on one rank's nodes.
class BoundaryData {
public:
    BoundaryData(const mesh::TetMesh& mesh, const p2::DofMap& dofs, const p2::LocalMesh& local,
                 std::vector<BoundaryCondition> conditions);

    /// Returns the local degrees of freedom (node * 3 + component) without equation, ascending.
    [[nodiscard]] const std::vector<std::int32_t>& fixed() const { return fixed_; }
    /// Returns the degrees of freedom of P1 (vertex * 3 + component) without equation.
    [[nodiscard]] const std::vector<std::int32_t>& fixed_p1() const { return fixed_p1_; }
    /// True when some prescribed value or traction is not identically zero.
    [[nodiscard]] bool has_values() const { return has_values_; }

    /// Returns the degrees of freedom that tractions on faces of this rank's elements load,
    /// ascending.
    [[nodiscard]] const std::vector<std::int32_t>& loaded() const { return loaded_; }

    /// Computes the displacements for time t at the fixed degrees of freedom, values [fixed][4],
    /// zero where nothing is prescribed.
    void prescribed(double t_s, std::span<double> values) const;
    /// values [loaded][4] = int N traction dA for time t, divided by force_unit_pa_m2. This rank's
    /// part, six-point exact for quadratic tractions.
    void traction(double t_s, double force_unit_pa_m2, std::span<double> values) const;

private:
    struct Value {
        std::size_t at;  ///< index in fixed_
        int condition;
    };
    struct Face {
        std::array<std::int32_t, 6> nodes;
        std::array<std::size_t, 6> at;  ///< indices in loaded_
        double area_m2;
        int condition;
    };
    const p2::LocalMesh& local_;
    std::vector<BoundaryCondition> conditions_;
    std::vector<std::int32_t> fixed_;
    std::vector<std::int32_t> fixed_p1_;
    std::vector<std::int32_t> loaded_;
    std::vector<Value> prescribed_;
    std::vector<Face> tractions_;
    bool has_values_ = false;
};

/// Throws InvalidArgument naming the rigid motion that the fixed degrees of freedom leave free: the
/// system would be singular. Collective.
void require_no_rigid_motion(const p2::LocalMesh& local, std::span<const std::int32_t> fixed,
                             comm::Comm& comm);

}  // namespace kaname::viscoelastic
