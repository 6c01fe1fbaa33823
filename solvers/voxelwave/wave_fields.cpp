// SPDX-License-Identifier: BSD-3-Clause
#include "solvers/voxelwave/wave_fields.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace kaname::voxelwave {
namespace {

template <class T>
class CpuFields final : public WaveFields<T> {
public:
    CpuFields(const VoxelModel& model, const StepTerms& terms, WaveSetup setup)
        : setup_(std::move(setup)),
          stepper_(make_step<T>(setup_.variant, model, terms, setup_.lanes, setup_.stages)),
          now_(model.nodes(), setup_.lanes),
          before_(now_),
          next_(now_) {
        if (setup_.slab.ranks > 1) {
            exchange_.emplace(*setup_.comm, setup_.slab, model.nodes(), setup_.lanes);
        }
    }

    void step(const LoadValues& values) override {
        const Planes own = setup_.slab.local();
        if (exchange_) {
            // The outermost planes travel while those between them are stepped.
            advance(values, {own.from, own.from + 1});
            const int inner = std::max(own.from + 1, own.to - 1);
            advance(values, {inner, own.to});
            exchange_->start(next_);
            advance(values, {own.from + 1, inner});
            exchange_->finish(next_);
        } else {
            advance(values, {0, now_.nodes()[2]});
        }
        std::swap(before_, now_);
        std::swap(now_, next_);
    }
    void set_loads(std::span<const PointLoad> loads) override {
        std::ranges::copy(loads, setup_.loads.begin());
    }
    void record() override {
        for (int lane = 0; lane < setup_.sources; ++lane) {
            for (const PointReceiver& receiver : setup_.receivers) {
                for (int c = 0; c < 3; ++c) {
                    record_.push_back(static_cast<float>(motion_at(receiver, now_, c, lane)));
                }
            }
        }
    }
    void finish() override {}
    std::vector<float> take_record() override { return std::exchange(record_, {}); }
    const NodeField<T>& displacement() override { return now_; }
    const NodeField<T>& before() override { return before_; }
    void resume(const NodeField<T>& displacement, const NodeField<T>& before) override {
        now_ = displacement;
        before_ = before;
    }

private:
    void advance(const LoadValues& values, Planes planes) {
        if (planes.from >= planes.to) {
            return;
        }
        stepper_->step(now_, before_, next_, planes);
        for (const PointLoad& load : setup_.loads) {
            const auto& [x, y, z] = load.node;
            for (int c = 0; c < 3 && z >= planes.from && z < planes.to; ++c) {
                next_.of(c, x, y, z, load.lane) += static_cast<T>(values.of(load, c));
            }
        }
    }

    WaveSetup setup_;
    std::optional<PlaneExchange<T>> exchange_;
    std::unique_ptr<VoxelStep<T>> stepper_;
    NodeField<T> now_, before_, next_;
    std::vector<float> record_;
};

}  // namespace

template <class T>
double motion_at(const PointReceiver& receiver, const NodeField<T>& u, int component, int lane) {
    double sum = 0.0;
    for (int corner = 0; corner < 8; ++corner) {
        const auto& [x, y, z] = receiver.node[corner];
        sum += receiver.weight[corner] * u.of(component, x, y, z, lane);
    }
    return sum;
}

template <class T>
std::unique_ptr<WaveFields<T>> make_fields(const VoxelModel& model, const StepTerms& terms,
                                           WaveSetup setup, const device::Queue& queue) {
    if (queue.backend() == device::Backend::Cpu) {
        return std::make_unique<CpuFields<T>>(model, terms, std::move(setup));
    }
    return make_gpu_fields<T>(model, terms, std::move(setup), queue);
}

template double motion_at(const PointReceiver&, const NodeField<double>&, int, int);
template double motion_at(const PointReceiver&, const NodeField<float>&, int, int);
template std::unique_ptr<WaveFields<double>> make_fields(const VoxelModel&, const StepTerms&,
                                                         WaveSetup, const device::Queue&);
template std::unique_ptr<WaveFields<float>> make_fields(const VoxelModel&, const StepTerms&,
                                                        WaveSetup, const device::Queue&);

}  // namespace kaname::voxelwave
