// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/cpu/gravity_pass.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/aderdg/bernstein.hpp"

namespace kaname::aderdg {
namespace {

/// phi(j) = sum_k (-kappa)^k/(j + k)!, so that j! phi(j + 1) is the integral of x^j e^(kappa (x -
/// 1)) over [0, 1].
double phi(double kappa, int j) {
    double term = 1.0 / std::tgamma(j + 1.0), sum = 0.0;
    for (int k = 1; std::abs(term) > 1e-18 * std::abs(sum); ++k) {
        sum += term;
        term *= -kappa / (j + k);
    }
    return sum;
}

}  // namespace

DecayWeights::DecayWeights(double kappa, int powers) : end{std::exp(-kappa)}, mean{phi(kappa, 1)} {
    for (int i = 0; i < powers; ++i) {
        const double factorial = std::tgamma(i + 1.0);
        end.push_back(factorial * phi(kappa, i + 1));
        mean.push_back(factorial * phi(kappa, i + 2));
    }
}

GravityPass::GravityPass(const EngineSetup& setup, const FaceTables& tables)
    : kept_(tables.kept), modes_(face_modes(setup.params.order - 1)), lanes_(setup.lanes) {
    const std::vector<std::int64_t> numbers = numbered_faces(setup.topology, Boundary::Gravity);
    const Layout& layout = setup.layout;
    for (std::size_t k = 0; k < layout.conditions.size(); ++k) {
        const Layout::Condition& c = layout.conditions[k];
        if (c.fault_face >= 0) {
            continue;
        }
        const Solid& solid = setup.model.solids[setup.model.mesh.material[c.tet]];
        const int cluster = layout.cluster_of(c.block);
        const double step_s = std::ldexp(setup.step_s, cluster);
        const double weight = solid.density_kg_m3 * setup.model.gravity_m_s2;
        const double per_impedance = 1.0 / (solid.density_kg_m3 * solid.vp_m_per_s());
        Face& face =
            faces_.emplace_back(numbers[4 * c.tet + c.face], static_cast<std::int32_t>(k), cluster,
                                GravityTerms{{}, weight, per_impedance, step_s},
                                DecayWeights(step_s * weight * per_impedance, kept_.powers()));
        const Vec3 normal =
            TetShape::of(corners_of(setup.model, setup.topology, c.tet)).normal[c.face];
        for (int d = 0; d < 3; ++d) {
            face.terms.normal[d] = normal[d];
        }
    }
    std::ranges::stable_sort(faces_, {}, &Face::cluster);
    heights_.resize(faces_.size() * lanes_ * modes_);
    for (int degree = 0; degree < setup.params.order - 1; ++degree) {
        std::vector<Source> sources;
        for (int b2 = 0; b2 <= degree + 1; ++b2) {
            for (int b1 = 0; b1 <= degree + 1 - b2; ++b1) {
                const FaceIndex high = {degree + 1 - b1 - b2, b1, b2};
                Source source{};
                for (int a = 0; a < 3; ++a) {
                    if (high[a] > 0) {
                        FaceIndex low = high;
                        --low[a];
                        source.place[a] = place_of(low);
                        source.share[a] = static_cast<double>(high[a]) / (degree + 1);
                    }
                }
                sources.push_back(source);
            }
        }
        elevation_.push_back(std::move(sources));
    }
}

void GravityPass::sum(std::span<const double> weights, const double* driving, double* out) const {
    double low[face_modes(kMostOrder - 1)] = {};
    int degree = kept_.degree(kept_.powers() - 1);
    std::fill_n(out, modes_, 0.0);
    for (int i = kept_.powers() - 1; i >= 0; --i) {
        if (kept_.degree(i) > degree) {
            std::copy_n(out, face_modes(degree), low);
            for (int k = 0; k < face_modes(degree + 1); ++k) {
                const Source& from = elevation_[degree][k];
                out[k] = from.share[0] * low[from.place[0]] + from.share[1] * low[from.place[1]] +
                         from.share[2] * low[from.place[2]];
            }
            ++degree;
        }
        const double weight = weights[i + 1] * kept_.factor(i);
        for (int k = 0; k < face_modes(degree); ++k) {
            out[k] += weight * driving[kept_.first(i) + k];
        }
    }
}

std::vector<double> GravityPass::responses() const {
    const std::vector<double> ones(kept_.powers() + 1, 1.0);
    std::vector<double> driving(kept_.numbers()), all(driving.size() * modes_);
    for (std::size_t j = 0; j < driving.size(); ++j) {
        driving[j] = 1.0;
        sum(ones, driving.data(), all.data() + j * modes_);
        driving[j] = 0.0;
    }
    return all;
}

void GravityPass::step(std::int64_t k, int lane, const double* kept, double* mean) {
    const Face& face = faces_[k];
    std::vector<double> driving(kept_.numbers());
    for (int j = 0; j < kept_.numbers(); ++j) {
        driving[j] = kernels::driving(face.terms, kept, kept_.padded(), j);
    }
    double end[face_modes(kMostOrder - 1)];
    sum(face.weights.end, driving.data(), end);
    sum(face.weights.mean, driving.data(), mean);
    double* height = heights_.data() + (k * lanes_ + lane) * modes_;
    for (int m = 0; m < modes_; ++m) {
        mean[m] += face.weights.mean[0] * height[m];
        height[m] = face.weights.end[0] * height[m] + end[m];
    }
}

void GravityPass::set_heights(std::span<const double> all) {
    const std::size_t each = static_cast<std::size_t>(lanes_) * modes_;
    for (std::size_t k = 0; k < faces_.size(); ++k) {
        std::copy_n(all.begin() + faces_[k].number * each, each, heights_.begin() + k * each);
    }
}

}  // namespace kaname::aderdg
