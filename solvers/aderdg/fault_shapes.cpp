// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/fault_shapes.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace kaname::aderdg {
namespace {

struct SolidsOfFace {
    const Solid &minus, &plus;
};

SolidsOfFace solids_of(const WaveModel& model, const TetTopology& topology,
                       const Layout::Condition& minus) {
    const std::int64_t beyond = topology.beyond[minus.tet][minus.face].tet;
    return {model.solids[model.mesh.material[minus.tet]],
            model.solids[model.mesh.material[beyond]]};
}

/// Z+ Z-/(Z+ + Z-)
double joined(double z_minus, double z_plus) {
    return z_minus * z_plus / (z_minus + z_plus);
}

}  // namespace

rupture::FaultFaceShape fault_shape(const WaveModel& model, const TetTopology& topology,
                                    const Layout::Condition& minus) {
    const auto [here, there] = solids_of(model, topology, minus);
    const std::array<Vec3, 4> corners = corners_of(model, topology, minus.tet);
    rupture::FaultFaceShape shape;
    shape.face = minus.fault_face;
    shape.fault = model.mesh.fault_faces[minus.fault_face].fault;
    for (int v = 0, c = 0; v < 4; ++v) {
        if (v != minus.face) {
            shape.corners_m[c++] = corners[v];
        }
    }
    shape.normal = TetShape::of(corners).normal[minus.face];
    shape.shear_impedance =
        joined(here.density_kg_m3 * here.vs_m_per_s(), there.density_kg_m3 * there.vs_m_per_s());
    shape.rigidity_pa = 2.0 * joined(here.mu_pa, there.mu_pa);
    return shape;
}

std::vector<FaultSides> fault_sides(const WaveModel& model, const Layout& layout) {
    std::map<std::tuple<int, rupture::FrictionLaw, std::int32_t>, FaultSides> sides;
    for (std::size_t k = 0; k < layout.conditions.size(); ++k) {
        const Layout::Condition& c = layout.conditions[k];
        if (c.fault_face >= 0) {
            const int cluster = layout.cluster_of(c.block);
            const auto law = model.fault.laws[model.mesh.fault_faces[c.fault_face].fault];
            FaultSides& of = sides[{cluster, law, c.fault_face}];
            (c.on_plus_side ? of.plus : of.minus) = static_cast<std::int32_t>(k);
            of.cluster = cluster;
        }
    }
    std::vector<FaultSides> all;
    for (const auto& [key, of] : sides) {
        all.push_back(of);
    }
    return all;
}

std::vector<rupture::FaultFaceShape> fault_shapes(const WaveModel& model,
                                                  const TetTopology& topology, const Layout& layout,
                                                  std::span<const FaultSides> sides) {
    std::vector<rupture::FaultFaceShape> shapes;
    for (const FaultSides& s : sides) {
        shapes.push_back(fault_shape(model, topology, layout.conditions[s.minus]));
    }
    return shapes;
}

FaultFaceTerms FaultFaceTerms::of(const WaveModel& model, const TetTopology& topology,
                                  const Layout::Condition& minus) {
    const auto [here, there] = solids_of(model, topology, minus);
    const Vec3 normal = TetShape::of(corners_of(model, topology, minus.tet)).normal[minus.face];
    const rupture::FaultFrame frame = rupture::FaultFrame::of(normal);
    FaultFaceTerms terms{};
    for (int d = 0; d < 3; ++d) {
        terms.axes[0][d] = normal[d];
        terms.axes[1][d] = frame.strike[d];
        terms.axes[2][d] = frame.dip[d];
    }
    const double minus_z[2] = {here.density_kg_m3 * here.vp_m_per_s(),
                               here.density_kg_m3 * here.vs_m_per_s()};
    const double plus_z[2] = {there.density_kg_m3 * there.vp_m_per_s(),
                              there.density_kg_m3 * there.vs_m_per_s()};
    for (int w = 0; w < 2; ++w) {
        terms.eta[w] = joined(minus_z[w], plus_z[w]);
        terms.per_minus[w] = 1.0 / minus_z[w];
        terms.per_plus[w] = 1.0 / plus_z[w];
    }
    return terms;
}

FaultRecord::FaultRecord(const rupture::FaultSetup& setup, const rupture::FaultRule& rule,
                         std::span<const rupture::FaultFaceShape> faces)
    : interval_s_(setup.interval_s), padded_(rule.padded()) {
    first_.push_back(0);
    for (std::size_t k = 0; k < faces.size(); ++k) {
        for (std::size_t r = 0; r < setup.receivers.size(); ++r) {
            const rupture::FaultReceiver& wanted = setup.receivers[r];
            if (wanted.face != faces[k].face) {
                continue;
            }
            Receiver receiver;
            receiver.face = static_cast<std::int64_t>(k);
            double least = std::numeric_limits<double>::infinity();
            for (int p = 0; p < rule.n_points(); ++p) {
                Vec3 x;
                for (int v = 0; v < 3; ++v) {
                    x += rule.points[p][v] * faces[k].corners_m[v];
                }
                if (norm(x - wanted.at_m) < least) {
                    least = norm(x - wanted.at_m);
                    receiver.point = p;
                }
            }
            receivers_.push_back(receiver);
            numbers_.push_back(static_cast<std::int64_t>(r));
        }
        first_.push_back(static_cast<std::int32_t>(receivers_.size()));
    }
}

FaultRecord::Values FaultRecord::values_of(const Receiver& receiver, const double* kept) const {
    Values values{};
    for (int c = 0; c < kFaultNumbers; ++c) {
        values[c] = kept[kFields[c] * padded_ + receiver.point];
    }
    return values;
}

void FaultRecord::add(std::int64_t face, double t_s, const double* kept) {
    for (std::int32_t r = first_[face]; r < first_[face + 1]; ++r) {
        add_to(r, t_s, values_of(receivers_[r], kept));
    }
}

void FaultRecord::add_to(std::int64_t number, double t_s, const Values& now) {
    Receiver& receiver = receivers_[number];
    for (;;) {
        const double sample_s =
            interval_s_ * static_cast<double>(taken_ + std::ssize(receiver.samples));
        if (sample_s > t_s) {
            break;
        }
        const double x = (sample_s - receiver.t_s) / (t_s - receiver.t_s);
        Values at{};
        for (int c = 0; c < kFaultNumbers; ++c) {
            at[c] = (1.0 - x) * receiver.last[c] + x * now[c];
        }
        receiver.samples.push_back(at);
    }
    receiver.t_s = t_s;
    receiver.last = now;
}

std::vector<float> FaultRecord::take(double until_s) {
    constexpr double kWhole = 1e-9;
    const auto n = static_cast<std::int64_t>(until_s / interval_s_ * (1.0 + kWhole)) + 1 - taken_;
    std::vector<float> samples;
    for (std::int64_t s = 0; s < n; ++s) {
        for (const Receiver& receiver : receivers_) {
            // A sample at until_s itself may be missed by rounding.
            const Values& at =
                s < std::ssize(receiver.samples) ? receiver.samples[s] : receiver.last;
            samples.insert(samples.end(), at.begin(), at.end());
        }
    }
    for (Receiver& receiver : receivers_) {
        const auto gone = std::min<std::int64_t>(n, std::ssize(receiver.samples));
        receiver.samples.erase(receiver.samples.begin(), receiver.samples.begin() + gone);
    }
    taken_ += n;
    return samples;
}

void FaultRecord::resume(std::int64_t samples, double t_s,
                         const std::function<std::vector<double>(std::int64_t face)>& kept) {
    taken_ = samples;
    for (Receiver& receiver : receivers_) {
        receiver.samples.clear();
        receiver.t_s = t_s;
        receiver.last = values_of(receiver, kept(receiver.face).data());
    }
}

}  // namespace kaname::aderdg
