// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "solvers/base/simd.hpp"
#include "solvers/voxelwave/voxel_step.hpp"
#include "solvers/voxelwave/walsh_element.hpp"

namespace kaname::voxelwave {

/// A step of OVFEM in one pass through memory: u, u- and the solids are read once, u+ is written
/// once. Neighbouring voxels share the Walsh transforms along all axes, a plane and a row of
/// transformed nodes and forces pass through the cache, and the model is cut into tiles of rows and
/// layers that threads work on alone (docs/theory/voxelwave.md, "One pass").
template <class T>
class WalshStep final : public VoxelStep<T> {
public:
    /// `model` and `terms` outlive this.
    WalshStep(const VoxelModel& model, const StepTerms& terms, int lanes);

    using VoxelStep<T>::step;
    void step(const NodeField<T>& u, const NodeField<T>& before, NodeField<T>& next,
              Planes planes) override;

private:
    struct Tile {
        int y0, y1, z0, z1;  ///< nodes [y0, y1) x [z0, z1)
    };
    class Work;

    const VoxelModel& model_;
    const StepTerms& terms_;
    int lanes_;
    std::vector<T> l_, g_;    ///< [solids] lambda ds/16, G ds/16
    AlignedVector<T> scale_;  ///< [z][y][x, padded] dt^2/m
    int scale_stride_;
    std::vector<int> solid_of_row_;         ///< [z][y] of voxels: the solid of all of them, or -1
    std::array<AlignedVector<T>, 3> keep_;  ///< [nodes along the axis]: of x by lanes, padded
    int tile_rows_;
};

extern template class WalshStep<double>;
extern template class WalshStep<float>;

/// A store to a cache line that is not read first, of what no cache keeps until it is read again.
template <class T>
void stream(T* to, const Pack<T>& pack) {
#ifdef __AVX512F__
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(pack.v));
#else
    store_pack(to, pack);
#endif
}
inline void end_streams() {
#ifdef __AVX512F__
    _mm_sfence();  // before other threads are told
#endif
}

/// A thread's plane and row of transformed nodes and forces. Voxel row y is between node rows y and
/// y + 1, voxel layer z between planes z and z + 1.
template <class T>
class WalshStep<T>::Work {
public:
    Work(const WalshStep& of, const NodeField<T>& u, const NodeField<T>& before, NodeField<T>& next,
         int most_rows)
        : of_(of),
          u_(u),
          before_(before),
          next_(next),
          packs_((u.row_length() + kPack<T> - 1) / kPack<T>),
          b_(static_cast<T>(of.terms_.beta_per_dt)),
          plane_(std::size_t(most_rows) * packs_),
          row_(packs_),
          l_((packs_ + 1) * kPack<T>),
          g_((packs_ + 1) * kPack<T>),
          spread_(of.lanes_),
          shift_(of.lanes_) {}

    void run(const Tile& tile) {
        const auto& n = of_.model_.voxels;
        tile_ = tile;
        first_ = std::max(0, tile.y0 - 1);  // first and last voxel row
        last_ = std::min(n[1] - 1, tile.y1 - 1);
        const int from = std::max(0, tile.z0 - 1), to = std::min(n[2] - 1, tile.z1 - 1);
        for (int y = first_; y <= last_ + 1; ++y) {
            begin_plane(from, y);
        }
        for (int z = from; z <= to; ++z) {
            begin_row(z);
            for (int y = first_; y <= last_; ++y) {
                set_moduli(z, y);
                voxels(z, y, z >= tile.z0 && y >= tile.y0);
            }
            if (tile.y1 == n[1] + 1) {
                end_row(z);
            }
        }
        if (tile.z1 == n[2] + 1) {
            end_plane(n[2]);
        }
        end_streams();
    }

private:
    using Three = std::array<Pack<T>, 3>;

    /// A pack of nodes in a plane: sums and differences along x of v [2][3], and what the layer
    /// below gives to the plane in the same basis.
    struct OfPlane {
        Pack<T> w[2][3], f[2][3];
    };
    /// A pack of nodes in a row: also transformed along z, and what the voxel row before gives.
    struct OfRow {
        Pack<T> w[4][3], f[4][3];
    };

    OfPlane* plane(int y) { return plane_.data() + std::size_t(y - first_) * packs_; }

    struct Row {
        const T *u[3], *old[3];
    };
    Row row_of(int z, int y) {
        Row row;
        for (int c = 0; c < 3; ++c) {
            row.u[c] = u_.row(c, z, y);
            row.old[c] = before_.row(c, z, y);
        }
        return row;
    }

    /// v = u + beta/dt (u - u-)
    Pack<T> strained(const Row& row, int c, int i) const {
        const Pack<T> now = load_pack(row.u[c] + i);
        return now + b_ * (now - load_pack(row.old[c] + i));
    }

    void begin_plane(int z, int y) {
        const Row row = row_of(z, y);
        OfPlane* to = plane(y);
        for (int c = 0; c < 3; ++c) {
            Pack<T> near = strained(row, c, 0);
            for (int i = 0; i < packs_; ++i) {
                const Pack<T> next = strained(row, c, (i + 1) * kPack<T>);
                const Pack<T> far = shift_.ahead(near, next);
                to[i].w[0][c] = near + far;
                to[i].w[1][c] = far - near;
                to[i].f[0][c] = to[i].f[1][c] = Pack<T>{};
                near = next;
            }
        }
    }

    /// Packs of a node row of plane z + 1 and, transformed along z, of the row between z and z + 1.
    class Rising {
    public:
        Rising(Work& work, int z, int y) : work_(work), row_(work.row_of(z + 1, y)) {
            ahead_ = z + 2 < work.u_.nodes()[2] ? work.u_.row(0, z + 2, y) - row_.u[0] : 0;
            for (int c = 0; c < 3; ++c) {
                near_[c] = work.strained(row_, c, 0);
            }
        }
        void operator()(OfPlane& at, int i, int c, Pack<T> (&v)[4]) {
            const int next_at = (i + 1) * kPack<T>;
            __builtin_prefetch(row_.u[c] + ahead_ + next_at, 0, 2);
            __builtin_prefetch(row_.old[c] + ahead_ + next_at, 0, 2);
            const Pack<T> next = work_.strained(row_, c, next_at);
            const Pack<T> far = work_.shift_.ahead(near_[c], next);
            const Pack<T> sum = near_[c] + far, difference = far - near_[c];
            near_[c] = next;
            v[0] = at.w[0][c] + sum;
            v[1] = at.w[1][c] + difference;
            v[2] = sum - at.w[0][c];
            v[3] = difference - at.w[1][c];
            at.w[0][c] = sum;
            at.w[1][c] = difference;
        }

    private:
        Work& work_;
        Row row_;
        std::size_t ahead_;
        Three near_;
    };

    /// Steps of a node row, by packs.
    class Stepping {
    public:
        Stepping(Work& work, int z, int y) : work_(work), row_(work.row_of(z, y)) {
            for (int c = 0; c < 3; ++c) {
                next_[c] = work.next_.row(c, z, y);
            }
            scale_ = work.of_.scale_.data() +
                     (std::int64_t{z} * work.u_.nodes()[1] + y) * work.of_.scale_stride_;
            keep_x_ = work.of_.keep_[0].data();
            keep_ = work.of_.keep_[1][y] * work.of_.keep_[2][z];
        }
        void at(int i) {
            keep_at_ = keep_ * load_pack(keep_x_ + i * kPack<T>);
            scale_at_ = work_.spread_(scale_, i * kPack<T>);
        }
        void operator()(int i, int c, const Pack<T>& sum, const Pack<T>& difference) {
            const int k = i * kPack<T>;
            const Pack<T> right = sum + difference;
            const Pack<T> force = (sum - difference) + work_.shift_.behind(before_[c], right);
            before_[c] = right;
            const Pack<T> now = load_pack(row_.u[c] + k);
            const Pack<T> moved = now + keep_at_ * (now - load_pack(row_.old[c] + k));
            stream(next_[c] + k, moved - scale_at_ * force);
        }

    private:
        Work& work_;
        Row row_;
        T* next_[3];
        const T *scale_, *keep_x_;
        T keep_;
        Three before_{};
        Pack<T> keep_at_, scale_at_;
    };

    void begin_row(int z) {
        Rising rising(*this, z, first_);
        OfPlane* at = plane(first_);
        for (int i = 0; i < packs_; ++i) {
            Pack<T> v[4];
            for (int c = 0; c < 3; ++c) {
                rising(at[i], i, c, v);
                for (int p = 0; p < 4; ++p) {
                    row_[i].w[p][c] = v[p];
                    row_[i].f[p][c] = Pack<T>{};
                }
            }
        }
    }

    /// Voxel row y of layer z, with which node row y of plane z is done. `update` is no template's:
    /// in two copies compilers may fuse other multiplications with additions, and tiles of other
    /// sizes would have other bits.
    void voxels(int z, int y, bool update) {
        Rising rising(*this, z, y + 1);
        Stepping stepping(*this, z, y);
        OfPlane *high = plane(y + 1), *low = plane(y);
        for (int i = 0; i < packs_; ++i) {
            OfRow& row = row_[i];
            Pack<T> w[8][3], F[8][3];
            for (int c = 0; c < 3; ++c) {
                Pack<T> v[4];
                rising(high[i], i, c, v);
                w[2][c] = v[0] - row.w[0][c];
                w[1][c] = row.w[1][c] + v[1];
                w[3][c] = v[1] - row.w[1][c];
                w[4][c] = row.w[2][c] + v[2];
                w[6][c] = v[2] - row.w[2][c];
                w[5][c] = row.w[3][c] + v[3];
                w[7][c] = v[3] - row.w[3][c];
                for (int p = 0; p < 4; ++p) {
                    row.w[p][c] = v[p];
                }
            }
            const int k = i * kPack<T>;
            WalshElement<Pack<T>>::forces(w, spread_(l_.data(), k), spread_(g_.data(), k), F);
            if (update) {
                stepping.at(i);
            }
            for (int c = 0; c < 3; ++c) {
                const Pack<T> on[4] = {row.f[0][c] - F[2][c], row.f[1][c] + (F[1][c] - F[3][c]),
                                       row.f[2][c] + (F[4][c] - F[6][c]),
                                       row.f[3][c] + (F[5][c] - F[7][c])};
                row.f[0][c] = F[2][c];
                row.f[1][c] = F[1][c] + F[3][c];
                row.f[2][c] = F[4][c] + F[6][c];
                row.f[3][c] = F[5][c] + F[7][c];
                give(stepping, low[i], i, c, on, update);
            }
        }
    }

    /// Forces of a layer to plane z, with which it is done, and z + 1.
    void give(Stepping& stepping, OfPlane& at, int i, int c, const Pack<T> (&on)[4], bool update) {
        if (update) {
            stepping(i, c, at.f[0][c] + (on[0] - on[2]), at.f[1][c] + (on[1] - on[3]));
        }
        at.f[0][c] = on[0] + on[2];
        at.f[1][c] = on[1] + on[3];
    }

    /// The last node row of plane z, after which there are no voxels.
    void end_row(int z) {
        const int y = tile_.y1 - 1;
        Stepping stepping(*this, z, y);
        for (int i = 0; i < packs_; ++i) {
            stepping.at(i);
            for (int c = 0; c < 3; ++c) {
                const auto& f = row_[i].f;
                const Pack<T> on[4] = {f[0][c], f[1][c], f[2][c], f[3][c]};
                give(stepping, plane(y)[i], i, c, on, z >= tile_.z0);
            }
        }
    }

    void end_plane(int z) {
        for (int y = tile_.y0; y < tile_.y1; ++y) {
            Stepping stepping(*this, z, y);
            for (int i = 0; i < packs_; ++i) {
                stepping.at(i);
                for (int c = 0; c < 3; ++c) {
                    stepping(i, c, plane(y)[i].f[0][c], plane(y)[i].f[1][c]);
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

    const WalshStep& of_;
    const NodeField<T>&u_, &before_;
    NodeField<T>& next_;
    int packs_;  ///< of nodes in a row
    T b_;
    AlignedVector<OfPlane> plane_;
    AlignedVector<OfRow> row_;
    AlignedVector<T> l_, g_;  ///< [voxels of a row]
    int solid_ = -1;          ///< of all of these
    Spread<T> spread_;
    Shift<T> shift_;
    Tile tile_{};
    int first_ = 0, last_ = 0;
};

}  // namespace kaname::voxelwave
