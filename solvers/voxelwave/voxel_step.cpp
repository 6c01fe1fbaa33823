// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/voxel_step.hpp"

#include "solvers/base/error.hpp"
#include "solvers/voxelwave/element_step.hpp"
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

}  // namespace kaname::voxelwave
