// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "solvers/comm/comm.hpp"
#include "solvers/comm/halo.hpp"
#include "solvers/earth/structure.hpp"
#include "solvers/p2/local_mesh.hpp"
#include "solvers/viscoelastic/kernels/internal_force.hpp"
#include "solvers/viscoelastic/model/boundary.hpp"
#include "solvers/viscoelastic/model/buoyancy.hpp"
#include "solvers/viscoelastic/model/elements.hpp"

namespace kaname::viscoelastic {

/// One time step of the generalised trapezoidal rule in one material. Its deviatoric stress is the
/// sum of branches, a spring share_k mu and a dashpot each (relaxation.hpp), which all see the
/// strain e:
///   dS_k = share_k g_k 2 mu de - relax_k S_k,   g_k = 1 / (1 + alpha z_k),   relax_k = z_k g_k,
/// z_k = dt rate_k. Elastic and Maxwell: one branch; standard linear solid and Burgers: two.
struct MaterialStep {
    double share = 1.0;         ///< mu_v / mu = sum_k share_k g_k
    double relax = 0.0;         ///< relax_1
    double second_share = 0.0;  ///< share_2 g_2
    double second_relax = 0.0;  ///< relax_2
};
[[nodiscard]] MaterialStep material_step(const earth::Material& material, double dt_s,
                                         double alpha);
/// The step of the fully integrated volume strain with nodal dilatation (bulk_relaxation).
[[nodiscard]] MaterialStep bulk_step(const earth::Material& material, double dt_s, double alpha);

/// Where the nodal-dilatation element keeps its volume strain: one number per vertex and viscous
/// material, the mean over the elements of that material around the vertex,
///   Theta_v = y_v / volume_v,   y_v = sum_e int L_v div u,   volume_v = sum_e int L_v = sum_e V/4
/// (the lumped L2 projection onto P1; docs/theory/viscoelastic.md, "Nodal dilatation").
/// Arrays of pressure [n + 1][4] have one more place, zero, for the vertices of elastic elements.
struct PressureNodes {
    /// Collective.
    PressureNodes(const p2::LocalMesh& mesh, std::span<const ElementGeometry> geometry,
                  std::span<const earth::Material> materials, comm::Comm& comm);

    [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(material.size()); }

    std::vector<std::array<std::int32_t, 4>> conn;  ///< [El][4], size() in elastic elements
    std::vector<std::int32_t> material;             ///< [n]
    std::vector<std::int64_t> gid;                  ///< [n] of the vertex and material
    std::vector<double> volume;                     ///< [n] scaled units, of all ranks
    std::vector<double> own_volume;                 ///< [n] of this rank's elements
    mutable comm::Halo halo;  ///< sums change only its buffers, as with the mesh's halos
};

/// Moduli of one time step of the generalised trapezoidal rule, and its relaxation factors
/// (material_step.hpp); Maxwell:
///   mu_v = mu / (1 + alpha dt mu/eta),  kappa_v = kappa,  relax.deviator = dt mu_v / eta
struct StepModuli {
    ElementModuli moduli;      ///< scaled by Scales::modulus_pa
    std::vector<Parts> relax;  ///< [El] of the first branch, 0 in elastic elements
    /// relax_2 and share_2 g_2 mu / mu_v of the elements with a second branch [n_second()].
    std::vector<Parts> second_relax = {}, second_weight = {};
    /// bulk_step of the materials of the pressure nodes [PressureNodes::size()].
    std::vector<MaterialStep> nodal = {};
};

/// Share gives the parts of a material's unrelaxed moduli that are left.
struct Share {
    double shear = 1.0;
    double bulk = 1.0;  ///< in the part integrated fully; with nodal dilatation only
};

enum class Element {
    P2,               ///< ten-node tetrahedra, full integration
    NodalDilatation,  ///< as P2, relaxed volume changes by PressureNodes
};

enum class Gravity { None, Buoyancy };

/// One rank's share of a discretised problem: mesh, materials, boundary conditions. Does not
/// change; used by one thread, its rank.
class Model {
public:
    /// Collective. Throws InvalidArgument when nothing resists a rigid motion.
    Model(const mesh::TetMesh& mesh, const p2::DofMap& dofs, std::vector<earth::Material> materials,
          std::vector<BoundaryCondition> conditions, comm::Comm& comm,
          Element element = Element::P2, Gravity gravity = Gravity::None);

    /// dt_s = 0: elastic moduli, no relaxation.
    [[nodiscard]] StepModuli step_moduli(double dt_s, double alpha) const;

    /// Moduli of materials that have relaxed to `share` [materials]. Plain P2 keeps its bulk moduli
    /// whatever share.bulk is. With nodal dilatation that part of a viscous material's bulk modulus
    /// is integrated fully, the rest acts at the pressure nodes (none where every share is one).
    [[nodiscard]] ElementModuli relaxed_to(std::span<const Share> share) const;
    /// d relaxed_to / d share times `of` [materials]: what relaxes. Plain P2: mu alone,
    /// lam = -2/3 mu.
    [[nodiscard]] ElementModuli relaxing(std::span<const Share> of) const;

    /// Place of an element among those with a second branch, -1 where it has one only [El]; empty
    /// when none of this rank's elements has a second one.
    [[nodiscard]] std::span<const std::int32_t> second_slot() const { return second_slot_; }
    [[nodiscard]] std::int32_t n_second() const { return n_second_; }

    /// Null without gravity. It does not relax.
    [[nodiscard]] const Buoyancy* buoyancy() const { return buoyancy_.get(); }
    /// Null for plain P2 and where nothing is viscous.
    [[nodiscard]] const PressureNodes* pressure_nodes() const { return pressure_nodes_.get(); }

    [[nodiscard]] Element element() const {
        return pressure_nodes_ ? Element::NodalDilatation : Element::P2;
    }
    [[nodiscard]] const std::vector<earth::Material>& materials() const { return materials_; }
    [[nodiscard]] p2::LocalMesh& mesh() const { return *mesh_; }
    [[nodiscard]] const BoundaryData& boundary() const { return *boundary_; }
    [[nodiscard]] const std::vector<ElementGeometry>& geometry() const { return geometry_; }
    [[nodiscard]] const Scales& scales() const { return scales_; }
    /// Mesh and geometry where the queue's kernels can read them; made at the first call.
    [[nodiscard]] const ElementArrays& elements(device::Queue& queue) const;
    [[nodiscard]] std::int64_t n_dof() const { return n_dof_; }  ///< unknowns of all ranks
    [[nodiscard]] std::size_t vector_size() const {
        return std::size_t(mesh_->n_nodes()) * 3 * lanes::kLanes;
    }
    /// Local element of a tet of the whole mesh, -1 when another rank has it.
    [[nodiscard]] std::int32_t local_element(std::int32_t tet) const { return element_of_[tet]; }

private:
    void number_second_branches();
    /// lam and mu; share.bulk counts where the mean relaxes, lasting_bulk elsewhere.
    void fill_lame(std::span<const Share> share, double lasting_bulk, ElementModuli& moduli) const;

    std::vector<earth::Material> materials_;
    std::unique_ptr<p2::LocalMesh> mesh_;
    std::unique_ptr<BoundaryData> boundary_;
    Scales scales_;
    std::vector<ElementGeometry> geometry_;
    std::unique_ptr<PressureNodes> pressure_nodes_;
    std::unique_ptr<Buoyancy> buoyancy_;
    std::vector<std::int32_t> second_slot_;
    std::int32_t n_second_ = 0;
    mutable std::unique_ptr<ElementArrays> arrays_[2];  ///< one for each backend
    std::vector<std::int32_t> element_of_;
    std::int64_t n_dof_ = 0;
};

}  // namespace kaname::viscoelastic
