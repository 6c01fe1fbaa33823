// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/walsh_step.hpp"

#include <algorithm>
#include <memory>

#include "solvers/parallel/loops.hpp"

namespace kaname::voxelwave {
namespace {

constexpr std::int64_t kTileBytes = 2048 * 1024;  ///< of what a tile uses again
constexpr int kMostTileRows = 32;
constexpr int kTileLayers = 64;

}  // namespace

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
    // Twelve rows of planes, six of fields read again, three written.
    const std::int64_t row = std::int64_t{21} * nodes[0] * lanes * std::int64_t(sizeof(T));
    tile_rows_ = static_cast<int>(std::clamp<std::int64_t>(kTileBytes / row - 1, 2, kMostTileRows));
}

template <class T>
void WalshStep<T>::step(const NodeField<T>& u, const NodeField<T>& before, NodeField<T>& next,
                        Planes planes) {
    const int nodes = u.nodes()[1];
    // As even as can be, whatever the number of threads.
    const int layers = planes.to - planes.from;
    const int along_y = (nodes + tile_rows_ - 1) / tile_rows_,
              along_z = (layers + kTileLayers - 1) / kTileLayers;
    std::vector<Tile> tiles;
    for (int k = 0; k < along_z; ++k) {
        for (int j = 0; j < along_y; ++j) {
            tiles.push_back({nodes * j / along_y, nodes * (j + 1) / along_y,
                             planes.from + layers * k / along_z,
                             planes.from + layers * (k + 1) / along_z});
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
