// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/walsh_step.hpp"

#include <algorithm>
#include <memory>

#include "solvers/parallel/loops.hpp"
#include "solvers/voxelwave/walsh_element.hpp"

namespace kaname::voxelwave {
namespace {

constexpr int kRows = 6;  ///< of a node row and plane: sums and differences along x [2][3]
constexpr std::int64_t kTileBytes = 768 * 1024;  ///< of a tile's planes, below a core's L2
constexpr int kMostTileRows = 16;
constexpr int kTileLayers = 64;

}  // namespace

/// A thread's planes: two of nodes and two of forces, both as sums and differences along x. Voxel
/// row y is between node rows y and y + 1.
template <class T>
class WalshStep<T>::Work {
public:
    Work(const WalshStep& of, const NodeField<T>& u, const NodeField<T>& before, NodeField<T>& next,
         int most_rows)
        : of_(of),
          u_(u),
          before_(before),
          next_(next),
          lanes_(of.lanes_),
          length_(of.model_.voxels[0] * of.lanes_),
          stride_(padded<T>(length_ + of.lanes_, of.lanes_) + kPack<T>),
          plane_(std::size_t(most_rows) * kRows * stride_),
          w_(2 * plane_ + kPack<T>),
          f_(2 * plane_ + kPack<T>),
          l_(stride_),
          g_(stride_),
          spread_(of.lanes_) {}

    void run(const Tile& tile) {
        const auto& n = of_.model_.voxels;
        tile_ = tile;
        first_ = std::max(0, tile.y0 - 1);  // first and last voxel row
        last_ = std::min(n[1] - 1, tile.y1 - 1);
        const int from = std::max(0, tile.z0 - 1), to = std::min(n[2] - 1, tile.z1 - 1);
        if (tile.z0 == 0) {
            for (int y = first_; y <= last_ + 1; ++y) {
                clear(row(f_, 0, y));
            }
        }
        transform(from);
        for (int z = from; z <= to; ++z) {
            transform(z + 1);
            layer(z, z == tile.z0 - 1);
            if (z >= tile.z0) {
                update(z);
            }
        }
        if (tile.z1 == n[2] + 1) {
            update(n[2]);
        }
    }

private:
    /// The rows of node row y in plane z. A pack of zeros goes before them and between them.
    T* row(AlignedVector<T>& of, int z, int y) {
        return of.data() + kPack<T> + (z & 1) * plane_ + std::size_t(y - first_) * kRows * stride_;
    }
    void clear(T* rows) {
        for (int k = 0; k < kRows; ++k) {
            std::fill_n(rows + k * stride_, length_, T(0));
        }
    }

    /// Sums and differences along x of u + beta/dt (u - u-) in node plane z.
    void transform(int z) {
        const auto b = static_cast<T>(of_.terms_.beta_per_dt);
        for (int y = first_; y <= last_ + 1; ++y) {
            T* to = row(w_, z, y);
            for (int c = 0; c < 3; ++c) {
                const T* u = u_.row(c, z, y);
                const T* old = before_.row(c, z, y);
                const std::size_t ahead = z + 1 < u_.nodes()[2] ? u_.row(c, z + 1, y) - u : 0;
                for (int i = 0; i < length_; i += kPack<T>) {
                    __builtin_prefetch(u + ahead + i, 0, 2);
                    __builtin_prefetch(old + ahead + i, 0, 2);
                    const Pack<T> near = load(u + i), far = load(u + i + lanes_);
                    const Pack<T> left = near + b * (near - load(old + i));
                    const Pack<T> right = far + b * (far - load(old + i + lanes_));
                    store(to + c * stride_ + i, left + right);
                    store(to + (3 + c) * stride_ + i, right - left);
                }
            }
        }
    }

    void set_moduli(int z, int y) {
        const int n = of_.model_.voxels[0];
        const std::int64_t at = std::int64_t{z} * of_.model_.voxels[1] + y;
        const int all = of_.solid_of_row_[at];
        if (all >= 0 && all == solid_) {
            return;
        }
        solid_ = all;
        const std::uint16_t* solid = of_.model_.solid_of.data() + at * n;
        for (int x = 0; x < n; ++x) {
            l_[x] = of_.l_[solid[x]];
            g_[x] = of_.g_[solid[x]];
        }
    }

    /// Forces of voxel layer z to planes z and z + 1, which begins with them. `alone`: plane z is
    /// another's.
    void layer(int z, bool alone) {
        clear(row(f_, z + 1, first_));
        for (int y = first_; y <= last_; ++y) {
            set_moduli(z, y);
            const std::size_t next = std::size_t(kRows) * stride_;
            const T* low = row(w_, z, y);
            const T* high = row(w_, z + 1, y);
            T* below = row(f_, z, y);
            T* above = row(f_, z + 1, y);
            for (int i = 0; i < length_; i += kPack<T>) {
                Pack<T> w[8][3], F[8][3];
                for (int p = 0; p < 2; ++p) {
                    for (int c = 0; c < 3; ++c) {
                        const std::size_t at = std::size_t(3 * p + c) * stride_ + i;
                        const Pack<T> a = load(low + at), b = load(low + next + at);
                        const Pack<T> d = load(high + at), e = load(high + next + at);
                        w[p][c] = (a + b) + (d + e);
                        w[p + 2][c] = (b - a) + (e - d);
                        w[p + 4][c] = (d + e) - (a + b);
                        w[p + 6][c] = (e - d) - (b - a);
                    }
                }
                WalshElement<Pack<T>>::forces(w, spread_(l_.data(), i), spread_(g_.data(), i), F);
                for (int p = 0; p < 2; ++p) {
                    for (int c = 0; c < 3; ++c) {
                        const std::size_t at = std::size_t(3 * p + c) * stride_ + i;
                        const Pack<T> even = p == 0 ? Pack<T>{} : F[p][c];
                        const Pack<T> even_high = even + F[p + 4][c], even_low = even - F[p + 4][c];
                        const Pack<T> odd_high = F[p + 2][c] + F[p + 6][c];
                        const Pack<T> odd_low = F[p + 2][c] - F[p + 6][c];
                        store(above + at, load(above + at) + (even_high - odd_high));
                        store(above + next + at, even_high + odd_high);
                        if (!alone) {
                            store(below + at, load(below + at) + (even_low - odd_low));
                            store(below + next + at,
                                  load(below + next + at) + (even_low + odd_low));
                        }
                    }
                }
            }
        }
    }

    void update(int z) {
        const int n = length_ + lanes_;
        const T* keep_x = of_.keep_[0].data();
        for (int y = tile_.y0; y < tile_.y1; ++y) {
            const T* scale =
                of_.scale_.data() + (std::int64_t{z} * u_.nodes()[1] + y) * of_.scale_stride_;
            const T rest = of_.keep_[1][y] * of_.keep_[2][z];
            for (int c = 0; c < 3; ++c) {
                const T* u = u_.row(c, z, y);
                const T* old = before_.row(c, z, y);
                T* next = next_.row(c, z, y);
                const T* sum = row(f_, z, y) + c * stride_;
                const T* difference = sum + 3 * stride_;
                for (int i = 0; i < n; i += kPack<T>) {
                    const Pack<T> force = load(sum + i) - load(difference + i) +
                                          load(sum + i - lanes_) + load(difference + i - lanes_);
                    const Pack<T> now = load(u + i);
                    store(next + i, now + rest * load(keep_x + i) * (now - load(old + i)) -
                                        spread_(scale, i) * force);
                }
            }
        }
    }

    const WalshStep& of_;
    const NodeField<T>&u_, &before_;
    NodeField<T>& next_;
    int lanes_, length_, stride_;
    std::size_t plane_;
    AlignedVector<T> w_, f_;  ///< two planes each
    AlignedVector<T> l_, g_;  ///< [voxels of a row]
    int solid_ = -1;          ///< of all of these
    Spread<T> spread_;
    Tile tile_{};
    int first_ = 0, last_ = 0;
};

template <class T>
WalshStep<T>::WalshStep(const VoxelModel& model, const StepTerms& terms, int lanes)
    : model_(model), terms_(terms), lanes_(lanes) {
    for (const Solid& solid : model.solids) {
        const double g = solid.shear_modulus_pa;
        l_.push_back(static_cast<T>((solid.bulk_modulus_pa - 2.0 / 3.0 * g) * model.ds_m / 16.0));
        g_.push_back(static_cast<T>(g * model.ds_m / 16.0));
    }
    const auto nodes = model.nodes();
    scale_stride_ = padded<T>(nodes[0]);
    scale_.resize(std::size_t(nodes[2]) * nodes[1] * scale_stride_, T(0));
    for (std::int64_t row = 0; row < std::int64_t{nodes[2]} * nodes[1]; ++row) {
        std::copy_n(terms.dt2_per_mass.begin() + row * nodes[0], nodes[0],
                    scale_.begin() + row * scale_stride_);
    }
    for (auto solid = model.solid_of.begin(); solid != model.solid_of.end();
         solid += model.voxels[0]) {
        const bool same = std::all_of(solid, solid + model.voxels[0],
                                      [&](std::uint16_t other) { return other == *solid; });
        solid_of_row_.push_back(same ? *solid : -1);
    }
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < nodes[axis]; ++k) {
            keep_[axis].insert(keep_[axis].end(), axis == 0 ? lanes : 1,
                               static_cast<T>(terms.keep[axis][k]));
        }
    }
    keep_[0].resize(padded<T>(nodes[0] * lanes, lanes), T(0));
    const std::int64_t row = std::int64_t{4} * kRows * nodes[0] * lanes * std::int64_t(sizeof(T));
    tile_rows_ = static_cast<int>(std::clamp<std::int64_t>(kTileBytes / row - 1, 2, kMostTileRows));
}

template <class T>
void WalshStep<T>::step(const NodeField<T>& u, const NodeField<T>& before, NodeField<T>& next,
                        Planes planes) {
    const int nodes = u.nodes()[1];
    std::vector<Tile> tiles;
    for (int z = planes.from; z < planes.to; z += kTileLayers) {
        for (int y = 0; y < nodes; y += tile_rows_) {
            tiles.push_back(
                {y, std::min(nodes, y + tile_rows_), z, std::min(planes.to, z + kTileLayers)});
        }
    }
    const int most_rows = std::min(nodes, tile_rows_) + 2;
    parallel_ranges(
        std::ssize(tiles), 1,
        [&] { return std::make_unique<Work>(*this, u, before, next, most_rows); },
        [&](std::int64_t begin, std::int64_t end, std::unique_ptr<Work>& work) {
            for (std::int64_t k = begin; k < end; ++k) {
                work->run(tiles[static_cast<std::size_t>(k)]);
            }
        });
}

template class WalshStep<double>;
template class WalshStep<float>;

}  // namespace kaname::voxelwave
