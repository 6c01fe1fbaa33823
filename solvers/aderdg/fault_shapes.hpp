// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solvers/aderdg/layout.hpp"
#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/rupture/fault_faces.hpp"
#include "solvers/rupture/kernels/real_math.hpp"

namespace kaname::aderdg {

/// A fault face from the condition of its minus side: corners in the order of the face's modes.
[[nodiscard]] rupture::FaultFaceShape fault_shape(const WaveModel& model,
                                                  const TetTopology& topology,
                                                  const Layout::Condition& minus);

/// The two conditions (Layout) of a fault face.
struct FaultSides {
    std::int32_t minus = -1, plus = -1;
    int cluster = 0;
};
/// Returns the fault faces of a rank, sorted by cluster, law and face.
[[nodiscard]] std::vector<FaultSides> fault_sides(const WaveModel& model, const Layout& layout);
[[nodiscard]] std::vector<rupture::FaultFaceShape> fault_shapes(const WaveModel& model,
                                                                const TetTopology& topology,
                                                                const Layout& layout,
                                                                std::span<const FaultSides> sides);

/// Holds the factors that turn the traces of a face's two elements into tractions on the fault, and
/// slip rates back.
struct FaultFaceTerms {
    double axes[3][3];  ///< normal to the plus side, along strike, down dip
    /// Normal [0] and shear [1]: eta = Z+ Z-/(Z+ + Z-), and 1/Z of either side.
    double eta[2], per_plus[2], per_minus[2];

    [[nodiscard]] static FaultFaceTerms of(const WaveModel& model, const TetTopology& topology,
                                           const Layout::Condition& minus);

    /// The traction if the fault held, eta (v+ - v- + t+/Z+ + t-/Z-), of coefficient k from traces
    /// [6][stride] (traction on each side's outward normal, velocity): `to` [3][stride] by axes.
    /// Real is double, or Pack<double> for as many coefficients.
    template <class Real>
    KANAME_HD void lock(const double* minus, const double* plus, int stride, int k,
                        double* to) const {
        const auto at = [&](const double* of, int row) {
            return rupture::kernels::read<Real>(of + row * stride + k);
        };
        // The plus side's outward normal is the fault's turned round.
        Real normal{}, strike{}, dip{};
        for (int d = 0; d < 3; ++d) {
            const Real t_minus = at(minus, d), t_plus = at(plus, d);
            const Real v = at(plus, 3 + d) - at(minus, 3 + d);
            const Real shear = v - per_plus[1] * t_plus + per_minus[1] * t_minus;
            normal = normal + axes[0][d] * (v - per_plus[0] * t_plus + per_minus[0] * t_minus);
            strike = strike + axes[1][d] * shear;
            dip = dip + axes[2][d] * shear;
        }
        rupture::kernels::write(to + k, eta[0] * normal);
        rupture::kernels::write(to + stride + k, eta[1] * strike);
        rupture::kernels::write(to + 2 * stride + k, eta[1] * dip);
    }
    /// A coefficient along strike and down dip to direction d of x, y, z.
    [[nodiscard]] KANAME_HD double turn(int d, double strike, double dip) const {
        return axes[1][d] * strike + axes[2][d] * dip;
    }
};

/// FaultRecord samples the rank's fault receivers at the point of friction nearest to each,
/// linearly between the ends of steps. Slip rate and tractions are those of the last time node of a
/// step, a twentieth of it earlier.
class FaultRecord {
public:
    /// faces: those of the rank, in the order of FaultFaces.
    FaultRecord(const rupture::FaultSetup& setup, const rupture::FaultRule& rule,
                std::span<const rupture::FaultFaceShape> faces);

    using Values = std::array<double, kFaultNumbers>;
    /// Fields of Kept that a receiver sees.
    static constexpr std::array<int, kFaultNumbers> kFields = {
        rupture::Kept::kSlipStrike, rupture::Kept::kSlipDip,   rupture::Kept::kRateStrike,
        rupture::Kept::kRateDip,    rupture::Kept::kStrikeNow, rupture::Kept::kDipNow,
        rupture::Kept::kNormalNow,  rupture::Kept::kPsi};

    /// Receivers of a face are first()[face] up to first()[face + 1], each with its point.
    [[nodiscard]] std::span<const std::int32_t> first() const { return first_; }
    [[nodiscard]] int point(std::int64_t receiver) const { return receivers_[receiver].point; }
    [[nodiscard]] bool has(std::int64_t face) const { return first_[face] != first_[face + 1]; }
    /// The face's points [Kept fields][padded] at the end t_s of a step.
    void add(std::int64_t face, double t_s, const double* kept);
    /// One receiver at the end t_s of its face's step.
    void add_to(std::int64_t receiver, double t_s, const Values& now);
    /// Samples until until_s, to which all faces have come, and not yet taken,
    /// [samples][receivers of the rank][kFaultNumbers].
    [[nodiscard]] std::vector<float> take(double until_s);
    /// Numbers of the rank's receivers among all, in the order of take().
    [[nodiscard]] const std::vector<std::int64_t>& numbers() const { return numbers_; }
    [[nodiscard]] std::int64_t samples() const { return taken_; }
    /// Goes on at t_s with what faces have then, `samples` taken.
    void resume(std::int64_t samples, double t_s,
                const std::function<std::vector<double>(std::int64_t face)>& kept);

private:
    struct Receiver {
        std::int64_t face = 0;
        int point = 0;
        double t_s = 0.0;
        Values last{};
        std::vector<Values> samples;  ///< not yet taken
    };
    [[nodiscard]] Values values_of(const Receiver& receiver, const double* kept) const;

    double interval_s_;
    int padded_;
    std::int64_t taken_ = 0;
    std::vector<Receiver> receivers_;  ///< by face
    std::vector<std::int32_t> first_;  ///< [faces + 1] into receivers_
    std::vector<std::int64_t> numbers_;
};

}  // namespace kaname::aderdg
