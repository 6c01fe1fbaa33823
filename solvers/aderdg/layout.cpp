// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/aderdg/layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "solvers/aderdg/wave_solver.hpp"
#include "solvers/base/vec3.hpp"

namespace kaname::aderdg {
namespace {

constexpr int kMostClusters = 24;
constexpr int kWiggles = 50;

/// Clusters with a smallest step, neighbours at most one apart.
std::vector<std::uint8_t> normalised(std::span<const double> largest_s, const TetTopology& topology,
                                     double step_s, int most) {
    const std::int64_t n = std::ssize(largest_s);
    std::vector<std::uint8_t> cluster(n);
    std::vector<std::int64_t> changed;
    for (std::int64_t e = 0; e < n; ++e) {
        int c = 0;
        while (c + 1 < most && step_s * std::ldexp(1.0, c + 1) <= largest_s[e] * (1.0 + 1e-12)) {
            ++c;
        }
        cluster[e] = static_cast<std::uint8_t>(c);
        changed.push_back(e);
    }
    while (!changed.empty()) {
        std::vector<std::int64_t> next;
        for (const std::int64_t e : changed) {
            for (const TetTopology::Beyond& beyond : topology.beyond[e]) {
                // Both sides of a fault step together.
                const int most = cluster[e] + (beyond.fault_face >= 0 ? 0 : 1);
                if (beyond.tet >= 0 && cluster[beyond.tet] > most) {
                    cluster[beyond.tet] = static_cast<std::uint8_t>(most);
                    next.push_back(beyond.tet);
                }
            }
        }
        changed.swap(next);
    }
    return cluster;
}

int clusters_in(std::span<const std::uint8_t> cluster) {
    return 1 + *std::ranges::max_element(cluster);
}

/// The smallest step, made shorter so that end_s is a whole number of macro steps.
double fitted(double step_s, int n_clusters, double end_s, std::int64_t& macro_steps) {
    const double macro_s = std::ldexp(step_s, n_clusters - 1);
    macro_steps = std::max<std::int64_t>(1, std::llround(std::ceil(end_s / macro_s - 1e-9)));
    return std::ldexp(end_s / static_cast<double>(macro_steps), 1 - n_clusters);
}

}  // namespace

double default_cfl(int order) {
    // In one dimension steps are stable up to 0.5 at orders 6 and 7, 0.6 at order 5, 0.7 at order 4
    // (Dumbser et al. 2008); in space about the same was seen.
    return order <= 5 ? 0.5 : order == 6 ? 0.45 : 0.4;
}

double largest_step_s(double insphere_diameter_m, double vp_m_per_s, const WaveParams& params) {
    const double cfl = params.cfl > 0.0 ? params.cfl : default_cfl(params.order);
    return std::min(params.longest_step_s,
                    cfl * insphere_diameter_m / ((2.0 * params.order - 1.0) * vp_m_per_s));
}

double relaxation_step_s(double omega_per_s) {
    constexpr double kOmegaStep = 1.6;  // a fifth below what order 2 allows
    return kOmegaStep / omega_per_s;
}

std::vector<double> largest_steps(const WaveModel& model, const TetTopology& topology,
                                  const WaveParams& params) {
    std::vector<double> most_s;  // by solid
    for (const Solid& solid : model.solids) {
        double& most = most_s.emplace_back(std::numeric_limits<double>::infinity());
        // Also where they have no weight: what they hold must stay a number.
        for (const Solid::Mechanism& mechanism : solid.mechanisms) {
            most = std::min(most, relaxation_step_s(mechanism.omega_per_s));
        }
    }
    std::vector<double> largest_s(topology.tets.size());
    for (std::size_t e = 0; e < largest_s.size(); ++e) {
        const TetShape shape =
            TetShape::of(corners_of(model, topology, static_cast<std::int64_t>(e)));
        const auto material = static_cast<std::size_t>(model.mesh.material[e]);
        largest_s[e] = std::min(
            most_s[material],
            largest_step_s(shape.insphere_diameter_m, model.solids[material].vp_m_per_s(), params));
    }
    return largest_s;
}

Clustering cluster(std::span<const double> largest_s, const TetTopology& topology,
                   const WaveParams& params) {
    const double smallest_s = *std::ranges::min_element(largest_s);
    int most = params.local_time_steps ? kMostClusters : 1;
    while (most > 1 && std::ldexp(smallest_s, most - 1) > params.end_s) {
        --most;
    }
    Clustering best;
    double least = 0.0;
    const int tries = params.local_time_steps ? kWiggles : 1;
    for (int k = 0; k < tries; ++k) {
        const double wiggle =
            tries == 1 ? 1.0 : 1.0 - (1.0 - params.least_wiggle) * k / (tries - 1);
        Clustering found;
        found.cluster = normalised(largest_s, topology, wiggle * smallest_s, most);
        found.n_clusters = clusters_in(found.cluster);
        found.step_s =
            fitted(wiggle * smallest_s, found.n_clusters, params.end_s, found.macro_steps);
        double updates = 0.0;  // per macro step
        for (const std::uint8_t c : found.cluster) {
            updates += std::ldexp(1.0, found.n_clusters - 1 - c);
        }
        updates *= static_cast<double>(found.macro_steps);
        if (k == 0 || updates < least) {
            least = updates;
            best = std::move(found);
        }
    }
    return best;
}

std::int64_t Clusters::updates() const {
    std::int64_t sum = 0;
    for (std::size_t c = 0; c < elements.size(); ++c) {
        sum += elements[c] << (elements.size() - 1 - c);
    }
    return sum;
}

namespace {

/// Place of each tet along a curve that visits near ones near each other.
std::vector<std::uint64_t> curve(const WaveModel& model) {
    Vec3 low = model.mesh.xyz.front(), high = low;
    for (const Vec3& x : model.mesh.xyz) {
        for (int d = 0; d < 3; ++d) {
            low[d] = std::min(low[d], x[d]);
            high[d] = std::max(high[d], x[d]);
        }
    }
    const double size = std::max({high.x - low.x, high.y - low.y, high.z - low.z, 1e-300});
    const double grain = static_cast<double>((1 << 21) - 1) / (4.0 * size);
    std::vector<std::uint64_t> places;
    places.reserve(model.mesh.tets.size());
    for (const auto& tet : model.mesh.tets) {
        Vec3 sum;
        for (const std::int32_t v : tet) {
            sum += model.mesh.xyz[v] - low;
        }
        places.push_back(morton(static_cast<std::uint64_t>(grain * sum.x),
                                static_cast<std::uint64_t>(grain * sum.y),
                                static_cast<std::uint64_t>(grain * sum.z)));
    }
    return places;
}

/// Use tells what a record of one rank is for a tet of another: the mean over a step of equal
/// length, the two halves of a step twice as long, or the mean over two steps half as long.
enum class Use { Equal, Halves, Mean };

class Builder {
public:
    Builder(const WaveModel& model, const TetTopology& topology, const Clustering& clusters,
            std::span<const std::int32_t> part, int rank, int per_block)
        : topology_(topology), clusters_(clusters), part_(part), rank_(rank) {
        layout_.per_block = per_block;
        layout_.n_clusters = clusters.n_clusters;
        place(model);
        connect();
        exchange();
    }
    Layout take() { return std::move(layout_); }

private:
    [[nodiscard]] bool needed_elsewhere(std::int64_t tet) const {
        return std::ranges::any_of(topology_.beyond[tet], [&](const TetTopology::Beyond& b) {
            return b.tet >= 0 && part_[b.tet] != rank_;
        });
    }

    void place(const WaveModel& model) {
        const std::vector<std::uint64_t> along = curve(model);
        std::vector<std::int64_t> own;
        for (std::int64_t e = 0; e < std::ssize(part_); ++e) {
            if (part_[e] == rank_) {
                own.push_back(e);
            }
        }
        const auto group = [&](std::int64_t e) {
            return std::pair(clusters_.cluster[e], !needed_elsewhere(e));
        };
        // Elements with conditions share blocks: what these cost is then done for many at once.
        const auto plain = [&](std::int64_t e) {
            return std::ranges::none_of(topology_.beyond[e], &TetTopology::Beyond::conditioned);
        };
        std::ranges::sort(own, [&](std::int64_t a, std::int64_t b) {
            return std::tuple(group(a), plain(a), along[a], a) <
                   std::tuple(group(b), plain(b), along[b], b);
        });
        slot_.assign(part_.size(), -1);
        const auto fill_block = [&] {
            layout_.tets.resize((layout_.tets.size() + layout_.per_block - 1) / layout_.per_block *
                                    layout_.per_block,
                                -1);
            return static_cast<std::int32_t>(layout_.tets.size() / layout_.per_block);
        };
        layout_.first.push_back(0);
        std::size_t k = 0;
        for (int c = 0; c < clusters_.n_clusters; ++c) {
            for (const bool interior : {false, true}) {
                while (k < own.size() &&
                       group(own[k]) == std::pair<std::uint8_t, bool>(c, interior)) {
                    slot_[own[k]] = std::ssize(layout_.tets);
                    layout_.tets.push_back(own[k++]);
                }
                const std::int32_t end = fill_block();
                (interior ? layout_.first : layout_.copy_end).push_back(end);
            }
        }
        next_record_ = layout_.n_blocks() * 4 * layout_.per_block;
        zero_ = next_record_++;
    }

    [[nodiscard]] std::int32_t own_record(std::int64_t tet, int face) const {
        return layout_.own_record(static_cast<std::int32_t>(slot_[tet] / layout_.per_block), face,
                                  static_cast<int>(slot_[tet] % layout_.per_block));
    }

    /// Records that an element's face writes beside its own.
    void connect() {
        layout_.first_other.push_back(0);
        for (std::int64_t s = 0; s < std::ssize(layout_.tets); ++s) {
            const std::int64_t e = layout_.tets[s];
            for (int f = 0; f < 4 && e >= 0; ++f) {
                const TetTopology::Beyond& b = topology_.beyond[e][f];
                if (b.tet >= 0 && clusters_.cluster[b.tet] != clusters_.cluster[e]) {
                    const bool halves = clusters_.cluster[b.tet] < clusters_.cluster[e];
                    layout_.other_steps.push_back({static_cast<std::int32_t>(s / layout_.per_block),
                                                   next_record_, static_cast<std::uint8_t>(f),
                                                   static_cast<std::uint8_t>(s % layout_.per_block),
                                                   halves});
                    extra_[{e, f}] = next_record_;
                    next_record_ += halves ? 2 : 1;
                }
            }
            if ((s + 1) % layout_.per_block == 0) {
                layout_.first_other.push_back(
                    static_cast<std::int32_t>(layout_.other_steps.size()));
            }
        }
        for (auto& beyond : layout_.beyond) {
            beyond.assign(layout_.tets.size() * 4, zero_);
        }
        for (std::int64_t s = 0; s < std::ssize(layout_.tets); ++s) {
            if (layout_.tets[s] >= 0) {
                for (int f = 0; f < 4; ++f) {
                    connect(s, f);
                }
            }
        }
        layout_.first_condition.assign(static_cast<std::size_t>(layout_.n_blocks()) + 1, 0);
        for (const Layout::Condition& c : layout_.conditions) {
            ++layout_.first_condition[c.block + 1];
        }
        for (std::size_t b = 1; b < layout_.first_condition.size(); ++b) {
            layout_.first_condition[b] += layout_.first_condition[b - 1];
        }
        layout_.n_records = next_record_;
    }

    void connect(std::int64_t s, int f) {
        const std::int64_t e = layout_.tets[s];
        const TetTopology::Beyond& b = topology_.beyond[e][f];
        const std::size_t at = static_cast<std::size_t>(
            (s / layout_.per_block * 4 + f) * layout_.per_block + s % layout_.per_block);
        const auto set = [&](std::int32_t first, std::int32_t second) {
            layout_.beyond[0][at] = first;
            layout_.beyond[1][at] = second;
        };
        if (b.conditioned()) {
            layout_.conditions.push_back({static_cast<std::int32_t>(s / layout_.per_block),
                                          next_record_, static_cast<std::uint8_t>(f),
                                          static_cast<std::uint8_t>(s % layout_.per_block), e,
                                          b.fault_face, b.on_plus_side});
            set(next_record_, next_record_);
            ++next_record_;
            return;
        }
        if (b.tet < 0) {
            // A free surface sends back what comes: the element's own trace from beyond.
            const std::int32_t record = b.boundary == Boundary::Free ? own_record(e, f) : zero_;
            set(record, record);
            return;
        }
        const int here = clusters_.cluster[e], there = clusters_.cluster[b.tet];
        const Use use = here == there ? Use::Equal : here < there ? Use::Halves : Use::Mean;
        std::int32_t record = 0;
        if (part_[b.tet] != rank_) {
            record = next_record_;
            next_record_ += use == Use::Halves ? 2 : 1;
            ghosts_.push_back({part_[b.tet], b.tet, b.face, use, there, record});
            sent_.push_back({part_[b.tet], e, f,
                             use == Use::Equal    ? Use::Equal
                             : use == Use::Halves ? Use::Mean
                                                  : Use::Halves,
                             here, use == Use::Equal ? own_record(e, f) : extra_.at({e, f})});
        } else {
            record = use == Use::Equal ? own_record(b.tet, b.face) : extra_.at({b.tet, b.face});
        }
        set(record, use == Use::Halves ? record + 1 : record);
    }

    /// A record on its way between ranks: of a face of a tet and how it is used, `cluster` that of
    /// the tet.
    struct Passed {
        int peer;
        std::int64_t tet;
        int face;
        Use use;
        int cluster;
        std::int32_t record;
    };

    /// Returns true if the record is sent when clusters 0..m begin their steps.
    [[nodiscard]] static bool goes(const Passed& p, int m) {
        // A mean is complete with the second of two steps, at whose beginning the twice as long
        // ones do not begin.
        return p.use == Use::Mean ? p.cluster == m : p.cluster <= m;
    }

    void exchange() {
        std::map<int, Layout::Peer> peers;
        const auto add = [&](std::vector<Passed>& all, auto lists) {
            std::ranges::sort(all, [](const Passed& a, const Passed& b) {
                return std::tuple(a.peer, a.tet, a.face) < std::tuple(b.peer, b.tet, b.face);
            });
            for (const Passed& p : all) {
                auto& list = lists(peers[p.peer]);
                list.resize(clusters_.n_clusters);
                for (int m = 0; m < clusters_.n_clusters; ++m) {
                    if (goes(p, m)) {
                        list[m].push_back(p.record);
                        if (p.use == Use::Halves) {
                            list[m].push_back(p.record + 1);
                        }
                    }
                }
            }
        };
        add(
            sent_, [](Layout::Peer & p) -> auto& { return p.sends; });
        add(
            ghosts_, [](Layout::Peer & p) -> auto& { return p.receives; });
        for (auto& [rank, peer] : peers) {
            peer.rank = rank;
            layout_.peers.push_back(std::move(peer));
        }
    }

    const TetTopology& topology_;
    const Clustering& clusters_;
    std::span<const std::int32_t> part_;
    int rank_;
    Layout layout_;
    std::vector<std::int64_t> slot_;  ///< [E] place among the rank's elements, -1 elsewhere
    std::map<std::pair<std::int64_t, int>, std::int32_t> extra_;
    std::int32_t next_record_ = 0, zero_ = 0;
    std::vector<Passed> sent_, ghosts_;
};

}  // namespace

Layout Layout::of(const WaveModel& model, const TetTopology& topology, const Clustering& clusters,
                  std::span<const std::int32_t> part, int rank, int per_block) {
    return Builder(model, topology, clusters, part, rank, per_block).take();
}

}  // namespace kaname::aderdg
