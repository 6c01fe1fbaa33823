// SPDX-License-Identifier: BSD-3-Clause
#ifdef KANAME_HAVE_CUDA
#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "solvers/voxelwave/gpu_step.hpp"
#include "solvers/voxelwave/wave_fields.hpp"

namespace kaname::voxelwave {
namespace {

using device::Buffer;

/// kRecordBytes is the size of the record in the GPU's memory, which comes to the host when it is
/// full.
constexpr std::size_t kRecordBytes = std::size_t{4} << 20;

template <class T>
class GpuFields final : public WaveFields<T> {
public:
    GpuFields(const VoxelModel& model, const StepTerms& terms, const WaveSetup& setup,
              const device::Queue& queue)
        : queue_(queue),
          stepper_(setup.variant, model, terms, setup.lanes, setup.stages, queue_),
          n_sources_(setup.sources),
          loads_(std::span<const PointLoad>(setup.loads), queue_),
          receivers_(std::span<const PointReceiver>(setup.receivers), queue_),
          host_{NodeField<T>(model.nodes(), setup.lanes), NodeField<T>(model.nodes(), setup.lanes)},
          now_(numbers(), queue_),
          before_(numbers(), queue_),
          next_(numbers(), queue_),
          sample_(3 * setup.receivers.size() * static_cast<std::size_t>(setup.sources)),
          slab_(setup.slab) {
        if (slab_.ranks > 1) {
            exchange_.emplace(*setup.comm, slab_, model.nodes(), setup.lanes);
        }
        if (sample_ > 0) {
            const std::size_t samples = kRecordBytes / sizeof(float) / sample_;
            on_device_ = Buffer<float>(sample_ * std::max<std::size_t>(samples, 1), queue_);
        }
    }

    void step(const LoadValues& values) override {
        stepper_.step(now_, before_, next_);
        const auto acts = [&](const double(&of)[kMostLoads]) {
            return std::any_of(of, of + n_sources_, [](double s) { return s != 0.0; });
        };
        if (loads_.size() > 0 && (acts(values.force) || acts(values.moment))) {
            add_loads_cuda(stepper_.shape(), loads_.data(), static_cast<int>(loads_.size()), values,
                           next_.data(), queue_);
        }
        if (exchange_) {
            bring_planes();
        }
        std::swap(before_, now_);
        std::swap(now_, next_);
        is_on_host_[0] = is_on_host_[1] = false;
    }
    void set_loads(std::span<const PointLoad> loads) override {
        if (!loads.empty()) {
            device::upload(loads, loads_.view(), queue_);
        }
    }
    void record() override {
        if (sample_ == 0) {
            return;
        }
        if (recorded_ + sample_ > on_device_.size()) {
            finish();
        }
        record_cuda<T>(stepper_.shape(), receivers_.data(),
                       static_cast<std::int64_t>(receivers_.size()), n_sources_, now_.data(),
                       on_device_.data() + recorded_, queue_);
        recorded_ += sample_;
    }
    void finish() override {
        const std::size_t first = record_.size();
        record_.resize(first + recorded_);
        if (recorded_ > 0) {
            device::copy_to_host(record_.data() + first, on_device_.data(),
                                 recorded_ * sizeof(float), queue_);
        }
        recorded_ = 0;
        queue_.synchronize();
    }
    std::vector<float> take_record() override {
        finish();
        return std::exchange(record_, {});
    }
    const NodeField<T>& displacement() override { return on_host(0, now_); }
    const NodeField<T>& before() override { return on_host(1, before_); }
    void resume(const NodeField<T>& displacement, const NodeField<T>& before) override {
        device::copy_to_device(now_.data(), displacement.row(0, 0, 0), displacement.bytes(),
                               queue_);
        device::copy_to_device(before_.data(), before.row(0, 0, 0), before.bytes(), queue_);
        queue_.synchronize();
        is_on_host_[0] = is_on_host_[1] = false;
    }

private:
    /// The neighbours' planes of next_, by way of the host.
    void bring_planes() {
        const Planes own = slab_.local();
        const auto copy = [&](int z, bool to_host) {
            const std::size_t bytes =
                std::size_t(host_[0].nodes()[1]) * host_[0].stride() * sizeof(T);
            for (int c = 0; c < 3; ++c) {
                T* here = host_[0].row(c, z, 0);
                T* there = next_.data() + (here - host_[0].row(0, 0, 0));
                to_host ? device::copy_to_host(here, there, bytes, queue_)
                        : device::copy_to_device(there, here, bytes, queue_);
            }
        };
        copy(own.from, true);
        copy(own.to - 1, true);
        exchange_->start(host_[0]);
        exchange_->finish(host_[0]);
        if (slab_.below()) {
            copy(own.from - 1, false);
        }
        if (slab_.above()) {
            copy(own.to, false);
        }
        queue_.synchronize();
    }
    [[nodiscard]] std::size_t numbers() const { return host_[0].bytes() / sizeof(T); }
    const NodeField<T>& on_host(int which, const Buffer<T>& field) {
        if (!is_on_host_[which]) {
            device::copy_to_host(host_[which].row(0, 0, 0), field.data(), host_[which].bytes(),
                                 queue_);
            is_on_host_[which] = true;
        }
        return host_[which];
    }

    device::Queue queue_;
    GpuStep<T> stepper_;
    int n_sources_;
    Buffer<PointLoad> loads_;
    Buffer<PointReceiver> receivers_;
    NodeField<T> host_[2];  ///< u and u-, where is_on_host_
    bool is_on_host_[2] = {true, true};
    Buffer<T> now_, before_, next_;
    std::size_t sample_;  ///< numbers of one
    Buffer<float> on_device_;
    std::size_t recorded_ = 0;  ///< of these
    std::vector<float> record_;
    Slab slab_;
    std::optional<PlaneExchange<T>> exchange_;
};

}  // namespace

template <class T>
std::unique_ptr<WaveFields<T>> make_gpu_fields(const VoxelModel& model, const StepTerms& terms,
                                               WaveSetup setup, const device::Queue& queue) {
    return std::make_unique<GpuFields<T>>(model, terms, setup, queue);
}

template std::unique_ptr<WaveFields<double>> make_gpu_fields(const VoxelModel&, const StepTerms&,
                                                             WaveSetup, const device::Queue&);
template std::unique_ptr<WaveFields<float>> make_gpu_fields(const VoxelModel&, const StepTerms&,
                                                            WaveSetup, const device::Queue&);

}  // namespace kaname::voxelwave
#endif
