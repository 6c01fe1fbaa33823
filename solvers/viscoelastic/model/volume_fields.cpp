// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/viscoelastic/model/volume_fields.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "solvers/base/error.hpp"

namespace kaname::viscoelastic {
namespace {

using lanes::kLanes;
using Tensor = std::array<double, 6>;

// Places of xx yy zz xy yz xz among the solver's components xx yy zz yz zx xy.
constexpr std::array<int, 6> kComponent = {0, 1, 2, 5, 3, 4};

const ElementOffset* offset_of(std::span<const ElementOffset> offsets, std::int32_t elem) {
    const auto found = std::ranges::lower_bound(offsets, elem, {}, &ElementOffset::elem);
    return found != offsets.end() && found->elem == elem ? &*found : nullptr;
}

/// Symmetric gradient at the centroid, in m per unit of the geometry's length.
Tensor strain_of(const ElementGeometry& geometry,
                 const std::array<std::int32_t, p2::kNodesPerTet10>& conn,
                 std::span<const double> u, const ElementOffset* offset, std::size_t lane) {
    const bool slips = offset != nullptr && offset->moves(lane);
    double grad[3][3] = {};  // d u_i / d x_j
    for (std::size_t edge = 0; edge < p2::kTet10Edges.size(); ++edge) {
        const std::size_t node = 4 + edge;
        double along[3];  // grad L_a + grad L_b; the four of an element sum to zero
        for (int j = 0; j < 3; ++j) {
            along[j] = 0.0;
            for (const int v : p2::kTet10Edges[edge]) {
                along[j] += v > 0
                                ? geometry.grad[v - 1][j]
                                : -geometry.grad[0][j] - geometry.grad[1][j] - geometry.grad[2][j];
            }
        }
        for (std::size_t i = 0; i < 3; ++i) {
            const double value = u[(std::size_t(conn[node]) * 3 + i) * kLanes + lane] +
                                 (slips ? offset->s[node][i][lane] : 0.0);
            for (int j = 0; j < 3; ++j) {
                grad[i][j] += value * along[j];
            }
        }
    }
    return {grad[0][0],
            grad[1][1],
            grad[2][2],
            0.5 * (grad[0][1] + grad[1][0]),
            0.5 * (grad[1][2] + grad[2][1]),
            0.5 * (grad[0][2] + grad[2][0])};
}

Tensor mean_stress(std::span<const double> stress, std::size_t elem, std::size_t lane) {
    Tensor mean{};
    for (std::size_t vertex = 0; vertex < 4; ++vertex) {
        const double* at = stress.data() + (elem * 4 + vertex) * 6 * kLanes + lane;
        for (std::size_t k = 0; k < mean.size(); ++k) {
            mean[k] += 0.25 * at[std::size_t(kComponent[k]) * kLanes];
        }
    }
    return mean;
}

void append(comm::Bytes& bytes, const void* from, std::size_t size) {
    const auto* begin = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), begin, begin + size);
}

template <class T>
void append(comm::Bytes& bytes, const std::vector<T>& values) {
    append(bytes, values.data(), values.size() * sizeof(T));
}

/// Takes arrays out of a message in the order in which they were appended.
class Unpacked {
public:
    explicit Unpacked(const comm::Bytes& bytes) : bytes_(bytes) {}
    template <class T>
    std::vector<T> take(std::size_t count) {
        std::vector<T> values(count);
        std::memcpy(values.data(), bytes_.data() + at_, count * sizeof(T));
        at_ += count * sizeof(T);
        return values;
    }

private:
    const comm::Bytes& bytes_;
    std::size_t at_ = 0;
};

/// to[ids[k]] = from[k], rows of `width`.
void scatter(const std::vector<std::int32_t>& ids, std::size_t width,
             const std::vector<double>& from, double* to) {
    for (std::size_t k = 0; k < ids.size(); ++k) {
        std::copy_n(from.data() + k * width, width, to + std::size_t(ids[k]) * width);
    }
}

/// The opposite.
void gather(const std::vector<std::int32_t>& ids, std::size_t width, const double* from,
            std::vector<double>& to) {
    for (std::size_t k = 0; k < ids.size(); ++k) {
        std::copy_n(from + std::size_t(ids[k]) * width, width, to.data() + k * width);
    }
}

}  // namespace

VolumeFields::VolumeFields(const Model& model, const fault::SplitVertices& cut)
    : model_(model), cut_(cut) {
    const p2::LocalMesh& mesh = model.mesh();
    for (std::int32_t elem = 0; elem < mesh.n_tets(); ++elem) {
        for (std::int32_t corner = 0; corner < 4; ++corner) {
            points_.push_back({cut.tets[mesh.tet[elem]][corner], elem, corner});
        }
    }
    std::ranges::stable_sort(points_, {}, &Point::id);
    const auto rest = std::ranges::unique(points_, {}, &Point::id);
    points_.erase(rest.begin(), rest.end());
}

void VolumeFields::start(std::size_t n_snapshots, std::vector<std::vector<double>> weights) {
    n_snapshots_ = n_snapshots;
    weights_ = std::move(weights);
    n_steps_ = weights_.empty() ? 0 : weights_.front().size() / n_snapshots;
    const auto n_tets = static_cast<std::size_t>(model_.mesh().n_tets());
    const Sums zero{std::vector<double>(points_.size() * 3), std::vector<double>(n_tets * kTensor),
                    std::vector<double>(n_tets * kTensor)};
    sums_.assign(weights_.size(), std::vector<Sums>(n_snapshots, zero));
}

double VolumeFields::weight(std::size_t lane, std::size_t snapshot, int step) const {
    return weights_[lane][snapshot * n_steps_ + static_cast<std::size_t>(step)];
}

bool VolumeFields::wants(int step) const {
    for (std::size_t lane = 0; lane < weights_.size(); ++lane) {
        for (std::size_t snapshot = 0; snapshot < n_snapshots_; ++snapshot) {
            if (weight(lane, snapshot, step) != 0.0) {
                return true;
            }
        }
    }
    return false;
}

void VolumeFields::add(int step, const Fields& fields) {
    add_displacement(step, fields);
    add_tensors(step, fields);
}

void VolumeFields::add_displacement(int step, const Fields& fields) {
    const auto& conn = model_.mesh().conn;
    for (std::size_t k = 0; k < points_.size(); ++k) {
        const Point& point = points_[k];
        const double* u =
            fields.u.data() + std::size_t(conn[point.elem][point.corner]) * 3 * kLanes;
        const ElementOffset* offset = offset_of(fields.offsets, point.elem);
        for (std::size_t lane = 0; lane < weights_.size(); ++lane) {
            for (std::size_t snapshot = 0; snapshot < n_snapshots_; ++snapshot) {
                const double w = weight(lane, snapshot, step);
                for (std::size_t i = 0; i < 3 && w != 0.0; ++i) {
                    const double slip = offset != nullptr && offset->moves(lane)
                                            ? offset->s[point.corner][i][lane]
                                            : 0.0;
                    sums_[lane][snapshot].displacement[3 * k + i] +=
                        w * (u[i * kLanes + lane] + slip);
                }
            }
        }
    }
}

void VolumeFields::add_tensors(int step, const Fields& fields) {
    const p2::LocalMesh& mesh = model_.mesh();
    const double per_length = 1.0 / model_.scales().length_m;
    const double pa = model_.scales().modulus_pa / model_.scales().length_m;
    for (std::size_t lane = 0; lane < weights_.size(); ++lane) {
        std::vector<std::size_t> wanted;
        for (std::size_t snapshot = 0; snapshot < n_snapshots_; ++snapshot) {
            if (weight(lane, snapshot, step) != 0.0) {
                wanted.push_back(snapshot);
            }
        }
        for (std::int32_t elem = 0; elem < mesh.n_tets() && !wanted.empty(); ++elem) {
            const Tensor strain = strain_of(model_.geometry()[elem], mesh.conn[elem], fields.u,
                                            offset_of(fields.offsets, elem), lane);
            const Tensor stress = mean_stress(fields.stress, std::size_t(elem), lane);
            for (const std::size_t snapshot : wanted) {
                const double w = weight(lane, snapshot, step);
                Sums& sums = sums_[lane][snapshot];
                for (std::size_t k = 0; k < strain.size(); ++k) {
                    sums.strain[std::size_t(elem) * kTensor + k] += w * per_length * strain[k];
                    sums.stress[std::size_t(elem) * kTensor + k] += w * pa * stress[k];
                }
            }
        }
    }
}

io::VolumeSnapshots VolumeFields::collect(int lane, comm::Comm& comm) const {
    io::VolumeSnapshots all;
    const std::size_t n_points = cut_.vertex.size();
    const std::size_t n_tets = cut_.tets.size();
    if (comm.rank() == 0) {
        all.n_snapshots = n_snapshots_;
        all.displacement_m.resize(n_snapshots_ * n_points * 3);
        all.strain.resize(n_snapshots_ * n_tets * kTensor);
        all.stress_pa.resize(n_snapshots_ * n_tets * kTensor);
    }
    std::vector<std::int32_t> ids;
    for (const Point& point : points_) {
        ids.push_back(point.id);
    }
    // One snapshot at a time: a message is never larger than one rank's share of it.
    for (std::size_t snapshot = 0; snapshot < n_snapshots_; ++snapshot) {
        const Sums& sums = sums_[lane][snapshot];
        const std::array<std::uint64_t, 2> counts = {ids.size(), model_.mesh().tet.size()};
        std::vector<comm::Bytes> outgoing(static_cast<std::size_t>(comm.size()));
        comm::Bytes& mine = outgoing.front();
        append(mine, counts.data(), sizeof counts);
        append(mine, ids);
        append(mine, model_.mesh().tet);
        append(mine, sums.displacement);
        append(mine, sums.strain);
        append(mine, sums.stress);
        const std::vector<comm::Bytes> incoming = comm.all_to_all(outgoing);
        for (std::size_t rank = 0; rank < incoming.size() && comm.rank() == 0; ++rank) {
            Unpacked message(incoming[rank]);
            const auto n = message.take<std::uint64_t>(2);
            const auto points = message.take<std::int32_t>(n[0]);
            const auto tets = message.take<std::int32_t>(n[1]);
            scatter(points, 3, message.take<double>(3 * n[0]),
                    all.displacement_m.data() + snapshot * n_points * 3);
            scatter(tets, kTensor, message.take<double>(kTensor * n[1]),
                    all.strain.data() + snapshot * n_tets * kTensor);
            scatter(tets, kTensor, message.take<double>(kTensor * n[1]),
                    all.stress_pa.data() + snapshot * n_tets * kTensor);
        }
    }
    return all;
}

void VolumeFields::resume(int lane, const io::VolumeSnapshots& sums, comm::Comm& comm) {
    const std::size_t n_points = cut_.vertex.size();
    const std::size_t n_tets = cut_.tets.size();
    std::exception_ptr error;
    if (comm.rank() == 0 && (sums.n_snapshots != n_snapshots_ ||
                             sums.displacement_m.size() != n_snapshots_ * n_points * 3 ||
                             sums.strain.size() != n_snapshots_ * n_tets * kTensor ||
                             sums.stress_pa.size() != n_snapshots_ * n_tets * kTensor)) {
        error = std::make_exception_ptr(
            Error(ErrorCode::InvalidArgument,
                  "volume: sums of " + std::to_string(sums.n_snapshots) + " snapshots must be of " +
                      std::to_string(n_snapshots_) + ", with " + std::to_string(n_points) +
                      " points and " + std::to_string(n_tets) + " elements each"));
    }
    comm.throw_if_any(error);
    std::vector<std::int32_t> ids;
    for (const Point& point : points_) {
        ids.push_back(point.id);
    }
    for (std::size_t snapshot = 0; snapshot < n_snapshots_; ++snapshot) {
        comm::Bytes bytes;
        if (comm.rank() == 0) {
            append(bytes, sums.displacement_m.data() + snapshot * n_points * 3,
                   n_points * 3 * sizeof(double));
            append(bytes, sums.strain.data() + snapshot * n_tets * kTensor,
                   n_tets * kTensor * sizeof(double));
            append(bytes, sums.stress_pa.data() + snapshot * n_tets * kTensor,
                   n_tets * kTensor * sizeof(double));
        }
        comm.broadcast(bytes, 0);
        Unpacked message(bytes);
        Sums& mine = sums_[lane][snapshot];
        gather(ids, 3, message.take<double>(n_points * 3).data(), mine.displacement);
        gather(model_.mesh().tet, kTensor, message.take<double>(n_tets * kTensor).data(),
               mine.strain);
        gather(model_.mesh().tet, kTensor, message.take<double>(n_tets * kTensor).data(),
               mine.stress);
    }
}

}  // namespace kaname::viscoelastic
