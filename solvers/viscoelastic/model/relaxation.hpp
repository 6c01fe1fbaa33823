// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <complex>
#include <optional>
#include <vector>

#include "solvers/earth/structure.hpp"
#include "solvers/viscoelastic/model/model.hpp"

namespace kaname::viscoelastic {

/// Shear relaxation modulus of a linear material over its unrelaxed shear modulus, a Prony series:
///   mu(t) / mu = sum_k share_k exp(-rate_k t),   g(s) = s L[mu(t)] / mu = sum_k share_k s/(s +
///   rate_k)
/// Shares are >= 0 and add up to one; a rate of zero is a part that stays.
struct Relaxation {
    struct Branch {
        double share;
        double rate_per_s;
    };
    std::vector<Branch> branches;

    [[nodiscard]] double at(double s_per_s) const;  ///< g(s)
    [[nodiscard]] std::complex<double> at(std::complex<double> s_per_s) const;
    [[nodiscard]] double at_time(double t_s) const;       ///< mu(t) / mu
    [[nodiscard]] double lost_at_time(double t_s) const;  ///< 1 - mu(t) / mu, to all digits
    [[nodiscard]] double fastest_rate_per_s() const;      ///< 0: elastic
};

/// Spring mu and dashpot eta in series: rate mu/eta. Each throws InvalidArgument naming the number
/// that is not finite and > 0.
[[nodiscard]] Relaxation maxwell(double mu_pa, double eta_pa_s);

/// A spring mu_relaxed beside a Maxwell element (mu - mu_relaxed, eta); 0 < mu_relaxed < mu.
[[nodiscard]] Relaxation standard_linear_solid(double mu_pa, double mu_relaxed_pa, double eta_pa_s);

/// A Maxwell element (mu, eta) in series with a Kelvin element (mu_kelvin beside eta_kelvin). Equal
/// to two Maxwell elements side by side, with the rates that solve
///   rho^2 - (mu/eta + mu/eta_k + mu_k/eta_k) rho + mu mu_k / (eta eta_k) = 0.
[[nodiscard]] Relaxation burgers(double mu_pa, double eta_pa_s, double mu_kelvin_pa,
                                 double eta_kelvin_pa_s);

/// The relaxation of a viscous material: Maxwell, standard linear solid or Burgers. Throws
/// InvalidArgument for an elastic one.
[[nodiscard]] Relaxation relaxation_of(const earth::Material& material);

/// With nodal dilatation the volume strain that is integrated fully relaxes like the shear modulus,
/// this many times slower (docs/theory/viscoelastic.md, "Nodal dilatation").
inline constexpr double kBulkSlowness = 6.0;
[[nodiscard]] Relaxation bulk_relaxation(const Relaxation& shear);

/// Parts of the deviatoric stress that relax each in their own way: 1 in a Maxwell or an elastic
/// material, 2 in a standard linear solid or a Burgers body.
[[nodiscard]] int n_branches(const earth::Material& material);

/// Relaxation time of the branch that relaxes first; Maxwell: eta/mu. nullopt when elastic. Of a
/// range of viscosity the lowest: element, box and times must do for that.
[[nodiscard]] std::optional<double> shortest_relaxation_time_s(const earth::Material& material);
/// The shortest relaxation time of all materials that a layer uses; nullopt when all are elastic.
[[nodiscard]] std::optional<double> shortest_relaxation_time_s(
    const earth::LayeredStructure& structure);

/// RelaxingElements lists this rank's elements that relax, in the memory of a queue: a time step
/// loads and changes only these. The stress of the others follows from the displacement,
/// sigma = D B (u + s).
class RelaxingElements {
public:
    RelaxingElements(const Model& model, device::Queue& queue);
    RelaxingElements(const RelaxingElements&) = delete;
    RelaxingElements& operator=(const RelaxingElements&) = delete;

    [[nodiscard]] device::View<const std::int32_t> relaxing() const { return relaxing_; }
    [[nodiscard]] device::View<const std::int32_t> lasting() const { return lasting_; }
    /// Returns the data with only those element blocks in which something relaxes. They are views
    /// of this object.
    [[nodiscard]] ElementData blocks_of(ElementData data) const;

private:
    device::Buffer<std::int32_t> relaxing_, lasting_;  ///< ascending
    p2::ElementBlocks blocks_;
    BlockScatter scatter_;  ///< on a GPU
};

}  // namespace kaname::viscoelastic
