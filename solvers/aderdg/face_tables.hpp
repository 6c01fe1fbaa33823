// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>
#include <vector>

#include "solvers/aderdg/engine.hpp"
#include "solvers/aderdg/kernels/conditions_body.hpp"
#include "solvers/parallel/aligned.hpp"
#include "solvers/rupture/fault_faces.hpp"

namespace kaname::aderdg {

/// The trace of an element's face as a function of time within a step, x = (t - t0)/dt:
///   sum_i factor(i) x^i sum_k c_ik B_k,   B_k Bernstein's polynomials of the face of degree(i).
/// Without mechanisms power i is derivative i of the predictor, of degree N - i and with the factor
/// binom(N, i); with them N + 2 powers have degree N. It is kept as [6][padded()]: traction on the
/// outward normal and velocity, each with the coefficients of all powers one after the other.
class KeptTrace {
public:
    KeptTrace(int N, int mechanisms);
    [[nodiscard]] int powers() const { return static_cast<int>(first_.size()) - 1; }
    [[nodiscard]] int degree(int power) const { return full_ ? N_ : N_ - power; }
    [[nodiscard]] double factor(int power) const;
    [[nodiscard]] int first(int power) const { return first_[power]; }
    /// Modes of an element of degree(power) that lie on its face f, in the order of the face's.
    [[nodiscard]] std::span<const std::uint8_t> modes(int power, int f) const {
        return std::span(modes_[f]).subspan(first(power), first(power + 1) - first(power));
    }
    /// Coefficients of a component, and the same in whole registers: rows are padded() apart.
    [[nodiscard]] int numbers() const { return first_.back(); }
    [[nodiscard]] int padded() const { return (numbers() + 7) / 8 * 8; }
    [[nodiscard]] int size() const { return 6 * padded(); }

private:
    int N_;
    bool full_;
    std::vector<int> first_;
    std::array<std::vector<std::uint8_t>, 4> modes_;
};

/// Bernstein's polynomials of a triangle at a point, in the order of face_indices.
[[nodiscard]] std::vector<double> face_bernstein_at(int degree,
                                                    const std::array<double, 3>& lambda);
/// int B_a B_b over a triangle of area 1, [modes][modes].
[[nodiscard]] std::vector<double> face_mass_matrix(int degree);

/// Points of a face, as few as make products of two of its polynomials exact (16 at order 5), and
/// Gauss's N + 1 times of a step.
[[nodiscard]] rupture::FaultRule fault_rule(int N);

/// Between the polynomials of a face and the points where friction is solved.
struct FaceTables {
    KeptTrace kept;
    rupture::FaultRule rule;
    /// Values of a kept trace's modes at the points, [numbers][padded]; padding repeats the last
    /// point.
    AlignedVector<double> values;
    std::vector<double> time_factors;  ///< [times][powers] factor(i) x_l^i
    /// Best polynomial of degree N from values at the points, [padded][face_modes(N)]; 0 for
    /// padding.
    std::vector<double> projection;

    FaceTables(int N, int mechanisms);
};

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
