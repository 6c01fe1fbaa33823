// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/engine.hpp"

#include <cmath>

#include "solvers/aderdg/cpu/block_engine.hpp"
#include "solvers/aderdg/kernels/element_terms.hpp"
#include "solvers/aderdg/kernels/predict_body.hpp"
#include "solvers/parallel/pack.hpp"

namespace kaname::aderdg {

std::unique_ptr<Engine> make_engine(EngineSetup setup, const device::Queue& queue) {
    if (queue.backend() == device::Backend::Cuda) {
        return make_gpu_engine(std::move(setup), queue);
    }
    return make_cpu_engine(std::move(setup));
}

int elements_per_block(Precision precision, int lanes, const device::Queue& queue) {
    if (queue.backend() == device::Backend::Cuda) {
        return gpu_columns(precision) / lanes;
    }
    return (precision == Precision::Single ? kPack<float> : kPack<double>) / lanes;
}

std::vector<double> element_terms(const EngineSetup& setup, std::int64_t tet, int cluster) {
    const WaveModel& model = setup.model;
    const Solid& solid = model.solids[model.mesh.material[tet]];
    const TetShape shape = TetShape::of(corners_of(model, setup.topology, tet));
    const double dt = std::ldexp(setup.step_s, cluster);
    std::vector<double> terms(Terms::size(static_cast<int>(solid.mechanisms.size())));
    for (int a = 0; a < 4; ++a) {
        for (int d = 0; d < 3; ++d) {
            terms[Terms::kGradient + 3 * a + d] = dt * shape.gradient[a][d];
        }
    }
    const double vp = solid.vp_m_per_s(), vs = solid.vs_m_per_s();
    terms[Terms::kLambda] = solid.lambda_pa;
    terms[Terms::kMu] = solid.mu_pa;
    terms[Terms::kPerDensity] = 1.0 / solid.density_kg_m3;
    terms[Terms::kVs] = vs;
    terms[Terms::kVpMinusVs] = vp - vs;
    for (int f = 0; f < 4; ++f) {
        const std::int64_t beyond = setup.topology.beyond[tet][f].tet;
        const Solid& other = beyond < 0 ? solid : model.solids[model.mesh.material[beyond]];
        const double scale = dt * shape.area_m2[f] / shape.volume_m3;
        const double zp = solid.density_kg_m3 * vp, zs = solid.density_kg_m3 * vs;
        const double zp_there = other.density_kg_m3 * other.vp_m_per_s();
        const double zs_there = other.density_kg_m3 * other.vs_m_per_s();
        // Between liquids nothing is passed on across the normal, and nothing changes there.
        const double all = zs + zs_there > 0.0 && zs > 0.0 ? 1.0 / (zs + zs_there) : 0.0;
        double* face = terms.data() + Terms::kFaces + f * Terms::kFace;
        for (int d = 0; d < 3; ++d) {
            face[Terms::kNormal + d] = shape.normal[f][d];
        }
        face[Terms::kVelocity] = scale * zs_there * all;
        face[Terms::kTraction] = scale * all;
        face[Terms::kNormalVelocity] = scale * zp_there / (zp + zp_there) - face[Terms::kVelocity];
        face[Terms::kNormalTraction] = scale / (zp + zp_there) - face[Terms::kTraction];
    }
    for (std::size_t l = 0; l < solid.mechanisms.size(); ++l) {
        const Solid::Mechanism& m = solid.mechanisms[l];
        double* to = terms.data() + Terms::kMechanisms + l * Terms::kMechanism;
        to[Terms::kAnelasticLambda] = dt * m.lambda_pa;
        to[Terms::kAnelasticMu] = dt * m.mu_pa;
        to[Terms::kOmega] = m.omega_per_s;
        to[Terms::kOmegaStep] = dt * m.omega_per_s;
    }
    return terms;
}

TaylorWeights::TaylorWeights(int order) {
    const int N = order - 1;
    for (int i = 0; i <= N; ++i) {
        const double b = kernels::taylor_factor(N, i);
        mean.push_back(b / (i + 1));
        first_half.push_back(b * std::ldexp(1.0, -i) / (i + 1));
        end.push_back(b);
    }
}

namespace {

template <class T, int N>
std::unique_ptr<Engine> make_of_order(EngineSetup& setup) {
    if constexpr (N >= 1) {
        if (setup.params.order == N + 1) {
            return std::make_unique<BlockEngine<T, N>>(std::move(setup));
        }
        return make_of_order<T, N - 1>(setup);
    } else {
        return nullptr;  // orders are checked before
    }
}

}  // namespace

std::unique_ptr<Engine> make_cpu_engine(EngineSetup setup) {
    if (setup.params.precision == Precision::Single) {
        return make_of_order<float, kMostOrder - 1>(setup);
    }
    return make_of_order<double, kMostOrder - 1>(setup);
}

}  // namespace kaname::aderdg
