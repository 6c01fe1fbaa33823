// SPDX-License-Identifier: BSD-3-Clause
#ifndef KANAME_HAVE_CUDA
#include "solvers/base/error.hpp"
#include "solvers/voxelwave/gpu_step.hpp"
#include "solvers/voxelwave/wave_fields.hpp"

namespace kaname::voxelwave {
namespace {

[[noreturn]] void refuse_gpu() {
    throw Error(ErrorCode::Unavailable, "this build has no CUDA backend");
}

}  // namespace

template <class T>
GpuStep<T>::GpuStep(Variant, const VoxelModel&, const StepTerms&, int, int, device::Queue) {
    refuse_gpu();
}
template <class T>
void GpuStep<T>::step(const device::Buffer<T>&, const device::Buffer<T>&, device::Buffer<T>&) {
    refuse_gpu();
}
template <class T>
std::unique_ptr<WaveFields<T>> make_gpu_fields(const VoxelModel&, const StepTerms&, WaveSetup,
                                               const device::Queue&) {
    refuse_gpu();
}

template class GpuStep<double>;
template class GpuStep<float>;
template std::unique_ptr<WaveFields<double>> make_gpu_fields(const VoxelModel&, const StepTerms&,
                                                             WaveSetup, const device::Queue&);
template std::unique_ptr<WaveFields<float>> make_gpu_fields(const VoxelModel&, const StepTerms&,
                                                            WaveSetup, const device::Queue&);

}  // namespace kaname::voxelwave
#endif
