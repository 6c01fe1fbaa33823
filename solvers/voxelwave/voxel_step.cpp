// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/voxel_step.hpp"

#include <algorithm>
#include <array>

#include "solvers/base/error.hpp"
#include "solvers/parallel/loops.hpp"
#include "solvers/voxelwave/walsh_step.hpp"

namespace kaname::voxelwave {

template <class T>
std::unique_ptr<VoxelStep<T>> make_step(Variant variant, const VoxelModel& model,
                                        const StepTerms& terms, int lanes, int stages) {
    const auto by_element = [&](typename ElementStep<T>::Element element) {
        return std::make_unique<ElementStep<T>>(model, terms, lanes, std::move(element));
    };
    switch (variant) {
        case Variant::Vfem:
            return by_element(matrix_element<T>(vfem_matrices()));
        case Variant::OvfemDense:
            return by_element(matrix_element<T>(ovfem_matrices()));
        case Variant::OvfemInteger:
            if constexpr (std::is_same_v<T, double>) {
                return by_element(integer_element(stages));
            }
            throw Error(ErrorCode::InvalidArgument,
                        "integers stand for double precision: precision must be double");
        default:
            return std::make_unique<WalshStep<T>>(model, terms, lanes);
    }
}

template std::unique_ptr<VoxelStep<double>> make_step(Variant, const VoxelModel&, const StepTerms&,
                                                      int, int);
template std::unique_ptr<VoxelStep<float>> make_step(Variant, const VoxelModel&, const StepTerms&,
                                                     int, int);

template <class T>
ElementStep<T>::ElementStep(const VoxelModel& model, const StepTerms& terms, int lanes,
                            Element element)
    : model_(model),
      terms_(terms),
      lanes_(lanes),
      element_(std::move(element)),
      force_(model.nodes(), lanes) {}

template <class T>
void ElementStep<T>::layer(int z, const NodeField<T>& u, const NodeField<T>& before) {
    const int length = model_.voxels[0] * lanes_;
    const auto b = static_cast<T>(terms_.beta_per_dt);
    std::vector<T> kappa(padded<T>(length)), shear(padded<T>(length));
    // Forces on the left and the right of the voxels, which overlap in a row.
    std::vector<T> sides(std::size_t(kElementSize) * padded<T>(length));
    for (int y = 0; y < model_.voxels[1]; ++y) {
        const std::uint16_t* solid =
            model_.solid_of.data() + (std::int64_t{z} * model_.voxels[1] + y) * model_.voxels[0];
        for (int i = 0; i < length; ++i) {
            const Solid& of = model_.solids[solid[i / lanes_]];
            kappa[i] = static_cast<T>(of.bulk_modulus_pa * model_.ds_m);
            shear[i] = static_cast<T>(of.shear_modulus_pa * model_.ds_m);
        }
        for (int i = 0; i < length; i += kPack<T>) {
            Pack<T> v[kElementSize], f[kElementSize];
            for (int node = 0; node < 8; ++node) {
                const int at = i + (node & 1) * lanes_;
                for (int c = 0; c < 3; ++c) {
                    const int row_z = z + (node >> 2), row_y = y + (node >> 1 & 1);
                    const Pack<T> now = load_pack(u.row(c, row_z, row_y) + at);
                    const Pack<T> old = load_pack(before.row(c, row_z, row_y) + at);
                    v[3 * node + c] = now + b * (now - old);
                }
            }
            element_(v, load_pack(kappa.data() + i), load_pack(shear.data() + i), f);
            for (int k = 0; k < kElementSize; ++k) {
                store_pack(sides.data() + std::size_t(k) * padded<T>(length) + i, f[k]);
            }
        }
        for (int node = 0; node < 8; ++node) {
            for (int c = 0; c < 3; ++c) {
                const T* from = sides.data() + std::size_t(3 * node + c) * padded<T>(length);
                T* to = force_.row(c, z + (node >> 2), y + (node >> 1 & 1)) + (node & 1) * lanes_;
                for (int i = 0; i < length; ++i) {
                    to[i] += from[i];
                }
            }
        }
    }
}

template <class T>
void ElementStep<T>::update(int z, const NodeField<T>& u, const NodeField<T>& before,
                            NodeField<T>& next) const {
    const auto nodes = model_.nodes();
    for (int y = 0; y < nodes[1]; ++y) {
        const double* scale = terms_.dt2_per_mass.data() + model_.node(0, y, z);
        for (int c = 0; c < 3; ++c) {
            const T* now = u.row(c, z, y);
            const T* old = before.row(c, z, y);
            const T* force = force_.row(c, z, y);
            T* to = next.row(c, z, y);
            for (int x = 0, i = 0; x < nodes[0]; ++x) {
                const auto keep = static_cast<T>(terms_.kept(x, y, z));
                for (int lane = 0; lane < lanes_; ++lane, ++i) {
                    to[i] = now[i] + keep * (now[i] - old[i]) - static_cast<T>(scale[x]) * force[i];
                }
            }
        }
    }
}

template <class T>
void ElementStep<T>::step(const NodeField<T>& u, const NodeField<T>& before, NodeField<T>& next,
                          Planes planes) {
    force_.clear();
    const int from = std::max(0, planes.from - 1), to = std::min(model_.voxels[2], planes.to);
    for (int odd = 0; odd < 2; ++odd) {
        // By the layers' own numbers, so that what a plane adds up does not depend on the range.
        const int first = from + ((from + odd) & 1);
        parallel_for((to - first + 1) / 2,
                     [&](std::int64_t k) { layer(first + 2 * static_cast<int>(k), u, before); }, 1);
    }
    parallel_for(
        planes.to - planes.from,
        [&](std::int64_t k) { update(planes.from + static_cast<int>(k), u, before, next); }, 1);
}

template <class T>
typename ElementStep<T>::Element matrix_element(const ElementMatrices& matrices) {
    std::array<T, kElementSize * kElementSize> per_kappa{}, per_shear{};
    std::ranges::transform(matrices.per_kappa, per_kappa.begin(),
                           [](double value) { return static_cast<T>(value); });
    std::ranges::transform(matrices.per_shear, per_shear.begin(),
                           [](double value) { return static_cast<T>(value); });
    return [per_kappa, per_shear](const Pack<T>(&u)[kElementSize], const Pack<T>& kappa,
                                  const Pack<T>& shear, Pack<T>(&f)[kElementSize]) {
        for (int row = 0; row < kElementSize; ++row) {
            Pack<T> bulk[2] = {}, rest[2] = {};
            for (int column = 0; column < kElementSize; column += 2) {
                for (int k = 0; k < 2; ++k) {  // two sums each, which do not wait for each other
                    bulk[k] += per_kappa[row * kElementSize + column + k] * u[column + k];
                    rest[k] += per_shear[row * kElementSize + column + k] * u[column + k];
                }
            }
            f[row] = kappa * (bulk[0] + bulk[1]) + shear * (rest[0] + rest[1]);
        }
    };
}

ElementStep<double>::Element integer_element(int stages) {
    return [element = IntegerElement(stages)](const Pack<double>(&u)[kElementSize],
                                              const Pack<double>& kappa, const Pack<double>& shear,
                                              Pack<double>(&f)[kElementSize]) {
        for (int k = 0; k < kPack<double>; ++k) {
            IntegerElement::Vector of{};
            for (int row = 0; row < kElementSize; ++row) {
                of[row] = u[row][k];
            }
            const IntegerElement::Vector force = kappa[k] == 0.0
                                                     ? IntegerElement::Vector{}
                                                     : element.apply(of, kappa[k], shear[k], 1.0);
            for (int row = 0; row < kElementSize; ++row) {
                f[row].set(k, force[row]);
            }
        }
    };
}

template class ElementStep<double>;
template class ElementStep<float>;
template ElementStep<double>::Element matrix_element<double>(const ElementMatrices&);
template ElementStep<float>::Element matrix_element<float>(const ElementMatrices&);

}  // namespace kaname::voxelwave
