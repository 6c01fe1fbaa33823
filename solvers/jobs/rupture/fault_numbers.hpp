// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <map>

/// The numbers that a fault with friction has at each of its points.
namespace kaname::jobs {

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

}  // namespace kaname::jobs
