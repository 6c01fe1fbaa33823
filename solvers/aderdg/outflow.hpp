// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/kernels/conditions_body.hpp"

namespace kaname::aderdg {

/// Energy of lane 0 that has left through a rank's absorbing faces.
class Outflow {
public:
    explicit Outflow(const EngineSetup& setup);

    /// Returns the outlets of a block. One thread for each block may add to their energies.
    [[nodiscard]] std::span<Outlet> outlets(std::int32_t block) {
        return std::span(outlets_).subspan(first_[block], first_[block + 1] - first_[block]);
    }
    [[nodiscard]] std::span<Outlet> outlets() { return outlets_; }
    [[nodiscard]] const std::vector<std::int32_t>& first() const { return first_; }
    [[nodiscard]] const std::vector<double>& mass() const { return mass_; }
    /// Adds the outflow of a step with the mean trace, a record.
    template <class T>
    void add(Outlet& outlet, const T* trace) const;

    /// Returns the energies of all outlets, in their order, and appends their numbers.
    [[nodiscard]] std::vector<double> energies(std::vector<std::int64_t>& numbers) const;
    /// Sets the energies from those of all faces of the model, by number.
    void set_energies(std::span<const double> energy_j);

private:
    int modes_, lanes_;
    std::vector<double> mass_;  ///< of a face, [modes][modes]
    std::vector<Outlet> outlets_;
    std::vector<std::int32_t> first_;  ///< [blocks + 1]
};

template <class T>
void Outflow::add(Outlet& outlet, const T* trace) const {
    std::vector<double> out(3 * static_cast<std::size_t>(modes_));
    for (int k = 0; k < modes_; ++k) {
        kernels::outgoing(outlet, trace, modes_ * lanes_, lanes_, modes_, k, out.data());
    }
    double sum = 0.0;
    for (int a = 0; a < modes_; ++a) {
        sum += kernels::leaving(out.data(), mass_.data(), modes_, a);
    }
    outlet.energy_j += outlet.step_s * outlet.area_m2 * sum;
}

}  // namespace kaname::aderdg
