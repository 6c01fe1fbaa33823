// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "solvers/rupture/fault_setup.hpp"
#include "worker/jobs/ader_dg/seismic_job.hpp"

namespace kaname::jobs {

/// N numbers over depth below z = 0: linear between rows, a jump where a depth is repeated (the
/// second row counts there), constant above the first and below the last.
template <std::size_t N>
struct ByDepth {
    using Values = std::array<double, N>;
    struct Row {
        double depth_m = 0.0;
        Values values{};
    };
    std::vector<Row> rows;  ///< at least one; depths never decrease

    [[nodiscard]] static ByDepth constant(const Values& values) { return {{{0.0, values}}}; }

    [[nodiscard]] Values at(double depth_m) const {
        const auto below = std::ranges::upper_bound(rows, depth_m, {}, &Row::depth_m);
        if (below == rows.begin()) {
            return rows.front().values;
        }
        const Row& above = *(below - 1);
        if (below == rows.end()) {
            return above.values;
        }
        const double part = (depth_m - above.depth_m) / (below->depth_m - above.depth_m);
        Values values{};
        for (std::size_t k = 0; k < N; ++k) {
            values[k] = above.values[k] + part * (below->values[k] - above.values[k]);
        }
        return values;
    }
};

/// The numbers that a fault with friction has at each of its points.

/// Tractions are sigma . normal on the minus side, the normal pointing to the plus side: normal < 0
/// is compression, strike > 0 drives left-lateral slip, dip > 0 lets the hanging wall go down
/// (rupture::FaultFrame).
enum class FaultNumber : std::size_t {
    Normal,  ///< initial traction [Pa]
    Strike,
    Dip,
    StaticFriction,  ///< linear slip weakening
    DynamicFriction,
    WeakeningSlip,  ///< Dc [m]
    Cohesion,       ///< [Pa]
    ForcedRupture,  ///< time [s]
    A,              ///< rate and state
    B,
    StateSlip,  ///< L [m]
    ReferenceFriction,
    ReferenceRate,  ///< V0 [m/s]
    WeakenedFriction,
    WeakeningRate,  ///< V_w [m/s]
    InitialRate,    ///< [m/s]
    Count,
};
inline constexpr std::size_t kFaultNumberCount = static_cast<std::size_t>(FaultNumber::Count);

/// All of one point, SI units.
class FaultNumbers {
public:
    FaultNumbers() {
        (*this)[FaultNumber::ForcedRupture] = kNever_s;
        (*this)[FaultNumber::ReferenceFriction] = 0.6;
        (*this)[FaultNumber::ReferenceRate] = 1e-6;
    }
    static constexpr double kNever_s = 1e9;  ///< a time of forced rupture that never comes

    [[nodiscard]] double& operator[](FaultNumber number) {
        return values_[static_cast<std::size_t>(number)];
    }
    [[nodiscard]] double operator[](FaultNumber number) const {
        return values_[static_cast<std::size_t>(number)];
    }

private:
    std::array<double, kFaultNumberCount> values_{};
};

/// Some of them.
using SomeNumbers = std::map<FaultNumber, double>;

// Places on a fault are along_m along strike and down_m down dip of its origin: of a plane the
// middle of its upper edge, of other faults that of the rectangle around the fault on its mean
// plane (FaultAxes).

enum class PatchShape { Rectangle, Ellipse };

/// Where some of a fault's numbers are others.
struct RupturePatch {
    PatchShape shape = PatchShape::Rectangle;
    double along_m = 0.0, down_m = 0.0;    ///< middle
    double length_m = 0.0, width_m = 0.0;  ///< along strike, down dip
    SomeNumbers numbers;                   ///< in place of the fault's
    std::string field;                     ///< faults[0].patches[0]
};

/// Numbers that become others outside of a rectangle: n + (outside - n)(1 - B(x) B(y)), B = 1
/// inside and 0 from width_m beyond it on, between them
///   B = (1 + tanh(w/(d - w) + w/d))/2,  d the distance beyond the edge   (SCEC TPV101 to 104).
struct RuptureTaper {
    double along_m = 0.0, down_m = 0.0, length_m = 0.0, width_m = 0.0;  ///< the rectangle
    double transition_m = 0.0;                                          ///< w; 0: a jump
    SomeNumbers outside;
    std::string field;
};

/// Numbers on a grid in the fault's coordinates; bilinear between nodes, a number that the table
/// has stands in place of the fault's everywhere. It must cover the fault.
struct RuptureTable {
    std::string path;  ///< CSV with a header, or netCDF-4; see read_fault_table
    /// Shear along strike of the table is positive for right-lateral loading; ours is for
    /// left-lateral loading.
    bool right_lateral_positive = false;
    std::string field;
};

/// Traction normal, along strike, down dip [Pa].
using TractionByDepth = ByDepth<3>;
/// Stress xx, yy, zz, xy, yz, xz [Pa], tension > 0; traction is that on each point's own normal.
using StressByDepth = ByDepth<6>;

struct RuptureFault {
    std::string id, field;  ///< id: that of its place in the mesh request; field: faults[0]
    rupture::FrictionLaw law = rupture::FrictionLaw::LinearSlipWeakening;
    /// `numbers` holds the parameters that the law reads; tractions come from `stress`.
    FaultNumbers numbers;
    std::variant<TractionByDepth, StressByDepth> stress = TractionByDepth::constant({});
    // The following change the values before them, each in turn:
    std::optional<RuptureTable> table;
    std::vector<RuptureTaper> tapers;
    std::vector<RupturePatch> patches;
};

/// Shear that is added smoothly in space, F(r) = exp(r^2/(r^2 - R^2)) for r < R, and time
/// (rupture::FaultSetup::nucleation_s).
struct SmoothNucleation {
    std::size_t fault = 0;
    double along_m = 0.0, down_m = 0.0, radius_m = 0.0;
    double strike_pa = 0.0, dip_pa = 0.0;  ///< at its middle
    std::string field;
};

/// Forced rupture that runs from a place with constant speed, up to a distance; the earlier of this
/// and the fault's own ForcedRupture counts. Of linear slip weakening.
struct ForcedNucleation {
    std::size_t fault = 0;
    double along_m = 0.0, down_m = 0.0, radius_m = 0.0, speed_m_per_s = 0.0;
    std::string field;
};

/// Yielding off the faults (aderdg::Plasticity), of all materials alike.
struct RupturePlasticity {
    StressByDepth stress;
    ByDepth<1> cohesion_pa;
    double friction = 0.0;  ///< tan of the angle
    double relaxation_s = 0.0;
};

struct RuptureReceiver {
    std::string id, field;  ///< field: fault_receivers[0]
    std::size_t fault = 0;
    double along_m = 0.0, down_m = 0.0;
};

/// A spontaneous rupture and its waves: what kaname.v1.Rupture says in plain numbers. It has no
/// forces; `sources` have a known motion and radiate in one run with the faults; mesh.faults are
/// `faults`, in their order.
struct RuptureJob : SeismicJob {
    WaveName event;  ///< what is solved, the one "source" of results
    std::vector<RuptureFault> faults;
    std::vector<SmoothNucleation> smooth_nucleation;
    double nucleation_s = 0.0;  ///< T of all of them; 0: at once
    std::vector<ForcedNucleation> forced_nucleation;
    double forced_growth_s = 0.0;  ///< in which forced rupture weakens a point
    double rupture_rate_m_per_s = 1e-3;
    std::optional<RupturePlasticity> plasticity;
    double gravity_m_s2 = 9.81;  ///< where mesh.sides or boundaries have aderdg::Boundary::Gravity
    std::vector<RuptureReceiver> fault_receivers;
    std::vector<double> fault_snapshots_s;  ///< when slip rate is kept of whole faults
    double energy_interval_s = 0.0;         ///< between energies; 0: a hundredth of end_s

    [[nodiscard]] std::vector<WaveName> names() const override { return {event}; }
};

}  // namespace kaname::jobs
