// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/rupture/fault_faces.hpp"

namespace kaname::aderdg {

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
