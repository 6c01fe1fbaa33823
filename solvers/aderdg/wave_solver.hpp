// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "solvers/aderdg/tet_topology.hpp"
#include "solvers/aderdg/wave_setup.hpp"
#include "solvers/comm/comm.hpp"
#include "solvers/device/queue.hpp"
#include "solvers/rupture/fault_setup.hpp"

namespace kaname::aderdg {

/// Clusters of local time stepping: elements of cluster c advance by 2^c times the smallest step.
struct Clusters {
    double step_s = 0.0;                 ///< smallest
    std::vector<std::int64_t> elements;  ///< [clusters]
    [[nodiscard]] double macro_step_s() const {
        return step_s * static_cast<double>(std::int64_t{1} << (elements.size() - 1));
    }
    /// Updates of elements in a macro step.
    [[nodiscard]] std::int64_t updates() const;
};

/// Holds the present state of all TetMesh::fault_faces, on rank 0.
struct FaultField {
    /// Points of a face where friction is solved, barycentric to its vertices in ascending order
    /// of their numbers, and weights with the sum 1.
    std::vector<std::array<double, 3>> points;
    std::vector<double> weights;
    std::vector<double> values;  ///< [faces][rupture::Kept::kFields][points]

    [[nodiscard]] std::span<const double> at(std::int64_t face, int field) const {
        return std::span(values).subspan((face * rupture::Kept::kFields + field) * points.size(),
                                         points.size());
    }
};

/// Numbers of one fault receiver in a sample: slip, slip rate and traction along strike and down
/// dip, normal traction, state.
inline constexpr int kFaultNumbers = 8;

/// Where the energy is [J], and the moment of slip.
struct WaveEnergy {
    double kinetic_j = 0.0, elastic_j = 0.0;  ///< of what waves changed since the beginning
    double friction_j = 0.0;                  ///< heat on faults
    double released_j = 0.0;                  ///< int (tau0 - tau) . V: given to waves by faults
    double plastic_j = 0.0;  ///< taken from waves by yielding; < 0 where it gives them of the
                             ///< initial stress
    double outflow_j = 0.0;  ///< gone through absorbing sides, where WaveModel::balances_energy()
    double moment_nm = 0.0, moment_rate_nm_s = 0.0;
    double plastic_heat_j = 0.0;  ///< int sigma : de of plastic strain, initial stress included
    double potential_j = 0.0;     ///< int rho g eta^2/2 of surfaces with gravity
};

/// The element in which a lane's waves are largest, or not finite.
struct LargestWaves {
    std::int64_t tet = 0;
    Vec3 at_m;  ///< its middle
    double step_s = 0.0, insphere_diameter_m = 0.0, longest_edge_m = 0.0;
    bool beside_fault = false;  ///< with friction
};

/// Waves of one to four sources at a time, from rest. Velocity-stress equations by discontinuous
/// Galerkin with arbitrary high-order derivatives in time (ADER-DG) on tetrahedra, Bernstein
/// polynomials, exact Riemann solutions at the faces; theory: docs/theory/aderdg.md. All members
/// are collective.
class WaveSolver {
public:
    virtual ~WaveSolver() = default;

    [[nodiscard]] virtual const Clusters& clusters() const = 0;
    /// Macro steps until end_s, which the last one meets exactly.
    [[nodiscard]] virtual std::int64_t macro_steps() const = 0;
    [[nodiscard]] virtual std::int64_t macro_steps_done() const = 0;
    [[nodiscard]] virtual double time_s() const = 0;
    /// Macro steps, after which all elements are at one time.
    virtual void advance(std::int64_t macro_steps) = 0;

    /// Starts from unknowns given at places, projected: stress xx, yy, zz, xy, yz, xz [Pa] and
    /// velocity [m/s], the same for all lanes. Only before the first step.
    virtual void start_from(const std::function<std::array<double, 9>(const Vec3&)>& unknowns) = 0;
    /// calls visit(x, weight [m3], unknowns of a lane) for points of this rank's elements, for
    /// integrals over the model.
    virtual void visit(
        int lane, int points_along,
        const std::function<void(const Vec3&, double, std::span<const double>)>& visit) = 0;

    /// Hands out the samples that are complete and begins another record; on rank 0, empty
    /// elsewhere: [samples][lanes], then [receivers][3] in m/s or m and [strains][6] without unit
    /// or in s (Motion).
    [[nodiscard]] virtual std::vector<float> take_record() = 0;
    /// Velocity now at points, [lanes][points][3] in m/s on rank 0.
    [[nodiscard]] virtual std::vector<float> velocity_at(std::span<const PointInTet> points) = 0;
    /// Largest speeds so far at the points that make_wave_solver was given, at the ends of all
    /// steps of their elements: [lanes][points][2], horizontal and vertical, m/s, on rank 0.
    [[nodiscard]] virtual std::vector<float> peak_velocity() = 0;
    /// Kinetic and elastic energy of a lane [J]; without mechanisms it never grows by itself.
    [[nodiscard]] virtual double energy_j(int lane) = 0;
    /// Returns the energy of every lane [J], on every rank; not finite where an unknown is not.
    [[nodiscard]] virtual std::vector<double> energies_j() = 0;
    /// Energy of a lane that its sources and the stress on faults can give at most [J], from rest:
    /// sources by int |s| dt and the norm of what they add, as faces only take energy; faults by
    /// tau^2 A^(3/2)/mu of their largest shear traction and their area. Memory variables and
    /// yielding are not looked at: a multiple of it is beyond what waves can have.
    [[nodiscard]] virtual double given_energy_j(int lane) const = 0;
    [[nodiscard]] virtual LargestWaves largest_waves(int lane) = 0;

    /// Empty where faults have no friction.
    [[nodiscard]] virtual FaultField fault() = 0;
    /// Samples of the fault's receivers since the last call, [samples][receivers][kFaultNumbers] on
    /// rank 0.
    [[nodiscard]] virtual std::vector<float> take_fault_record() = 0;
    /// Returns the energies of lane 0, on every rank.
    [[nodiscard]] virtual WaveEnergy energy() = 0;
    /// Accumulated plastic strain of each tet, mean of int sqrt(de : de/2), on rank 0; empty
    /// without plasticity.
    [[nodiscard]] virtual std::vector<float> plastic_strain() = 0;
    /// Height by which surfaces with gravity have risen along their outward normal at points on
    /// them, [lanes][points] in m on rank 0. Throws InvalidArgument where a point's tet has no face
    /// with gravity that it is on.
    [[nodiscard]] virtual std::vector<float> surface_height(std::span<const PointInTet> points) = 0;

    /// All of the state, the same bytes for any number of ranks, on rank 0. Samples that
    /// take_record() has not handed out yet are not part of it: take them first.
    [[nodiscard]] virtual std::vector<std::byte> state() = 0;
    /// Goes on from a state, which every rank is given. Throws InvalidArgument for one of another
    /// size or kind.
    virtual void resume(std::span<const std::byte> state) = 0;
};

struct WavePoints {
    std::vector<PointSource> sources;
    std::vector<PointInTet> receivers;
    /// Where strain xx, yy, zz, yz, xz, xy (tensor components) is recorded, the mean over the ball
    /// that a moment there acts over (SourceSpread; of more than 200 the value at the point); in
    /// solids, and not near a moment tensor, whose stress glut is no strain.
    std::vector<PointInTet> strains;
    std::vector<PointInTet> peaks;  ///< where peak_velocity() is wanted
};

/// Throws ValidationError naming the field (`params.order` ...), value and rule: orders, lanes,
/// times, solids that are none, points outside of their tets, surfaces without a pair; strains in
/// liquids, or where `queue` is a GPU's, which records none yet; ranks of which some are on GPUs
/// and some are not. Collective.
[[nodiscard]] std::unique_ptr<WaveSolver> make_wave_solver(
    const WaveModel& model, const WaveParams& params, const WavePoints& points, comm::Comm& comm,
    const device::Queue& queue = device::Queue());

/// Clusters that make_wave_solver would find.
[[nodiscard]] Clusters find_clusters(const WaveModel& model, const WaveParams& params);

/// Bytes that a solver takes of so many elements, of all ranks together.
[[nodiscard]] double solver_bytes(std::int64_t elements, int mechanisms, const WaveParams& params);

/// Throws ValidationError with everything that is wrong with what a solver is given; topology of
/// the model.
void check_setup(const WaveModel& model, const WaveParams& params);
void check_points(const WaveModel& model, const TetTopology& topology, const WaveParams& params,
                  const WavePoints& points);

}  // namespace kaname::aderdg
