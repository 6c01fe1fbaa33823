// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic {
namespace {

void require_positive(const char* name, double value) {
    if (!(std::isfinite(value) && value > 0.0)) {
        std::ostringstream text;
        text << name << " must be finite and > 0, got " << value;
        throw Error(ErrorCode::InvalidArgument, text.str());
    }
}

}  // namespace

namespace {

template <class Number>
Number modulus(const std::vector<Relaxation::Branch>& branches, Number s_per_s) {
    Number g = 0.0;
    for (const Relaxation::Branch& branch : branches) {
        g += branch.rate_per_s > 0.0 ? branch.share * s_per_s / (s_per_s + branch.rate_per_s)
                                     : Number(branch.share);
    }
    return g;
}

}  // namespace

double Relaxation::at(double s_per_s) const {
    return modulus(branches, s_per_s);
}

std::complex<double> Relaxation::at(std::complex<double> s_per_s) const {
    return modulus(branches, s_per_s);
}

double Relaxation::at_time(double t_s) const {
    double value = 0.0;
    for (const Branch& branch : branches) {
        value += branch.share * std::exp(-branch.rate_per_s * t_s);
    }
    return value;
}

double Relaxation::lost_at_time(double t_s) const {
    double value = 0.0;
    for (const Branch& branch : branches) {
        value -= branch.share * std::expm1(-branch.rate_per_s * t_s);
    }
    return value;
}

double Relaxation::fastest_rate_per_s() const {
    double rate = 0.0;
    for (const Branch& branch : branches) {
        rate = std::max(rate, branch.rate_per_s);
    }
    return rate;
}

Relaxation maxwell(double mu_pa, double eta_pa_s) {
    require_positive("mu_pa", mu_pa);
    require_positive("viscosity_pa_s", eta_pa_s);
    return {{{1.0, mu_pa / eta_pa_s}}};
}

Relaxation standard_linear_solid(double mu_pa, double mu_relaxed_pa, double eta_pa_s) {
    require_positive("mu_pa", mu_pa);
    require_positive("mu_relaxed_pa", mu_relaxed_pa);
    require_positive("viscosity_pa_s", eta_pa_s);
    if (mu_relaxed_pa >= mu_pa) {
        std::ostringstream text;
        text << "mu_relaxed_pa must be below mu_pa = " << mu_pa << ", got " << mu_relaxed_pa;
        throw Error(ErrorCode::InvalidArgument, text.str());
    }
    const double lasting = mu_relaxed_pa / mu_pa;
    return {{{lasting, 0.0}, {1.0 - lasting, (mu_pa - mu_relaxed_pa) / eta_pa_s}}};
}

Relaxation burgers(double mu_pa, double eta_pa_s, double mu_kelvin_pa, double eta_kelvin_pa_s) {
    require_positive("mu_pa", mu_pa);
    require_positive("viscosity_pa_s", eta_pa_s);
    require_positive("mu_kelvin_pa", mu_kelvin_pa);
    require_positive("viscosity_kelvin_pa_s", eta_kelvin_pa_s);
    const double kelvin = mu_kelvin_pa / eta_kelvin_pa_s;
    const double flow = mu_pa / eta_pa_s;
    const double coupling = mu_pa / eta_kelvin_pa_s;
    // g(s) = s (s + kelvin) / ((s + fast)(s + slow)); roots and their distance without cancellation
    // p^2 - 4 q, which rounds to nothing when the coupling is weak and flow = kelvin.
    const double apart = std::hypot(
        flow - kelvin, std::sqrt(coupling) * std::sqrt(2.0 * (flow + kelvin) + coupling));
    const double fast = 0.5 * (flow + coupling + kelvin + apart);
    const double slow = flow * (kelvin / fast);
    const double share_slow = std::max(0.0, (kelvin - slow) / apart);
    return {{{1.0 - share_slow, fast}, {share_slow, slow}}};
}

Relaxation relaxation_of(const earth::Material& material) {
    if (!material.viscosity_pa_s) {
        throw Error(ErrorCode::InvalidArgument,
                    "material '" + material.name + "' must have a viscosity to relax");
    }
    if (material.relaxed_mu_pa) {
        return standard_linear_solid(material.mu_pa, *material.relaxed_mu_pa,
                                     *material.viscosity_pa_s);
    }
    if (material.kelvin_mu_pa && material.kelvin_viscosity_pa_s) {
        return burgers(material.mu_pa, *material.viscosity_pa_s, *material.kelvin_mu_pa,
                       *material.kelvin_viscosity_pa_s);
    }
    return maxwell(material.mu_pa, *material.viscosity_pa_s);
}

Relaxation bulk_relaxation(const Relaxation& shear) {
    Relaxation bulk = shear;
    for (Relaxation::Branch& branch : bulk.branches) {
        branch.rate_per_s /= kBulkSlowness;
    }
    return bulk;
}

int n_branches(const earth::Material& material) {
    return material.viscosity_pa_s && !material.is_maxwell() ? 2 : 1;
}

std::optional<double> shortest_relaxation_time_s(const earth::Material& material) {
    if (!material.viscosity_pa_s) {
        return std::nullopt;
    }
    earth::Material softest = material;
    if (material.viscosity_range) {
        softest.viscosity_pa_s = material.viscosity_range->from_pa_s;
    }
    if (material.kelvin_viscosity_range) {
        softest.kelvin_viscosity_pa_s = material.kelvin_viscosity_range->from_pa_s;
    }
    return softest.is_maxwell() ? softest.maxwell_time_s()
                                : 1.0 / relaxation_of(softest).fastest_rate_per_s();
}

std::optional<double> shortest_relaxation_time_s(const earth::LayeredStructure& structure) {
    std::optional<double> shortest;
    for (const earth::Material& material : structure.used_materials()) {
        const auto time = shortest_relaxation_time_s(material);
        if (time && (!shortest || *time < *shortest)) {
            shortest = time;
        }
    }
    return shortest;
}

RelaxingElements::RelaxingElements(const Model& model, device::Queue& queue) {
    const p2::LocalMesh& mesh = model.mesh();
    const auto relaxes = [&](std::int32_t elem) {
        return model.materials()[mesh.material[elem]].viscosity_pa_s.has_value();
    };
    std::vector<std::int32_t> relaxing;
    std::vector<std::int32_t> lasting;
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        (relaxes(elem) ? relaxing : lasting).push_back(elem);
    }
    relaxing_ = {std::span<const std::int32_t>(relaxing), queue};
    lasting_ = {std::span<const std::int32_t>(lasting), queue};

    blocks_.n_boundary_colours = mesh.blocks.n_boundary_colours;
    for (const auto& colour : mesh.blocks.colours) {
        auto& left = blocks_.colours.emplace_back();
        std::ranges::copy_if(colour, std::back_inserter(left), [&](const auto& block) {
            const auto next = std::ranges::lower_bound(relaxing, block.begin);
            return next != relaxing.end() && *next < block.end;
        });
    }
    if (queue.backend() == device::Backend::Cuda) {
        const std::span flat(reinterpret_cast<const std::int32_t*>(mesh.conn.data()),
                             mesh.conn.size() * p2::kNodesPerTet10);
        scatter_ = BlockScatter(block_nodes(flat, blocks_.colours, 1), blocks_, 0, queue);
    }
}

ElementData RelaxingElements::blocks_of(ElementData data) const {
    data.blocks = &blocks_;
    data.scatter = &scatter_;
    return data;
}

}  // namespace kaname::viscoelastic
